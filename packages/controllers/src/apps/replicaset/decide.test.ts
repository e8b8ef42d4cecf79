import { type appsv1, type corev1, keyOf, printTime } from "@kubeloop/core/api";
import { actionsOf, type Decision, liveGet, type Plan, printAction } from "@kubeloop/core/contract";
import { replicaSets } from "@kubeloop/core/resources";
import { Answers, answered, newPod, newReplicaSet, ownedBy, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { type CountedPods, newDecide, sortingDeletionAgeRatio } from "./decide.ts";
import type { Observed } from "./observe.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const labels = { app: "web" };
const newSet = (spec: Partial<appsv1.ReplicaSetSpec>, metadata: object = {}) =>
  stored(
    newReplicaSet("shop/web", {
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [] } },
        ...spec,
      },
    }),
  );
const theSet = newSet({ replicas: 3 });

interface PodFacts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly phase?: string;
  readonly isReady?: boolean;
  readonly readyForS?: number;
  readonly ageS?: number;
  readonly isTerminating?: boolean;
  readonly node?: string;
  readonly cost?: string;
}

function pod(name: string, facts: PodFacts = {}): corev1.Pod {
  const { phase = "Running", isReady = true, readyForS = 3600, ageS = 3600, node = name } = facts;
  const ago = (seconds: number) => printTime(nowMs - seconds * 1000);
  return stored(
    newPod(`shop/${name}`, {
      metadata: {
        uid: name,
        labels: facts.labels ?? labels,
        creationTimestamp: ago(ageS),
        ...(facts.isTerminating === true ? { deletionTimestamp: ago(1) } : {}),
        ...(facts.cost === undefined
          ? {}
          : { annotations: { "controller.kubernetes.io/pod-deletion-cost": facts.cost } }),
      },
      spec: { nodeName: node },
      status: {
        phase,
        conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: ago(readyForS) }],
      },
    }),
  );
}
const ownedPod = (name: string, facts: PodFacts = {}, set = theSet) => ownedBy(set, pod(name, facts));
const ownedPods = (count: number) => Array.from({ length: count }, (_, i) => ownedPod(`p${i}`));

interface Given extends Partial<Omit<Observed, "relatedPods">> {
  readonly related?: readonly corev1.Pod[];
  readonly burst?: number;
  readonly usesDeletionCost?: boolean;
  /** What a live read of the set finds; the set itself unless given. */
  readonly live?: appsv1.ReplicaSet | undefined;
}

function decided(given: Given): Decision<CountedPods> {
  const { set = theSet, owned = [], orphans = [], related = [], burst = 500, usesDeletionCost = true } = given;
  const live = "live" in given ? given.live : set;
  const answers = new Answers().give(liveGet(replicaSets, keyOf(set)), answered(live));
  const decide = newDecide({ burst, usesDeletionCost });
  return decide(
    { set, owned, orphans, relatedPods: () => related },
    { nowMs, answer: (question) => answers.answer(question) },
  );
}

const planned = (given: Given): Plan<CountedPods> => {
  const decision = decided(given);
  if (decision.kind !== "plan") throw new Error(`is no plan, but ${decision.kind}`);
  return decision;
};
/** The planned actions, in order: "create", "delete p1", "edit p1". */
const actions = (given: Given) =>
  actionsOf(planned(given)).map((action) =>
    printAction(action)
      .replace(/ pods (?:shop\/)?/, " ")
      .replace(" web-*", ""),
  );
const none: readonly string[] = [];
const creates = (count: number) => Array.from({ length: count }, () => "create");

describe("the replicaset controller", () => {
  for (const [name, given, expected] of [
    ["leaves a set alone that has what it wants", { owned: ownedPods(3) }, none],
    ["creates what is missing", { owned: ownedPods(1) }, creates(2)],
    ["creates one pod where spec.replicas is absent", { set: newSet({}) }, creates(1)],
    ["creates none where none is wanted", { set: newSet({ replicas: 0 }) }, none],
    ["creates no more than its burst", { set: newSet({ replicas: 1000 }), burst: 7 }, creates(7)],
    ["deletes what is too much", { set: newSet({ replicas: 2 }), owned: ownedPods(3) }, ["delete p0"]],
    [
      "deletes no more than its burst",
      { set: newSet({ replicas: 0 }), owned: ownedPods(9), burst: 2 },
      ["delete p0", "delete p1"],
    ],
    [
      "deletes all where none is wanted",
      { set: newSet({ replicas: 0 }), owned: ownedPods(2) },
      ["delete p0", "delete p1"],
    ],
    [
      "does not count a pod that succeeded",
      { owned: [...ownedPods(2), ownedPod("x", { phase: "Succeeded" })] },
      creates(1),
    ],
    ["does not count a pod that failed", { owned: [...ownedPods(2), ownedPod("x", { phase: "Failed" })] }, creates(1)],
    [
      "does not count a pod that is being deleted",
      { owned: [...ownedPods(2), ownedPod("x", { isTerminating: true })] },
      creates(1),
    ],
    [
      "counts a pod that is pending",
      { owned: [...ownedPods(2), ownedPod("x", { phase: "Pending", isReady: false })] },
      none,
    ],
    ["adopts an orphan that matches, instead of creating", { owned: ownedPods(2), orphans: [pod("o")] }, ["edit o"]],
    [
      "adopts, and deletes what is then too much",
      { owned: ownedPods(3), orphans: [pod("o", { isReady: false })] },
      ["edit o", "delete o"],
    ],
    ["does not adopt what does not match", { owned: ownedPods(3), orphans: [pod("o", { labels: {} })] }, none],
    ["does not adopt what has ended", { owned: ownedPods(3), orphans: [pod("o", { phase: "Succeeded" })] }, none],
    [
      "does not adopt what is being deleted",
      { owned: ownedPods(3), orphans: [pod("o", { isTerminating: true })] },
      none,
    ],
    [
      "releases a pod that matches no longer, and creates another",
      { owned: [...ownedPods(2), ownedPod("x", { labels: {} })] },
      ["edit x", "create"],
    ],
    [
      "does not release a pod that has ended",
      { owned: [...ownedPods(3), ownedPod("x", { labels: {}, phase: "Failed" })] },
      none,
    ],
    [
      "touches no pod when the set is being deleted",
      {
        set: newSet({ replicas: 9 }, { deletionTimestamp: printTime(nowMs) }),
        owned: ownedPods(1),
        orphans: [pod("o")],
      },
      none,
    ],
    [
      "leaves all as it is when the selector cannot be read",
      {
        set: newSet({ replicas: 9, selector: { matchExpressions: [{ key: "a", operator: "Nonsense" }] } }),
        owned: ownedPods(2),
        orphans: [pod("o")],
      },
      none,
    ],
  ] as const) {
    test(name, () => expect(actions(given)).toEqual(expected));
  }
});

describe("a pod to delete is", () => {
  const one = newSet({ replicas: 1 });
  for (const [name, owned, expected, more] of [
    ["the one on no node", [ownedPod("a"), ownedPod("b", { node: "" })], "delete b", {}],
    ["the one that is not ready", [ownedPod("a"), ownedPod("b", { isReady: false })], "delete b", {}],
    ["the cheaper one", [ownedPod("a", { cost: "10" }), ownedPod("b", { cost: "-1" })], "delete b", {}],
    [
      "not the cheaper one where the cost is not used",
      [ownedPod("a", { cost: "10", readyForS: 10 }), ownedPod("b", { cost: "-1" })],
      "delete a",
      { usesDeletionCost: false },
    ],
    [
      "the one on the node with more related pods",
      [ownedPod("a", { node: "n1" }), ownedPod("b", { node: "n2" })],
      "delete b",
      { related: [pod("a", { node: "n1" }), pod("b", { node: "n2" }), pod("c", { node: "n2" })] },
    ],
    [
      "the newer one",
      [ownedPod("a", { ageS: 90_000, readyForS: 90_000 }), ownedPod("b", { ageS: 60, readyForS: 60 })],
      "delete b",
      {},
    ],
  ] as const) {
    test(name, () => expect(actions({ set: one, owned, ...more })).toEqual([expected]));
  }
});

describe("adoption", () => {
  test("asks for the set first", () => {
    const decide = newDecide({ burst: 500, usesDeletionCost: true });
    const seen = { set: theSet, owned: ownedPods(2), orphans: [pod("o")], relatedPods: () => [] };
    expect(decide(seen, { nowMs, answer: () => undefined })).toMatchObject({
      kind: "ask",
      questions: [liveGet(replicaSets, "shop/web")],
    });
  });

  test.each([
    ["gone", undefined],
    ["another one", { ...theSet, metadata: { ...theSet.metadata, uid: "anew" } }],
    ["being deleted", { ...theSet, metadata: { ...theSet.metadata, deletionTimestamp: printTime(nowMs) } }],
  ])("fails, and neither creates nor counts, when the set is %s", (_name, live) => {
    const plan = planned({ owned: [ownedPod("x", { labels: {} })], orphans: [pod("o")], live });
    expect(actionsOf(plan).map(printAction)).toEqual(["edit pods shop/x"]);
    expect(plan.unfinished?.message).toMatch(/^cannot adopt: /);
    expect(plan.notes).toBeUndefined();
  });
});

test("pods are created in steps of 1, 2, 4 and so on", () => {
  const { steps } = planned({ set: newSet({ replicas: 10 }) });
  expect(steps.filter((step) => step.length > 0).map((step) => step.length)).toEqual([1, 2, 4, 3]);
});

test("a create that is refused because the namespace is being deleted is no failure", () => {
  expect(actionsOf(planned({}))[0]).toMatchObject({ tolerates: ["NamespaceTerminating"] });
});

test("a delete of a pod that is gone, or was made anew, is no failure", () => {
  const [removal] = actionsOf(planned({ set: newSet({ replicas: 0 }), owned: ownedPods(1) }));
  expect(removal).toMatchObject({ type: "delete", tolerates: ["NotFound", "Conflict"] });
});

test("a template without labels makes no pods: the plan is unfinished, and says why", () => {
  const { spec = { selector: {} }, ...rest } = newSet({ replicas: 2 });
  const plan = planned({ set: { ...rest, spec: { ...spec, template: { spec: { containers: [] } } } } });
  expect(actionsOf(plan)).toEqual([]);
  expect(plan.unfinished?.message).toBe("unable to create pods, no labels");
  expect(plan.notes?.unusableTemplate).toBe(plan.unfinished);
});

test("a pod is made of the template, and controlled by the set", () => {
  expect(actionsOf(planned({}))[0]).toMatchObject({
    type: "create",
    object: {
      metadata: {
        namespace: "shop",
        generateName: "web-",
        labels,
        ownerReferences: [
          { kind: "ReplicaSet", name: "web", uid: theSet.metadata.uid, controller: true, blockOwnerDeletion: true },
        ],
      },
    },
  });
});

test("the pods to count are the active ones, and those that are being deleted and still match", () => {
  const owned = [
    ownedPod("a"),
    ownedPod("b", { isTerminating: true }),
    ownedPod("c", { isTerminating: true, labels: {} }),
    ownedPod("d", { phase: "Failed" }),
    ownedPod("e", { phase: "Failed", isTerminating: true }),
  ];
  const { notes } = planned({ owned, orphans: [pod("o")] });
  expect(notes?.active.map(({ metadata }) => metadata.name)).toEqual(["a", "o"]);
  expect(notes?.terminating.map(({ metadata }) => metadata.name)).toEqual(["b"]);
});

describe("the age of ready pods that are deleted is measured", () => {
  const one = newSet({ replicas: 1 });
  const measured = (given: Given) => planned(given).measures?.map(({ value }) => value);
  test("as a multiple of the youngest one's", () => {
    const owned = [
      ownedPod("a", { ageS: 100, cost: "-1" }),
      ownedPod("b", { ageS: 250, cost: "-1" }),
      ownedPod("c", { ageS: 100 }),
    ];
    expect(measured({ set: one, owned })).toEqual([1, 2]);
    expect(planned({ set: one, owned }).measures?.[0]?.metric).toBe(sortingDeletionAgeRatio);
  });
  test("not where there is no choice", () =>
    expect(measured({ set: newSet({ replicas: 0 }), owned: ownedPods(2) })).toEqual([]));
  test("not against a younger one that is not ready", () => {
    const owned = [
      ownedPod("a", { ageS: 100, cost: "-1" }),
      ownedPod("b", { ageS: 50 }),
      ownedPod("c", { ageS: 1, isReady: false, cost: "-9" }),
    ];
    expect(measured({ set: newSet({ replicas: 1 }), owned })).toEqual([2]);
  });
  test("not where the youngest was created this very moment", () => {
    expect(measured({ set: one, owned: [ownedPod("a", { ageS: 0 }), ownedPod("b")] })).toEqual([]);
  });
  test("not for those that are not ready", () => {
    expect(measured({ set: one, owned: [ownedPod("a"), ownedPod("b", { isReady: false })] })).toEqual([]);
  });
});
