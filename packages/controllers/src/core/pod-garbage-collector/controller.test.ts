import { isNotFound } from "@kubeloop/core/api";
import { pods } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { listed, type Scenario } from "../../scenarios/scenario.contract.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newPodGarbageCollector } from "./controller.ts";
import { podGarbageCollectorScenarios } from "./scenarios.contract.ts";

describe("the pod garbage collector on the embedded server", () => {
  defineRuns(podGarbageCollectorScenarios, (run) => run(newPodGarbageCollector()));
});

/** Not among the scenarios, which run with the default threshold. */
const tooMany: Scenario = {
  name: "too many pods that have ended",
  async run(cluster) {
    const { client, namespace, signal } = cluster;
    const all = client.resource(pods).in(namespace);
    const phases = { a: "Succeeded", b: "Failed", c: "Running", d: "Failed", e: "Succeeded" };
    for (const [name, phase] of Object.entries(phases)) {
      const spec = { containers: [{ name: "main", image: "example.com/main:1" }], automountServiceAccountToken: false };
      await all.create({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec }, signal);
      const status = { phase, ...(name === "d" ? { reason: "Evicted" } : {}) };
      await all.subresource("status").patch(name, { type: "merge", body: { status } }, signal);
      await cluster.pass(1000);
    }
    await cluster.until("two of them are left", async () => (await listed(cluster, pods)).length === 3);
    await cluster.pass(60_000);
    expect((await listed(cluster, pods)).map(({ metadata }) => metadata.name)).toEqual(["b", "c", "e"]);
  },
};

test("of pods that have ended as many stay as may, the youngest, and none that was evicted before them", () =>
  runEmbedded(tooMany, { controllers: (run) => run(newPodGarbageCollector({ terminatedThreshold: 2 })) }));

test("a pod whose status cannot be written is not deleted until it can", async () => {
  const [scenario] = podGarbageCollectorScenarios.filter(({ name }) => name.startsWith("a pod that is Running"));
  if (scenario === undefined) throw new Error("there is no such scenario");
  // Every refused write costs a sweep; that the status is there in the end is what the scenario says.
  await runEmbedded(scenario, {
    controllers: (run) => run(newPodGarbageCollector()),
    faults: [
      {
        name: "no status",
        fault: { kind: "status", code: 409 },
        match: { verbs: ["patch"], resources: ["pods/status"] },
        maxTimes: 3,
      },
    ],
  });
});

test("a node that only the cache misses keeps its pods", () => {
  const scenario: Scenario = {
    name: "a node that only the cache misses",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      await client
        .resource(pods)
        .in(namespace)
        .create(
          {
            apiVersion: "v1",
            kind: "Pod",
            metadata: { name: "p" },
            spec: { nodeName: "n", containers: [{ name: "main", image: "x" }], automountServiceAccountToken: false },
          },
          signal,
        );
      await cluster.pass(300_000);
      const found = await client
        .resource(pods)
        .in(namespace)
        .get("p", signal)
        .catch((error: unknown) => isNotFound(error));
      expect(found).toMatchObject({ metadata: { name: "p" } });
    },
  };
  // As if the server could not say: a node that cannot be asked for is not known to be gone.
  return runEmbedded(scenario, {
    controllers: (run) => run(newPodGarbageCollector()),
    faults: [
      { name: "no answer", fault: { kind: "status", code: 503 }, match: { verbs: ["get"], resources: ["nodes"] } },
    ],
  });
});
