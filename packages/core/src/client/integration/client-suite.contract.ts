// What a client must be able to do with any API server, as cases that a real kube-apiserver and the embedded one both run.
// A target says what it can do; a case says what it needs. What a target cannot run is skipped; what no target of its kind runs is printed,
// and its number held (not-run.contract.ts), so that nothing is left out in silence.
//
// Each case has a namespace of its own and leaves nothing that others would see, so cases need no order.
import { afterAll, beforeAll, describe, test } from "vitest";
import { namespaces } from "../../api/generated/resources.ts";
import type { Client } from "../client.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { disturbanceCases } from "./disturbance-cases.contract.ts";
import { identityCases } from "./identity-cases.contract.ts";
import { limitCases } from "./limit-cases.contract.ts";
import { listCases } from "./list-cases.contract.ts";
import { NotRun } from "./not-run.contract.ts";
import { patchCases } from "./patch-cases.contract.ts";
import { subresourceCases } from "./subresource-cases.contract.ts";
import { verbCases } from "./verb-cases.contract.ts";
import { watchCases } from "./watch-cases.contract.ts";

export type Capability =
  /** Watches can begin with all objects there are. */
  | "watchList"
  /** The opposite: they refuse to. */
  | "noWatchList"
  /** Watches tell from time to time how far they have come. */
  | "bookmarks"
  /** A list at version "0" comes whole, whatever its limit. */
  | "unpagedLists"
  /** `forget` makes the server answer 410 to versions from before. */
  | "forget"
  /** `restart` ends all connections; the data stays. */
  | "restart"
  /** `pause` makes the server silent, `resume` brings it back. */
  | "pause"
  /** Priority levels and flow schemas are obeyed: who is sent where there is no room is refused for a while. */
  | "flowControl"
  /** Custom kinds can be defined. */
  | "customResources"
  /** Server-side apply. */
  | "apply"
  /** Service accounts get tokens that mean something. */
  | "tokens"
  /** Who may do what depends on who it is. */
  | "authorization"
  /** It is reached through sockets. */
  | "sockets"
  /** Other credentials can be shown with `openAs`. */
  | "credentials"
  /** `clientCertificate` makes one for anybody. */
  | "clientCertificates";

export interface OpenTarget extends AsyncDisposable {
  /** Of somebody who may do everything. */
  readonly client: Client;
  forget?(signal: AbortSignal): Promise<void>;
  restart?(how: "in order" | "abruptly", signal: AbortSignal): Promise<void>;
  pause?(): void;
  resume?(): void;
  /** A client of its own, with connections of its own, which the caller disposes of. */
  openAs?(credentials: Credentials): Client;
  clientCertificate?(identity: {
    readonly user: string;
    readonly groups: readonly string[];
  }): Promise<{ readonly certPem: string; readonly keyPem: string }>;
}

export interface ClientTarget {
  readonly name: string;
  readonly capabilities: readonly Capability[];
  open(signal: AbortSignal): Promise<OpenTarget>;
}

/** What a case has to work with. */
export interface Stage {
  readonly target: OpenTarget;
  readonly client: Client;
  /** Empty, and nobody else's. */
  readonly namespace: string;
  /** Fires when the case has taken too long. */
  readonly signal: AbortSignal;
}

export interface ClientCase {
  readonly name: string;
  readonly needs?: readonly Capability[];
  run(stage: Stage): Promise<void>;
}

const cases = {
  verbs: verbCases,
  patches: patchCases,
  subresources: subresourceCases,
  lists: listCases,
  watches: watchCases,
  identity: identityCases,
  limits: limitCases,
  // Last, since a restart is felt by all.
  disturbance: disturbanceCases,
} as const satisfies Readonly<Record<string, readonly ClientCase[]>>;

export type CasePart = keyof typeof cases;
export const allParts = Object.keys(cases) as readonly CasePart[];

const notRun = new NotRun("client", cases);

export function defineClientSuite(target: ClientTarget, parts: readonly CasePart[] = allParts): void {
  notRun.note(target, { parts });
  describe(target.name, () => {
    let open: OpenTarget | undefined;
    beforeAll(async () => {
      open = await target.open(new AbortController().signal);
    });
    afterAll(async () => {
      await open?.[Symbol.asyncDispose]();
    });

    for (const part of parts) {
      describe(part, () => {
        for (const { name, needs = [], run } of cases[part] as readonly ClientCase[]) {
          const missing = needs.filter((need) => !target.capabilities.includes(need));
          if (missing.length > 0) {
            test.skip(name, () => {});
          } else {
            test(name, async ({ signal }) => {
              if (open === undefined) throw new Error("the target did not open");
              const { client } = open;
              await run({ target: open, client, namespace: await makeNamespace(client, signal), signal });
            });
          }
        }
      });
    }
  });
}

async function makeNamespace(client: Client, signal: AbortSignal): Promise<string> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "client-" } } as const;
  const { metadata } = await client.resource(namespaces).create(namespace, signal);
  if (metadata.name === undefined) throw new Error("the server gave no name");
  return metadata.name;
}
