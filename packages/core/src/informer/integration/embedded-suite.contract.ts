// The informer suite against a server in this process, over sockets and by plain calls: as for the client.
import {
  capabilities,
  type EmbeddedServer,
  openInProcess,
  openOverSockets,
} from "../../client/integration/embedded-suite.contract.ts";
import { defineInformerSuite } from "./informer-suite.contract.ts";

export function defineEmbeddedInformerSuites(open: () => Promise<EmbeddedServer>): void {
  const parts = ["following", "views", "factories", "lists", "refusals", "disturbance"] as const;
  defineInformerSuite(
    {
      name: "embedded, in process",
      capabilities,
      open: async () => openInProcess(await open()),
    },
    parts,
  );
  defineInformerSuite(
    {
      name: "embedded, HTTP/2",
      capabilities: [...capabilities, "sockets", "credentials", "clientCertificates"],
      async open() {
        const server = await open();
        return openOverSockets(server, await server.listen(), "2");
      },
    },
    parts,
  );
}
