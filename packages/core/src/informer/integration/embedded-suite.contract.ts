// The informer suite against a server in this process, over sockets and by plain calls: as for the client.
import {
  capabilities,
  type EmbeddedServer,
  openInProcess,
  openOverSockets,
} from "../../client/integration/embedded-suite.contract.ts";
import { allParts, defineInformerSuite, type InformerPart } from "./informer-suite.contract.ts";

/** A minute without events is a minute: these are for the slow tests. */
const slowParts: readonly InformerPart[] = ["long"];
const quickParts = allParts.filter((part) => !slowParts.includes(part));

export function defineEmbeddedInformerSuites(open: () => Promise<EmbeddedServer>): void {
  defineInProcess(open, quickParts, slowParts);
  defineInformerSuite(
    {
      name: "embedded, HTTP/2",
      capabilities: [...capabilities, "sockets", "credentials", "clientCertificates"],
      async open() {
        const server = await open();
        return openOverSockets(server, await server.listen(), "2");
      },
    },
    // Not the long ones: our client resets each stream it has read, and Node's server ends a session that resets a thousand of them.
    quickParts,
  );
}

export function defineLongEmbeddedInformerSuites(open: () => Promise<EmbeddedServer>): void {
  defineInProcess(open, slowParts, quickParts);
}

function defineInProcess(
  open: () => Promise<EmbeddedServer>,
  parts: readonly InformerPart[],
  elsewhere: readonly InformerPart[],
): void {
  const target = { name: "embedded, in process", capabilities, open: async () => openInProcess(await open()) };
  defineInformerSuite(target, parts, elsewhere);
}
