// The informer suite against a server in this process, over sockets and by plain calls: as for the client.
import { clientOf } from "../../client/client.ts";
import type { Capability } from "../../client/integration/client-suite.contract.ts";
import { type EmbeddedServer, openOverSockets } from "../../client/integration/embedded-suite.contract.ts";
import { defineInformerSuite } from "./informer-suite.contract.ts";

const capabilities: readonly Capability[] = ["watchList", "bookmarks", "unpagedLists", "forget"];

export function defineEmbeddedInformerSuites(open: () => Promise<EmbeddedServer>): void {
  const parts = ["following", "views", "factories", "lists", "refusals", "disturbance"] as const;
  defineInformerSuite(
    {
      name: "embedded, in process",
      capabilities,
      async open() {
        const server = await open();
        const client = clientOf(server.transport);
        return {
          client,
          forget: () => server.compact(),
          async [Symbol.asyncDispose]() {
            await client[Symbol.asyncDispose]();
            await server[Symbol.asyncDispose]();
          },
        };
      },
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
