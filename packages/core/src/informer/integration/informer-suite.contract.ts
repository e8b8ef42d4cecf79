// What an informer must be able to do with any API server, as cases that a real kube-apiserver and the embedded one both run.
// Targets, what they can do and what a case has to work with are the client suite's. What no target of its kind
// runs is printed, and its number held.
//
// Each case has a namespace of its own, and what it makes outside of it disturbs no other, so cases need no order.
import { afterAll, beforeAll, describe, test } from "vitest";
import { namespaces } from "../../api/generated/resources.ts";
import type { Client } from "../../client/client.ts";
import type { ClientCase, ClientTarget, OpenTarget } from "../../client/integration/client-suite.contract.ts";
import { NotRun } from "../../client/integration/not-run.contract.ts";
import { disturbanceCases } from "./disturbance-cases.contract.ts";
import { factoryCases } from "./factory-cases.contract.ts";
import { followingCases } from "./following-cases.contract.ts";
import { listCases } from "./list-cases.contract.ts";
import { longCases } from "./long-cases.contract.ts";
import { refusalCases } from "./refusal-cases.contract.ts";
import { viewCases } from "./view-cases.contract.ts";

export type InformerCase = ClientCase;

const cases = {
  following: followingCases,
  views: viewCases,
  factories: factoryCases,
  lists: listCases,
  refusals: refusalCases,
  // A restart is felt by all.
  disturbance: disturbanceCases,
  // At the same time, since most of it is waiting.
  long: longCases,
} as const satisfies Readonly<Record<string, readonly InformerCase[]>>;

export type InformerPart = keyof typeof cases;
export const allParts = Object.keys(cases) as readonly InformerPart[];

/** Twenty thousand objects have to be made first, and machines are busy. */
const longMs = 300_000;

const notRun = new NotRun("informer", cases);

export function defineInformerSuite(
  target: ClientTarget,
  parts: readonly InformerPart[] = allParts,
  elsewhere: readonly InformerPart[] = [],
): void {
  notRun.note(target, { parts, elsewhere });
  describe(target.name, () => {
    let open: OpenTarget | undefined;
    beforeAll(async () => {
      open = await target.open(new AbortController().signal);
    });
    afterAll(async () => {
      await open?.[Symbol.asyncDispose]();
    });

    for (const part of parts) {
      describe(part, part === "long" ? { concurrent: true, timeout: longMs } : {}, () => {
        for (const { name, needs = [], run } of cases[part] as readonly InformerCase[]) {
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
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "informer-" } } as const;
  const { metadata } = await client.resource(namespaces).create(namespace, signal);
  if (metadata.name === undefined) throw new Error("the server gave no name");
  return metadata.name;
}
