import {
  type appsv1,
  type corev1,
  type FaultRule,
  findCondition,
  isControlledBy,
  keyOf,
  printTime,
} from "@kubeloop/core/api";
import { pods, replicaSets } from "@kubeloop/core/resources";
import { newPod, newReplicaSet, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { replicaSetController } from "./replicaset.fixture.ts";
import { openStage, type Stage } from "./stage.fixture.ts";

const labels = { app: "web" };
const newSet = (replicas: number, more: Partial<appsv1.ReplicaSetSpec> = {}) =>
  stored(newReplicaSet("shop/web", { spec: { replicas, selector: { matchLabels: labels }, ...more } }));

interface Given {
  readonly set?: appsv1.ReplicaSet;
  readonly pods?: readonly corev1.Pod[];
  readonly faults?: readonly FaultRule[];
}

async function open({ set = newSet(3), pods: given = [], faults = [] }: Given): Promise<Stage> {
  const objects = [[replicaSets, set] as const, ...given.map((pod) => [pods, pod] as const)];
  const stage = openStage(replicaSetController, { resources: [replicaSets, pods], objects, faults });
  await stage.cluster.clock.advance(1000);
  return stage;
}

const setOf = ({ cluster }: Stage) => cluster.get(replicaSets, "shop/web");
const statusOf = (stage: Stage) => setOf(stage)?.status;
const minesOf = (stage: Stage) => {
  const set = setOf(stage);
  return stage.cluster.list(pods).filter((pod) => set !== undefined && isControlledBy(pod, set));
};
const refused = (verbs: readonly string[], resources: readonly string[], nth?: readonly number[]): FaultRule => ({
  name: "refused",
  fault: { kind: "status", code: 403 },
  match: { verbs, resources },
  ...(nth === undefined ? {} : { nth }),
});

/** As the kubelet does. */
function becomeReady({ cluster }: Stage): void {
  const ready = { type: "Ready", status: "True", lastTransitionTime: printTime(cluster.clock.now()) };
  for (const pod of cluster.list(pods)) {
    cluster.edit(pods, keyOf(pod), (each) => ({ ...each, status: { phase: "Running", conditions: [ready] } }));
  }
}

describe("as many pods as are wanted", () => {
  test("are made, and told of", async () => {
    const stage = await open({});
    await using _ = stage.cluster;
    expect(minesOf(stage)).toHaveLength(3);
    expect(stage.events.every((event) => /^Normal SuccessfulCreate: Created pod: web-[a-z0-9]{5}$/.test(event))).toBe(
      true,
    );
    expect(stage.events).toHaveLength(3);
    expect(statusOf(stage)).toMatchObject({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 0,
      observedGeneration: 1,
    });
  });

  test("are left when fewer are wanted: those that are not ready go first", async () => {
    const stage = await open({ set: newSet(2) });
    await using _ = stage.cluster;
    becomeReady(stage);
    stage.cluster.edit(replicaSets, "shop/web", (set) => newerSpec(set, 5));
    await stage.cluster.clock.advance(1000);
    const kept = minesOf(stage)
      .filter(({ status }) => status?.phase === "Running")
      .map(keyOf);
    stage.cluster.edit(replicaSets, "shop/web", (set) => newerSpec(set, 2));
    await stage.cluster.clock.advance(1000);
    expect(minesOf(stage).map(keyOf)).toEqual(kept);
    expect(stage.events.filter((event) => event.startsWith("Normal SuccessfulDelete: Deleted pod: web-"))).toHaveLength(
      3,
    );
    expect(statusOf(stage)).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      observedGeneration: 3,
    });
  });

  test("are made anew for one that ended", async () => {
    const stage = await open({ set: newSet(1) });
    await using _ = stage.cluster;
    const [pod = newPod("none")] = minesOf(stage);
    stage.cluster.edit(pods, keyOf(pod), (each) => ({ ...each, status: { phase: "Failed" } }));
    await stage.cluster.clock.advance(1000);
    expect(minesOf(stage)).toHaveLength(2);
    expect(statusOf(stage)?.replicas).toBe(1);
  });

  test("do not include those that are being deleted, which are counted for themselves while they match", async () => {
    const stage = await open({ set: newSet(2) });
    await using _ = stage.cluster;
    for (const [i, pod] of minesOf(stage).entries()) {
      const metadata = { ...pod.metadata, deletionTimestamp: printTime(0), finalizers: ["example.com/held"] };
      const itsLabels = i === 0 ? labels : {};
      stage.cluster.edit(pods, keyOf(pod), (each) => ({ ...each, metadata: { ...metadata, labels: itsLabels } }));
    }
    await stage.cluster.clock.advance(1000);
    expect(minesOf(stage)).toHaveLength(4);
    expect(statusOf(stage)).toMatchObject({ replicas: 2, terminatingReplicas: 1 });
  });

  test("are no concern of a set that is being deleted", async () => {
    const set = newSet(3);
    const metadata = { ...set.metadata, deletionTimestamp: printTime(0), finalizers: ["foregroundDeletion"] };
    const stage = await open({ set: { ...set, metadata }, pods: [newPod("shop/orphan", { metadata: { labels } })] });
    await using _ = stage.cluster;
    expect(stage.cluster.writes.filter((write) => !write.includes("status"))).toEqual([]);
  });

  test("are told to be available when they have been ready for long enough", async () => {
    const stage = await open({ set: newSet(1, { minReadySeconds: 30 }) });
    await using _ = stage.cluster;
    becomeReady(stage);
    await stage.cluster.clock.advance(1000);
    expect(statusOf(stage)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    await stage.cluster.clock.advance(30_000);
    expect(statusOf(stage)).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
  });
});

describe("a failure", () => {
  test("of the first create spares the others, and is forgotten when all are made", async () => {
    const stage = await open({ set: newSet(500), faults: [refused(["create"], ["pods"], [1, 2, 3])] });
    await using _ = stage.cluster;
    expect(stage.events.slice(0, 3).every((event) => event.startsWith("Warning FailedCreate: Error creating: "))).toBe(
      true,
    );
    expect(stage.failures()).toBe(3);
    await stage.cluster.clock.advance(10_000);
    expect(minesOf(stage)).toHaveLength(500);
    expect(statusOf(stage)?.conditions ?? []).toEqual([]);
  });

  test("is a condition, which stays as it was first told until there is no failure any more", async () => {
    const stage = await open({ faults: [refused(["create"], ["pods"])] });
    await using _ = stage.cluster;
    const first = findCondition(statusOf(stage)?.conditions, "ReplicaFailure");
    expect(first).toMatchObject({ status: "True", reason: "FailedCreate" });
    await stage.cluster.clock.advance(60_000);
    expect(findCondition(statusOf(stage)?.conditions, "ReplicaFailure")).toEqual(first);
    stage.cluster.heal();
    await stage.cluster.clock.advance(1_000_000);
    expect(statusOf(stage)).toMatchObject({ replicas: 3, conditions: [] });
  });
});

describe("a pod that nobody controls", () => {
  test("is adopted instead of making one, after the set was read live", async () => {
    const stage = await open({ pods: [newPod("shop/orphan", { metadata: { labels } })] });
    await using _ = stage.cluster;
    expect(minesOf(stage)).toHaveLength(3);
    expect(stage.cluster.writes[0]).toBe("patch pods shop/orphan");
    expect(stage.events).toHaveLength(2);
  });

  test("is neither counted nor made up for while it cannot be adopted", async () => {
    const stage = await open({
      pods: [newPod("shop/orphan", { metadata: { labels } })],
      faults: [refused(["patch"], ["pods"])],
    });
    await using _ = stage.cluster;
    expect(stage.cluster.writes).toEqual([]);
    stage.cluster.heal();
    await stage.cluster.clock.advance(1_000_000);
    expect(minesOf(stage)).toHaveLength(3);
  });

  test("is adopted when its labels come to match", async () => {
    const stage = await open({ pods: [newPod("shop/orphan")] });
    await using _ = stage.cluster;
    stage.cluster.edit(pods, "shop/orphan", (pod) => ({ ...pod, metadata: { ...pod.metadata, labels } }));
    await stage.cluster.clock.advance(1000);
    expect(stage.cluster.writes).toContain("patch pods shop/orphan");
    expect(minesOf(stage)).toHaveLength(3);
  });

  test("stays so in another namespace", async () => {
    const stage = await open({ pods: [newPod("bank/orphan", { metadata: { labels } })] });
    await using _ = stage.cluster;
    expect(stage.cluster.writes).not.toContain("patch pods bank/orphan");
  });
});

test("a pod whose labels are taken away is released, and another made", async () => {
  const stage = await open({});
  await using _ = stage.cluster;
  const [pod] = minesOf(stage);
  if (pod === undefined) throw new Error("there are no pods");
  stage.cluster.edit(pods, keyOf(pod), (each) => ({ ...each, metadata: { ...each.metadata, labels: {} } }));
  await stage.cluster.clock.advance(1000);
  expect(stage.cluster.get(pods, keyOf(pod))?.metadata.ownerReferences ?? []).toEqual([]);
  expect(minesOf(stage)).toHaveLength(3);
  expect(stage.cluster.list(pods)).toHaveLength(4);
});

test.each([
  ["deleted", false],
  ["deleted and made anew", true],
])("a pod that is %s while it is released is no failure, and stays as it is", async (_name, isMadeAnew) => {
  const slow = { kind: "delay", delayMs: 100, when: "before" } as const;
  const stage = await open({
    faults: [{ name: "slow", fault: slow, match: { verbs: ["patch"], resources: ["pods"] } }],
  });
  await using _ = stage.cluster;
  const [pod = newPod("none")] = minesOf(stage);
  stage.cluster.edit(pods, keyOf(pod), (each) => ({ ...each, metadata: { ...each.metadata, labels: {} } }));
  await stage.cluster.clock.advance(50);
  stage.cluster.delete(pods, pod);
  if (isMadeAnew) stage.cluster.create(pods, newPod(keyOf(pod), { metadata: { labels: { app: "other" } } }));
  await stage.cluster.clock.advance(5000);
  expect(stage.failures()).toBe(0);
  expect(stage.cluster.get(pods, keyOf(pod))?.metadata.labels).toEqual(isMadeAnew ? { app: "other" } : undefined);
  expect(minesOf(stage)).toHaveLength(3);
});

function newerSpec(set: appsv1.ReplicaSet, replicas: number): appsv1.ReplicaSet {
  return { ...set, spec: { ...set.spec, replicas, selector: { matchLabels: labels } } };
}
