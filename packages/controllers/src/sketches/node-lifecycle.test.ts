import { findCondition } from "@kubeloop/core/api";
import { nodes } from "@kubeloop/core/resources";
import { newNode } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { isTainted, nodeLifecycleController } from "./node-lifecycle.fixture.ts";
import { openStage, type Stage } from "./stage.fixture.ts";

const ready = { type: "Ready", status: "True", lastHeartbeatTime: "2024-01-01T00:00:00Z" };
const pressure = { type: "DiskPressure", status: "False" };

/** Ten nodes in zone a, ten in zone b, all of them well. */
function open(faults: Parameters<typeof openStage>[1]["faults"] = []): Stage {
  const all = Array.from({ length: 20 }, (_, i) =>
    newNode(`n${i}`, {
      metadata: { labels: { "topology.kubernetes.io/zone": i < 10 ? "a" : "b" } },
      status: { conditions: [pressure, ready] },
    }),
  );
  return openStage(nodeLifecycleController, { resources: [nodes], objects: all.map((node) => [nodes, node]), faults });
}

/** For so many times ten seconds, all nodes but the first so many renew. Counts the tainted ones each time. */
async function beat({ cluster }: Stage, times: number, { silent }: { readonly silent: number }): Promise<number[]> {
  const tainted: number[] = [];
  for (let time = 0; time < times; time++) {
    for (let i = silent; i < 20; i++) {
      const renewed = String(cluster.clock.now());
      cluster.edit(nodes, `n${i}`, (node) => ({
        ...node,
        metadata: { ...node.metadata, annotations: { renewed } },
      }));
    }
    await cluster.clock.advance(10_000);
    tainted.push(cluster.list(nodes).filter(isTainted).length);
  }
  return tainted;
}

test("nodes that renew are left alone", async () => {
  const stage = open();
  await using _ = stage.cluster;
  await beat(stage, 12, { silent: 0 });
  expect(stage.cluster.writes).toEqual([]);
});

test("a silent node is told to be unknown after 50 seconds; its other conditions stay", async () => {
  const stage = open();
  await using _ = stage.cluster;
  await beat(stage, 3, { silent: 0 });
  await beat(stage, 4, { silent: 1 });
  const conditionsOf = () => stage.cluster.get(nodes, "n0")?.status?.conditions;
  expect(findCondition(conditionsOf(), "Ready")?.status).toBe("True");
  await beat(stage, 2, { silent: 1 });
  expect(conditionsOf()).toMatchObject([
    pressure,
    { ...ready, status: "Unknown", reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." },
  ]);
  await beat(stage, 3, { silent: 1 });
  expect(stage.cluster.writes.filter((write) => write === "patch nodes/status n0")).toHaveLength(1);
});

test("five silent nodes of a zone are tainted one by one, ten seconds apart", async () => {
  const stage = open();
  await using _ = stage.cluster;
  await beat(stage, 3, { silent: 0 });
  expect(await beat(stage, 12, { silent: 5 })).toEqual([0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5, 5]);
});

test("where most of a zone is silent, it takes a hundred seconds each", async () => {
  const stage = open();
  await using _ = stage.cluster;
  await beat(stage, 3, { silent: 0 });
  const tainted = await beat(stage, 30, { silent: 9 });
  expect(tainted.map((count, i) => (count > (tainted[i - 1] ?? 0) ? i : -1)).filter((i) => i >= 0)).toEqual([
    4, 14, 24,
  ]);
});

test("a taint that is refused does not cost the zone its turn", async () => {
  const refused = { kind: "status", code: 403 } as const;
  const stage = open([
    { name: "refused", fault: refused, match: { verbs: ["patch"], resources: ["nodes"] }, nth: [1] },
  ]);
  await using _ = stage.cluster;
  await beat(stage, 3, { silent: 0 });
  expect(await beat(stage, 7, { silent: 2 })).toEqual([0, 0, 0, 0, 1, 2, 2]);
  expect(stage.failures()).toBe(1);
});
