import { type corev1, type KubernetesObject, keyOf, type policyv1, type Resource } from "@kubeloop/core/api";
import {
  type Answer,
  actionsOf,
  discover,
  liveGetSubresource,
  type Question,
  type Served,
} from "@kubeloop/core/contract";
import {
  configMaps,
  deployments,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kubeloop/core/resources";
import {
  Answers,
  answered,
  finishDecision,
  newObject,
  outcomeOf,
  ownedBy,
  stored,
  unanswered,
  type World,
} from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import {
  newBudget,
  newServed,
  nowMs,
  ownerOf,
  podOf,
  secondsAgo,
  served,
  snapshotOf,
  widgets,
} from "./budget.fixture.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";

interface Decided {
  readonly status?: Partial<policyv1.PodDisruptionBudgetStatus> | undefined;
  readonly events: readonly string[];
  readonly failure?: string | undefined;
  readonly unfinished?: string | undefined;
  readonly asks?: readonly string[];
  readonly wakes?: unknown;
}

function decided(budget: policyv1.PodDisruptionBudget, world: World, answers = new Answers()): Decided {
  const seen = observe(keyOf(budget), {
    snapshot: snapshotOf([podDisruptionBudgets, [budget]], ...world),
    model: undefined,
    nowMs,
  });
  if (seen === undefined) throw new Error("nothing observed");
  const answer = <A>(question: Question<A>): Answer<A> | undefined => answers.answer(question);
  const decision = finishDecision(decide(seen, { nowMs, answer }));
  if (decision.kind === "ask") return { events: [], asks: decision.questions.map(({ id }) => id) };
  const actions = actionsOf(decision);
  const edit = actions.find(({ type }) => type === "edit");
  const events = actions.flatMap((action) =>
    action.type === "event" ? [`${action.eventType} ${action.reason}: ${action.message}`] : [],
  );
  return {
    status: edit && (outcomeOf(decision).valueOf(edit) as policyv1.PodDisruptionBudget).status,
    events,
    failure: decision.notes?.failure?.message,
    unfinished: decision.unfinished?.message,
    wakes: decision.wakes,
  };
}

const of = (names: readonly string[], owner?: KubernetesObject, isReady = true) =>
  names.map((name) => podOf(name, { isReady, ...(owner === undefined ? {} : { owner }) }));
const controller = ownerOf(replicationControllers, "rc", 10);
const set = ownerOf(replicaSets, "rs", 7);
const stateful = ownerOf(statefulSets, "db", 3);
const deployment = ownerOf(deployments, "web", 4);
const oldSet = ownerOf(replicaSets, "web-old", 3, deployment);
const newSet = ownerOf(replicaSets, "web-new", 2, deployment);
const owners: World = [
  [replicationControllers, [controller]],
  [replicaSets, [set, oldSet, newSet]],
  [statefulSets, [stateful]],
  [deployments, [deployment]],
];
const allowed = (currentHealthy: number, desiredHealthy: number, expectedPods: number, disruptionsAllowed: number) => ({
  currentHealthy,
  desiredHealthy,
  expectedPods,
  disruptionsAllowed,
});

describe("what is allowed", () => {
  const rows: readonly [string, policyv1.PodDisruptionBudgetSpec, readonly corev1.Pod[], ReturnType<typeof allowed>][] =
    [
      ["without pods", { minAvailable: 1 }, [], allowed(0, 1, 0, 0)],
      ["without a rule", {}, of(["a"]), allowed(1, 0, 0, 0)],
      ["a number, of lone pods", { minAvailable: 2 }, of(["a", "b", "c"]), allowed(3, 2, 3, 1)],
      [
        "a number, of what is ready",
        { minAvailable: 1 },
        [...of(["a"]), ...of(["b"], undefined, false)],
        allowed(1, 1, 2, 0),
      ],
      ["a number that is more than there are", { minAvailable: 5 }, of(["a"]), allowed(1, 5, 1, 0)],
      ["a number, of owned pods", { minAvailable: 1 }, of(["a", "b"], controller), allowed(2, 1, 2, 1)],
      [
        "of a ReplicationController",
        { minAvailable: "30%" },
        of(["a", "b", "c", "d"], controller),
        allowed(4, 3, 10, 1),
      ],
      ["of a ReplicaSet, rounded up", { minAvailable: "30%" }, of(["a", "b", "c", "d"], set), allowed(4, 3, 7, 1)],
      ["of a StatefulSet", { maxUnavailable: 1 }, of(["db-0", "db-1", "db-2"], stateful), allowed(3, 2, 3, 1)],
      [
        "of the ReplicaSets of a Deployment",
        { maxUnavailable: 1 },
        [...of(["a", "b"], oldSet), ...of(["c", "d"], newSet)],
        allowed(4, 3, 4, 1),
      ],
      [
        "of two controllers",
        { maxUnavailable: "50%" },
        [...of(["a"], set), ...of(["b"], stateful)],
        allowed(2, 5, 10, 0),
      ],
      [
        "a share that may be away, rounded up",
        { maxUnavailable: "30%" },
        of(["a", "b", "c", "d", "e"], set),
        allowed(5, 4, 7, 1),
      ],
      ["more than all may be away", { maxUnavailable: 9 }, of(["a"], set), allowed(1, 0, 7, 1)],
      ["none may be away", { maxUnavailable: 0 }, of(["a"], set), allowed(1, 7, 7, 0)],
      ["all must be there", { minAvailable: "100%" }, of(["a"], set), allowed(1, 7, 7, 0)],
      [
        "maxUnavailable goes before minAvailable",
        { maxUnavailable: 1, minAvailable: 1 },
        of(["a"], stateful),
        allowed(1, 2, 3, 0),
      ],
      [
        "maxUnavailable goes before a share of minAvailable",
        { maxUnavailable: 1, minAvailable: "100%" },
        of(["a"], stateful),
        allowed(1, 2, 3, 0),
      ],
      [
        "of other pods nothing",
        { minAvailable: 1 },
        [podOf("a", { metadata: { labels: { app: "other" } } })],
        allowed(0, 1, 0, 0),
      ],
      [
        "of all pods, with an empty selector",
        { minAvailable: 1, selector: {} },
        [podOf("a", { metadata: { labels: {} } }), podOf("b")],
        allowed(2, 1, 2, 1),
      ],
      [
        "by expressions",
        { minAvailable: 0, selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] } },
        [podOf("a"), podOf("b", { metadata: { labels: {} } })],
        allowed(1, 0, 1, 1),
      ],
      [
        "without those that are being deleted",
        { minAvailable: 1 },
        [
          ...of(["a", "b"]),
          podOf("c", { metadata: { deletionTimestamp: secondsAgo(1), deletionGracePeriodSeconds: 30 } }),
        ],
        allowed(2, 1, 3, 1),
      ],
    ];
  test.each(rows)("%s", (_name, spec, its, expected) => {
    const { status, failure, unfinished } = decided(newBudget(spec), [[pods, its], ...owners]);
    expect(status).toMatchObject({ ...expected, observedGeneration: 3 });
    const isAllowed = expected.disruptionsAllowed > 0;
    expect(status?.conditions).toEqual([
      {
        type: "DisruptionAllowed",
        status: isAllowed ? "True" : "False",
        reason: isAllowed ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration: 3,
        lastTransitionTime: secondsAgo(0),
      },
    ]);
    expect([failure, unfinished]).toEqual([undefined, undefined]);
  });
});

test("pods elsewhere are not its", () => {
  const { status } = decided(newBudget({ minAvailable: 0 }), [
    [pods, [podOf("a", { metadata: { namespace: "other" } })]],
  ]);
  expect(status).toMatchObject(allowed(0, 0, 0, 0));
});

describe("events", () => {
  test("no pods", () => {
    expect(decided(newBudget({ minAvailable: 1 }), []).events).toEqual(["Normal NoPods: No matching pods found"]);
  });
  test("no selector selects no pods", () => {
    const { selector: _none, ...spec } = newBudget({ minAvailable: 1 }).spec ?? {};
    const budget = { ...newBudget({}), spec };
    expect(decided(budget, [[pods, of(["a"])]]).events).toEqual(["Normal NoPods: No matching pods found"]);
  });
  test("lone pods do not count for a share, which is told", () => {
    const { events, status } = decided(newBudget({ maxUnavailable: 1 }), [
      [pods, [...of(["a"]), ...of(["b"], stateful)]],
      ...owners,
    ]);
    expect(status).toMatchObject(allowed(2, 2, 3, 0));
    expect(events).toEqual([
      'Warning UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ]);
  });
  test("a selector is printed as Go prints it", () => {
    const selector = {
      matchLabels: { b: "2", a: "1" },
      matchExpressions: [
        { key: "x", operator: "In", values: ["1", "2"] },
        { key: "y", operator: "DoesNotExist" },
      ],
    };
    const pod = podOf("a", { metadata: { labels: { a: "1", b: "2", x: "1" } } });
    const [event] = decided(newBudget({ maxUnavailable: 1, selector }), [[pods, [pod]]]).events;
    expect(event).toContain(
      "(selector: &LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:x,Operator:In,Values:[1 2],},LabelSelectorRequirement{Key:y,Operator:DoesNotExist,Values:[],},},})",
    );
  });
  test("lone pods count for a number, and nothing is told", () => {
    expect(decided(newBudget({ minAvailable: 1 }), [[pods, of(["a"])]]).events).toEqual([]);
  });
});

describe("a controller that is not cached is asked for its scale", () => {
  const widget = stored(newObject(widgets, "shop/w"));
  const its: World = [[pods, of(["a", "b"], widget)], ...owners];
  const budget = newBudget({ maxUnavailable: 1 });
  const question = liveGetSubresource(
    widgets as Resource<KubernetesObject, { scale: KubernetesObject }>,
    "shop/w",
    "scale",
  );
  const scaleOf = (uid: string, replicas: number) =>
    ({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "w", uid },
      spec: { replicas },
    }) as KubernetesObject;
  const failed = (message: string) => ({
    events: [`Warning CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: ${message}`],
    failure: message,
    status: undefined,
  });

  test("once for all its pods", () => expect(decided(budget, its).asks).toEqual([question.id]));
  test("and counts as it says", () => {
    const answers = new Answers().give(question, answered(scaleOf(widget.metadata.uid ?? "", 5)));
    expect(decided(budget, its, answers).status).toMatchObject(allowed(2, 4, 5, 0));
  });
  test("with the others", () => {
    const answers = new Answers().give(question, answered(scaleOf(widget.metadata.uid ?? "", 1)));
    const both: World = [[pods, [...of(["a"], widget), ...of(["b", "c"], stateful)]], ...owners];
    expect(decided(budget, both, answers).status).toMatchObject(allowed(3, 3, 4, 0));
  });
  test("one that is gone is none", () => {
    const answers = new Answers().give(question, answered(undefined));
    expect(decided(budget, its, answers)).toMatchObject(failed('found no controllers for pod "a"'));
  });
  test("one that was replaced is none", () => {
    const answers = new Answers().give(question, answered(scaleOf("other", 5)));
    expect(decided(budget, its, answers)).toMatchObject(failed('found no controllers for pod "a"'));
  });
  test("an answer that did not come is waited for", () => {
    const answers = new Answers().give(question, unanswered(new Error("timeout")));
    expect(decided(budget, its, answers)).toMatchObject({ ...failed("timeout"), unfinished: "timeout" });
  });
  test("a kind without scale cannot tell", () => {
    const strange: World = [[pods, of(["a"], stored(newObject(configMaps, "shop/c")))]];
    expect(decided(budget, strange)).toMatchObject(failed("configmaps does not implement the scale subresource"));
    const job = stored({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j", namespace: "shop" },
    } as KubernetesObject);
    expect(decided(budget, [[pods, of(["a"], job)]])).toMatchObject(
      failed("jobs.batch does not implement the scale subresource"),
    );
  });
  test("a kind that is not known is looked for once more", () => {
    const gadget = stored({
      apiVersion: "example.com/v1",
      kind: "Gadget",
      metadata: { name: "g", namespace: "shop" },
    } as KubernetesObject);
    const strange: World = [[pods, of(["a"], gadget)]];
    expect(decided(budget, strange).asks).toEqual([discover().id]);
    const known = (what: Served) => new Answers().give(discover(), answered(what));
    expect(decided(budget, strange, known(served))).toMatchObject(
      failed('no matches for kind "Gadget" in version "example.com/v1"'),
    );
    const gadgets: Resource = { ...widgets, kind: "Gadget", plural: "gadgets" };
    expect(decided(budget, strange, known(newServed(gadgets))).asks).toEqual([
      "get example.com/v1/gadgets/scale shop/g",
    ]);
    expect(decided(budget, strange, known(newServed({ ...gadgets, namespaced: false }))).asks).toEqual([
      "get example.com/v1/gadgets/scale g",
    ]);
    const failures = (version: string) => new Map([[version, new Error("no endpoints")]]);
    expect(decided(budget, strange, known({ ...served, failures: failures("example.com/v2") }))).toMatchObject({
      ...failed("no endpoints"),
      unfinished: "no endpoints",
    });
    expect(decided(budget, strange, known({ ...served, failures: failures("other.com/v1") }))).toMatchObject({
      ...failed('no matches for kind "Gadget" in version "example.com/v1"'),
      unfinished: undefined,
    });
    const unknown = new Answers().give(discover(), unanswered(new Error("down")));
    expect(decided(budget, strange, unknown)).toMatchObject({ ...failed("down"), unfinished: "down" });
  });
  test("a cached kind that the cache does not have is asked, too", () => {
    const missing = ownerOf(replicaSets, "missing", 1);
    const replaced = stored(ownedBy({ ...set, metadata: { ...set.metadata, uid: "before" } }, podOf("b")));
    const world: World = [[pods, [...of(["a"], missing), replaced]], ...owners];
    expect(decided(budget, world).asks).toEqual([
      "get apps/v1/replicasets/scale shop/missing",
      "get apps/v1/replicasets/scale shop/rs",
    ]);
  });
});

test("a rule that cannot be read is a failure", () => {
  const { failure, events } = decided(newBudget({ maxUnavailable: "some" }), [[pods, of(["a"], stateful)], ...owners]);
  expect(failure).toContain("invalid value for IntOrString");
  expect(events[0]).toContain(
    "Warning CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: invalid value",
  );
});

test("a selector that cannot be read is a failure, and selects no pods", () => {
  const selector = { matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] };
  const { failure, events, status } = decided(newBudget({ minAvailable: 1, selector }), [[pods, of(["a"])]]);
  expect(status).toBeUndefined();
  expect(failure).toContain("Like");
  expect(events).toEqual([`Warning NoPods: Failed to get pods: ${failure}`]);
});

describe("pods that were evicted", () => {
  const disruptedPods = {
    a: secondsAgo(10),
    b: secondsAgo(119),
    c: secondsAgo(121),
    deleting: secondsAgo(5),
    gone: secondsAgo(5),
  };
  const deleting = podOf("deleting", {
    metadata: { deletionTimestamp: secondsAgo(1), deletionGracePeriodSeconds: 30 },
  });
  const budget = newBudget({ minAvailable: 1 }, { status: { disruptedPods } });
  const now = decided(budget, [[pods, [...of(["a", "b", "c", "d"]), deleting]]]);

  test("are not healthy, until they have not been deleted for two minutes", () => {
    expect(now.status).toMatchObject({
      ...allowed(2, 1, 5, 1),
      disruptedPods: { a: secondsAgo(10), b: secondsAgo(119) },
    });
    expect(Object.keys(now.status?.disruptedPods ?? {}).sort()).toEqual(["a", "b"]);
  });
  test("and this is told, as upstream tells it", () => {
    expect(now.events).toEqual(["Warning NotDeleted: Pod was expected by PDB shop/shop to be deleted but it wasn't"]);
  });
  test("the next look is when the next of them is overdue", () => {
    const next = [{ key: "shop/guard", queue: "recheck", afterMs: 1001 }];
    expect(now.wakes).toEqual(next);
    expect(decided(budget, [[pods, of(["b", "a"])]]).wakes).toEqual(next);
  });
  test("one that is due this very moment is healthy, and still noted", () => {
    const due = newBudget({ minAvailable: 1 }, { status: { disruptedPods: { a: secondsAgo(120) } } });
    const { status, wakes, events } = decided(due, [[pods, of(["a"])]]);
    expect(status).toMatchObject({ ...allowed(1, 1, 1, 0), disruptedPods: { a: secondsAgo(120) } });
    expect(wakes).toEqual([{ key: "shop/guard", queue: "recheck", afterMs: 1 }]);
    expect(events).toEqual([]);
  });
  test("without any there is nothing to wait for", () => {
    expect(decided(newBudget({ minAvailable: 1 }), [[pods, of(["a"])]]).wakes).toEqual([]);
  });
});

describe("the status is written", () => {
  const condition = {
    type: "DisruptionAllowed",
    status: "True",
    reason: "SufficientPods",
    message: "",
    observedGeneration: 3,
    lastTransitionTime: secondsAgo(99),
  };
  const right: Partial<policyv1.PodDisruptionBudgetStatus> = {
    ...allowed(2, 1, 2, 1),
    observedGeneration: 3,
    conditions: [condition],
  };
  const written = (status: Partial<policyv1.PodDisruptionBudgetStatus>) =>
    decided(newBudget({ minAvailable: 1 }, { status }), [[pods, of(["a", "b"])]]).status;
  test("not when it is as it was", () => expect(written(right)).toBeUndefined());
  test("not for a message that somebody added", () => {
    expect(written({ ...right, conditions: [{ ...condition, message: "by hand" }] })).toBeUndefined();
  });
  test.each<[string, Partial<policyv1.PodDisruptionBudgetStatus>]>([
    ["when what is healthy has changed", { currentHealthy: 1 }],
    ["when what is needed has changed", { desiredHealthy: 2 }],
    ["when what is expected has changed", { expectedPods: 1 }],
    ["when what is allowed has changed", { disruptionsAllowed: 0 }],
    ["when the spec has changed", { observedGeneration: 2 }],
    ["when an evicted pod is gone", { disruptedPods: { gone: secondsAgo(1) } }],
    ["when the condition is missing", { conditions: [] }],
    ["when the condition has another reason", { conditions: [{ ...condition, reason: "SyncFailed" }] }],
  ])("%s", (_name, wrong) => {
    const status = written({ ...right, ...wrong });
    expect(status).toMatchObject(allowed(2, 1, 2, 1));
    expect(status?.disruptedPods).toBeUndefined();
  });
  test("with the conditions of others, and the time of the last change", () => {
    const other = { type: "Other", status: "True", reason: "x", message: "y", lastTransitionTime: secondsAgo(5) };
    const status = written({ ...right, currentHealthy: 9, conditions: [other, condition] });
    expect(status?.conditions).toEqual([other, condition]);
  });
});
