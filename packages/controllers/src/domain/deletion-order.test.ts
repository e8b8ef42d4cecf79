import { type corev1, printTime } from "@kubeloop/core/api";
import { newPod } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { inDeletionOrder } from "./deletion-order.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const ago = (seconds: number) => printTime(nowMs - seconds * 1000);

interface PodFacts {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly readyFor?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly age?: number;
  readonly uid?: string;
}

/** Running and ready on a node of its own for an hour, unless the row says otherwise. */
function pod(name: string, facts: PodFacts): corev1.Pod {
  const { node = name, phase = "Running", ready = true, readyFor = 3600, age = 7200, uid = name } = facts;
  const status = (container: string, restartCount = 0) => ({
    name: container,
    restartCount,
    ready: true,
    image: "",
    imageID: "",
  });
  return newPod(`shop/${name}`, {
    metadata: {
      uid,
      ...(Number.isNaN(age) ? {} : { creationTimestamp: ago(age) }),
      ...(facts.cost === undefined
        ? {}
        : { annotations: { "controller.kubernetes.io/pod-deletion-cost": facts.cost } }),
    },
    spec: { nodeName: node, initContainers: [{ name: "once" }, { name: "sidecar", restartPolicy: "Always" }] },
    status: {
      phase,
      conditions: [
        {
          type: "Ready",
          status: ready ? "True" : "False",
          ...(Number.isNaN(readyFor) ? {} : { lastTransitionTime: ago(readyFor) }),
        },
      ],
      containerStatuses: [status("c", facts.restarts)],
      initContainerStatuses: [status("once", 99), status("sidecar", facts.sidecarRestarts)],
    },
  });
}

test.each<[string, PodFacts, PodFacts]>([
  ["on no node goes before on one, whatever its phase", { node: "", phase: "Running" }, { phase: "Pending" }],
  ["Pending goes before Unknown", { phase: "Pending" }, { phase: "Unknown" }],
  ["Unknown goes before Running, ready or not", { phase: "Unknown" }, { ready: false }],
  ["not ready goes before ready, whatever its cost", { ready: false, cost: "100" }, { cost: "-100" }],
  ["a lower cost goes first, whatever its age", { cost: "-1", readyFor: 7000 }, { readyFor: 10 }],
  ["a cost that is no number counts as 0", { cost: "cheap" }, { cost: "1" }],
  ["and so does one with a plus sign", { cost: "+5" }, { cost: "1" }],
  ["ready for less time goes first", { readyFor: 60 }, { readyFor: 3600 }],
  ["ready since nobody knows when goes first", { readyFor: Number.NaN }, { readyFor: 1 }],
  [
    "among times of the same power of two, the lower uid goes first",
    { readyFor: 3600, uid: "a" },
    { readyFor: 3000, uid: "b" },
  ],
  ["and the other way round", { readyFor: 3000, uid: "a" }, { readyFor: 3600, uid: "b" }],
  ["a time that is still to come goes before one that has passed", { readyFor: -60 }, { readyFor: 1 }],
  ["more restarts go first, whatever the age", { restarts: 3, age: 90_000 }, { restarts: 2, age: 10 }],
  ["then more restarts of a sidecar", { sidecarRestarts: 2 }, { sidecarRestarts: 1 }],
  [
    "restarts count also among pods that are not ready",
    { ready: false, restarts: 1, readyFor: 9000 },
    { ready: false, readyFor: 10 },
  ],
  [
    "ready times are no matter while neither is ready: the newer goes first",
    { ready: false, age: 60, readyFor: 9000 },
    { ready: false, age: 3600, readyFor: 10 },
  ],
  ["the newer goes first", { age: 60 }, { age: 7200 }],
  [
    "ages are compared in powers of two of nanoseconds: 16 and 17 s are alike",
    { age: 17, readyFor: 10, uid: "a" },
    { age: 16, readyFor: 10, uid: "b" },
  ],
  ["a pod without creation time goes first", { age: Number.NaN }, { age: 1 }],
  ["among ages of the same power of two, the lower uid goes first", { age: 7200, uid: "a" }, { age: 6000, uid: "b" }],
])("%s", (_name, first, second) => {
  const [a, b] = [pod("first", first), pod("second", second)];
  expect(inDeletionOrder([a, b], { nowMs })).toEqual([a, b]);
  expect(inDeletionOrder([b, a], { nowMs })).toEqual([a, b]);
});

test("where active pods of related sets crowd on a node, one of them goes first, whatever its age", () => {
  const lonely = pod("lonely", { node: "n1", readyFor: 10 });
  const crowded = pod("crowded", { node: "n2", readyFor: 9000 });
  const ended = [1, 2].map((i) => pod(`ended-${i}`, { node: "n1", phase: "Succeeded" }));
  const related = [lonely, crowded, pod("sibling", { node: "n2" }), ...ended];
  expect(inDeletionOrder([lonely, crowded], { nowMs, related })).toEqual([crowded, lonely]);
  expect(inDeletionOrder([lonely, crowded], { nowMs })).toEqual([lonely, crowded]);
  expect(inDeletionOrder([lonely, pod("cheap", { cost: "-1" }), crowded], { nowMs, related })[0]?.metadata.name).toBe(
    "cheap",
  );
});

test("pods that nothing tells apart stay in their order, and the list that was given stays as it is", () => {
  const given = ["c", "a", "b"].map((name) => pod(name, {}));
  const copy = [...given];
  expect(inDeletionOrder(given, { nowMs })).toEqual(copy);
  expect(given).toEqual(copy);
});

test("the cost is no matter where it is not used", () => {
  const [cheap, newer] = [pod("cheap", { cost: "-100", readyFor: 7000 }), pod("newer", { readyFor: 10 })];
  expect(inDeletionOrder([cheap, newer], { nowMs, usesDeletionCost: false })).toEqual([newer, cheap]);
});
