// Every scenario under upstream's kube-controller-manager and under ours, each on a kube-apiserver of its own: what they leave must be the same.
// Upstream runs exactly the controllers that we have. Where they may differ, and why, is in allowed-differences.facts.json. How many requests each
// wrote with is printed.

import { isDeepStrictEqual } from "node:util";
import { systemClock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { RealCluster } from "@kubeloop/real-cluster";
import { allScenarios } from "@kubeloop/scenarios";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AllowedDifference, neededOf, withoutAllowed } from "./allowed-differences.contract.ts";
import allowed from "./allowed-differences.facts.json" with { type: "json" };
import { networkFlags, writtenControllers } from "./manager-flags.contract.ts";
import { normalForm } from "./normal-form.contract.ts";
import { ourManager } from "./our-manager.contract.ts";
import { adminClient, dualStackFlags, runOnRealCluster } from "./scenario-on-real-cluster.contract.ts";
import { AuditLog, type WriteRequest } from "./write-requests.contract.ts";

const { signal } = new AbortController();

interface Side {
  readonly cluster: RealCluster;
  readonly client: Client;
  readonly audit: AuditLog;
}

async function openSide(controllerManager: true | typeof ourManager, flags: readonly string[]): Promise<Side> {
  const audit = await AuditLog.open();
  const cluster = await RealCluster.start(
    {
      controllerManager,
      extraFlags: {
        "kube-apiserver": [...audit.flags, ...dualStackFlags],
        "kube-controller-manager": flags,
      },
    },
    signal,
  );
  return { cluster, client: adminClient(cluster), audit };
}

let count = 0;
const needed = new Set<AllowedDifference>();
/** What both leave is compared when it has become the same, or after a quarter of a minute. */
const lookEveryMs = 500;
const mostLooks = 30;

/** All of them take minutes: `npm run test:long` runs them, everything else the first of each controller. */
const firstOnes = 3;
/** Waits for up to a minute by design, in each of its scenarios. */
const slowController = "pod-garbage-collector-controller";
const areAll = process.env["KUBELOOP_SCENARIOS"] === "all";
/**
 * On clusters of its own. Upstream's forgets that it has just written a node when somebody else writes it, gives it another network, and records that
 * the server refuses that: so nobody else does.
 */
const aloneController = "node-ipam-controller";
const allOf = Object.entries(allScenarios).flatMap(([controller, list]) =>
  list
    .filter(({ needsVirtualTime }) => needsVirtualTime !== true)
    .slice(0, areAll ? undefined : controller === slowController ? 1 : firstOnes)
    .map((scenario) => ({ controller, name: scenario.name, scenario })),
);

/** Starts both clusters before the first of these scenarios, and ends them after the last. */
function defineComparisons(scenarios: typeof allOf, flags: readonly string[]): void {
  let upstream: Side;
  let ours: Side;
  beforeAll(async () => {
    [upstream, ours] = await Promise.all([openSide(true, flags), openSide(ourManager, flags)]);
  });
  afterAll(async () => {
    for (const side of [upstream, ours]) {
      await side?.client[Symbol.asyncDispose]();
      await side?.cluster[Symbol.asyncDispose]();
      await side?.audit[Symbol.asyncDispose]();
    }
  });
  for (const { controller, name, scenario } of scenarios)
    test(`${controller}: ${name}`, async () => {
      const namespace = `scenario-${++count}`;
      const { repeatedEvents = [] } = scenario;
      const run = ({ client }: Side) =>
        runOnRealCluster(scenario, { client, namespace, hasAccountController: true }, signal);
      const whole = ({ client }: Side) => normalForm(client, { namespace, repeatedEvents }, signal);
      const left = async (side: Side) => withoutAllowed(await whole(side), allowed);
      await Promise.all([run(upstream), run(ours)]);
      // Controllers that the scenario is not about are at work, too, each in its own time.
      let [theirs, mine] = await Promise.all([left(upstream), left(ours)]);
      for (let look = 0; look < mostLooks && !isDeepStrictEqual(mine, theirs); look++) {
        await systemClock.sleep(lookEveryMs, signal);
        [theirs, mine] = await Promise.all([left(upstream), left(ours)]);
      }
      const isOfScenario = new RegExp(`(?<![a-z0-9])${namespace}(?![0-9])`);
      const writes = async ({ audit }: Side) =>
        (await audit.read()).filter((request) => isOfScenario.test(`${request.namespace}/${request.name}`));
      const [theirWrites, ourWrites] = await Promise.all([writes(upstream), writes(ours)]);
      const kinds = (requests: readonly WriteRequest[]) =>
        countBy(requests.map(({ verb, resource }) => `${verb} ${resource}`));
      console.log(
        `${controller}: ${name}: ${ourWrites.length} writes (${kinds(ourWrites)}), upstream's ${theirWrites.length} (${kinds(theirWrites)})`,
      );
      // Both would be equal, too, if nothing were read.
      expect(Object.keys(theirs)).toContain("serviceaccounts");
      expect(JSON.stringify(theirs["configmaps"])).toContain("managedFields");
      expect(mine).toEqual(theirs);
      if (allowed.length > 0) {
        const [theirForm, ourForm] = await Promise.all([whole(upstream), whole(ours)]);
        for (const each of neededOf(allowed, ourForm, theirForm)) needed.add(each);
      }
      expect(ourWrites.filter(({ isForbidden }) => isForbidden)).toEqual([]);
    }, 240_000);
}

describe("upstream's manager and ours leave the same", () => {
  describe("with all controllers", () => {
    defineComparisons(
      allOf.filter(({ controller }) => controller !== aloneController),
      [`--controllers=${writtenControllers.join(",")}`],
    );
  });

  describe("with few controllers", () => {
    const controllers = [aloneController, "serviceaccount-controller", "root-ca-certificate-publisher-controller"];
    defineComparisons(
      allOf.filter(({ controller }) => controller === aloneController),
      [`--controllers=${controllers.join(",")}`, ...networkFlags],
    );
  });

  // The first scenarios may not need one that a later one needs.
  test.runIf(areAll)("every allowed difference is needed", () => {
    expect(allowed.filter((each) => !needed.has(each))).toEqual([]);
  });
});

/** "3 create pods, 2 update replicasets/status". */
function countBy(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, times]) => `${times} ${word}`).join(", ");
}
