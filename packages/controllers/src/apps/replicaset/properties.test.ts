import { pods, replicaSets } from "@kubeloop/core/resources";
import { findPropertyFaults, newPod, newReplicaSet, ownedBy, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newReplicaSetController } from "./controller.ts";

const labels = { app: "web" };
const newSet = (replicas: number) =>
  stored(newReplicaSet("shop/web", { spec: { replicas, selector: { matchLabels: labels } } }));

test("the replicaset controller is declared, idempotent, bounded and total", () => {
  const worlds = [0, 1, 3, 600].map((replicas): World => {
    const set = newSet(replicas);
    const its = [1, 2].map((i) => stored(ownedBy(set, newPod(`shop/web-${i}`, { metadata: { labels } }))));
    const lost = stored(ownedBy(set, newPod("shop/lost")));
    const orphan = stored(newPod("shop/orphan", { metadata: { labels } }));
    return [
      [replicaSets, [set]],
      [pods, [...its, lost, orphan]],
    ];
  });
  // A burst of 500, one adoption, one release, and the status.
  expect(findPropertyFaults(newReplicaSetController(), worlds, { maxActions: 503, maxPlans: 3 })).toEqual([]);
});

test("it creates no more than its burst says", () => {
  const worlds: readonly World[] = [
    [
      [replicaSets, [newSet(600)]],
      [pods, []],
    ],
  ];
  expect(findPropertyFaults(newReplicaSetController(), worlds, { maxActions: 500, maxPlans: 3 })).not.toEqual([]);
  expect(findPropertyFaults(newReplicaSetController({ burst: 2 }), worlds, { maxActions: 3, maxPlans: 400 })).toEqual(
    [],
  );
});
