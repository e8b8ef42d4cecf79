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
  define(open, quickParts, slowParts);
}

export function defineLongEmbeddedInformerSuites(open: () => Promise<EmbeddedServer>): void {
  define(open, slowParts, quickParts);
}

function define(
  open: () => Promise<EmbeddedServer>,
  parts: readonly InformerPart[],
  elsewhere: readonly InformerPart[],
): void {
  const inProcess = { name: "embedded, in process", capabilities, open: async () => openInProcess(await open()) };
  defineInformerSuite(inProcess, parts, elsewhere);
  for (const encoding of ["json", "protobuf"] as const) {
    const overSockets = {
      name: `embedded, HTTP/2, ${encoding}`,
      capabilities: [...capabilities, "sockets", "credentials", "clientCertificates"] as const,
      async open() {
        const server = await open();
        return openOverSockets(server, await server.listen(), "2", encoding);
      },
    };
    defineInformerSuite(overSockets, parts, elsewhere);
  }
}
