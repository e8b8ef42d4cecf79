// The client suite against a server in this process, over sockets and by plain calls. The server is whatever answers as one: what it
// must offer stands here, so that no package of ours needs to know another for its tests.
import type { Transport } from "../../api/index.ts";
import { clientOf, openClient } from "../client.ts";
import { inlineCaBundle } from "../credentials/ca-bundle.ts";
import { type Credentials, tokenCredentials } from "../credentials/credentials.ts";
import type { HttpVersion } from "../http/server-connections.ts";
import { clusterConfig } from "../kubeconfig/cluster-config.ts";
import type { Encoding } from "../rest/accept.ts";
import {
  allParts,
  type Capability,
  type CasePart,
  defineClientSuite,
  type OpenTarget,
} from "./client-suite.contract.ts";

export interface EmbeddedServer extends AsyncDisposable {
  readonly transport: Transport;
  listen(options?: { readonly port?: number; readonly isPlain?: boolean }): Promise<EmbeddedAddress>;
  compact(): Promise<void>;
  snapshot(): { readonly revision: number };
  restore(snapshot: { readonly revision: number }): Promise<void>;
}

export interface EmbeddedAddress extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly admin: { readonly token: string; readonly caPem: string | undefined };
  readonly authority:
    | {
        issueClient(identity: {
          readonly user: string;
          readonly groups: readonly string[];
        }): Promise<{ readonly certPem: string; readonly keyPem: string }>;
      }
    | undefined;
}

export const capabilities: readonly Capability[] = ["watchList", "bookmarks", "unpagedLists", "forget"];

export function defineEmbeddedClientSuites(open: () => Promise<EmbeddedServer>): void {
  defineClientSuite({
    name: "embedded, in process",
    capabilities: [...capabilities, "restart"],
    open: async () => openInProcess(await open()),
  });
  defineClientSuite(
    {
      name: "embedded, in process, protobuf",
      capabilities: [...capabilities, "restart"],
      open: async () => openInProcess(await open(), "protobuf"),
    },
    ["lists", "watches"],
  );
  overSockets("2", allParts);
  overSockets("1.1", allParts);
  overSockets("2", allParts, "protobuf");
  defineClientSuite(
    {
      name: "embedded, plain HTTP",
      capabilities: [...capabilities, "sockets", "restart"],
      open: async () => openPlain(await open()),
    },
    ["disturbance"],
  );

  function overSockets(httpVersion: HttpVersion, parts: readonly CasePart[], encoding: Encoding = "json"): void {
    defineClientSuite(
      {
        name: `embedded, HTTP/${httpVersion}, ${encoding}`,
        capabilities: [...capabilities, "sockets", "credentials", "clientCertificates"],
        async open() {
          const server = await open();
          return openOverSockets(server, await server.listen(), httpVersion, encoding);
        },
      },
      parts,
    );
  }
}

export function openInProcess(server: EmbeddedServer, encoding: Encoding = "json"): OpenTarget {
  const client = clientOf(server.transport, { encoding });
  return {
    client,
    forget: () => server.compact(),
    // Watches end and history is gone; what is there stays.
    restart: () => server.restore(server.snapshot()),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Without credentials, which another listener would not know, so that it can go and come back under the same address. */
export async function openPlain(server: EmbeddedServer): Promise<OpenTarget> {
  let address = await server.listen({ isPlain: true });
  const { url, port } = address;
  const client = openClient(clusterConfig({ server: url }), { httpVersion: "1.1" });
  return {
    client,
    forget: () => server.compact(),
    async restart() {
      await address[Symbol.asyncDispose]();
      address = await server.listen({ isPlain: true, port });
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await address[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

export function openOverSockets(
  server: EmbeddedServer,
  address: EmbeddedAddress,
  httpVersion: HttpVersion,
  encoding: Encoding = "json",
): OpenTarget {
  const { url, admin, authority } = address;
  const openAs = (credentials: Credentials) => {
    const tls = { ca: inlineCaBundle(admin.caPem ?? ""), isVerified: true };
    return openClient(clusterConfig({ server: url, tls, credentials }), { httpVersion, encoding });
  };
  const client = openAs(tokenCredentials(admin.token));
  return {
    client,
    openAs,
    forget: () => server.compact(),
    async clientCertificate(identity) {
      if (authority === undefined) throw new Error("no authority without TLS");
      return await authority.issueClient(identity);
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await address[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
