import { type corev1, printTime } from "@kubeloop/core/api";
import { actionsOf, type Decision, liveGet, type Measurement, type Plan } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { Answers, answered, newNode, newPod, outcomeOf, stored, unanswered } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { type Collected, deletedPods, failedDeletions, newDecide } from "./decide.ts";
import type { MissingNode, Observed, TerminatingPod } from "./observe.ts";
import { report } from "./report.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const ago = (seconds: number) => printTime(nowMs - seconds * 1000);

interface PodFacts {
  readonly phase?: string | undefined;
  readonly reason?: string;
  readonly ageS?: number;
  readonly node?: string;
  readonly isDeleted?: boolean;
  /** Of its deletion. */
  readonly grace?: number;
  readonly conditions?: readonly corev1.PodCondition[];
}
function pod(name: string, facts: PodFacts = {}): corev1.Pod {
  const { reason, ageS = 100, node = "", isDeleted = false, grace = 30, conditions = [] } = facts;
  const phase = "phase" in facts ? facts.phase : "Running";
  const deletion = isDeleted ? { deletionTimestamp: ago(1), deletionGracePeriodSeconds: grace } : {};
  return stored(
    newPod(`shop/${name}`, {
      metadata: { uid: `uid-${name}`, generation: 3, creationTimestamp: ago(ageS), ...deletion },
      spec: { nodeName: node },
      status: { ...(phase === undefined ? {} : { phase }), ...(reason === undefined ? {} : { reason }), conditions },
    }),
  );
}
const node = (isReady: boolean | undefined, ...taints: readonly string[]): corev1.Node =>
  stored(
    newNode("n", {
      spec: { taints: taints.map((key) => ({ key, effect: "NoExecute" })) },
      status: { conditions: isReady === undefined ? [] : [{ type: "Ready", status: isReady ? "True" : "False" }] },
    }),
  );
const taint = "node.kubernetes.io/out-of-service";
const broken = node(false, taint);
const deleted = (name: string, facts: PodFacts, on: corev1.Node | undefined): TerminatingPod => ({
  pod: pod(name, { isDeleted: true, ...facts }),
  node: on,
});
const missing = (missingS: number, ...some: readonly corev1.Pod[]): MissingNode => ({
  name: "gone",
  sinceMs: nowMs - missingS * 1000,
  pods: some,
});

interface Given extends Partial<Observed> {
  readonly threshold?: number;
  /** What a live read of the missing node finds; nothing unless given. */
  readonly live?: corev1.Node | Error;
}

function decided({ threshold = 0, live, ended = [], terminating = [], missing = [] }: Given): {
  readonly plan: Plan<Collected>;
  readonly asked: readonly string[];
} {
  const decide = newDecide({ terminatedThreshold: threshold, quarantineMs: 40_000 });
  const answers = new Answers();
  const asked: string[] = [];
  for (let round = 0; round < 3; round++) {
    const decision: Decision<Collected> = decide(
      { ended, terminating, missing },
      { nowMs, answer: (question) => answers.answer(question) },
    );
    if (decision.kind === "plan") return { plan: decision, asked };
    for (const question of decision.questions) {
      asked.push(question.id);
      answers.give(question, live instanceof Error ? unanswered(live) : answered(live));
    }
  }
  throw new Error("it asks for ever");
}

/** "fail a", "disrupt a", "delete a": in their order. */
const actions = (given: Given) =>
  actionsOf(decided(given).plan).map((action) => {
    if (action.type === "delete") return `delete ${action.key.slice("shop/".length)}`;
    if (action.type !== "patch" || action.patch.type !== "strategic") throw new Error(`${action.type} is not expected`);
    const { status } = action.patch.body as { readonly status: corev1.PodStatus };
    return `${status.conditions === undefined ? "fail" : "disrupt"} ${action.key.slice("shop/".length)}`;
  });
const succeeded = (name: string, facts: PodFacts = {}) => pod(name, { phase: "Succeeded", ...facts });
const failed = (name: string, facts: PodFacts = {}) => pod(name, { phase: "Failed", ...facts });
const evicted = (name: string, facts: PodFacts = {}) => failed(name, { reason: "Evicted", ...facts });
const forced = { isDeleted: true, grace: 0 };

describe("of pods that have ended", () => {
  const [a, b, c] = [failed("a", { ageS: 30 }), succeeded("b", { ageS: 20 }), failed("c", { ageS: 10 })];
  for (const [name, threshold, ended, expected] of [
    ["the oldest go, where there are too many", 1, [a, b, c], ["delete a", "delete b"]],
    ["the oldest go, whatever their order was", 1, [c, a, b], ["delete a", "delete b"]],
    ["all stay where the threshold is 0", 0, [a, b, c], []],
    ["all stay where the threshold is below 0", -1, [a, b, c], []],
    ["all stay where there are as many as may be", 3, [a, b, c], []],
    ["all stay where there are fewer", 5, [a, b, c], []],
    ["evicted ones go first", 2, [a, b, evicted("d", { ageS: 1 })], ["delete d"]],
    ["evicted ones go first, then the oldest", 1, [a, b, evicted("d", { ageS: 1 })], ["delete d", "delete a"]],
    ["the oldest evicted one goes first", 1, [evicted("d", { ageS: 1 }), evicted("e", { ageS: 2 })], ["delete e"]],
    ["a reason alone is no eviction", 1, [a, succeeded("d", { ageS: 1, reason: "Evicted" })], ["delete a"]],
    ["of the same age the first by name goes", 1, [succeeded("y"), succeeded("x")], ["delete x"]],
    [
      "those that are deleted without grace are not deleted again, but count",
      1,
      [failed("a", { ageS: 30, ...forced }), b, c],
      ["delete b"],
    ],
    [
      "those that are deleted with grace are deleted at once",
      1,
      [failed("a", { ageS: 30, isDeleted: true }), b],
      ["delete a"],
    ],
  ] satisfies readonly (readonly [string, number, readonly corev1.Pod[], readonly string[]])[]) {
    test(name, () => expect(actions({ threshold, ended })).toEqual(expected));
  }
});

describe("of pods that are being deleted", () => {
  for (const [name, terminating, expected] of [
    [
      "one on a node out of service has failed, and goes",
      [deleted("a", { node: "n" }, broken)],
      ["fail a", "delete a"],
    ],
    ["one that has ended there goes as it is", [deleted("a", { node: "n", phase: "Succeeded" }, broken)], ["delete a"]],
    [
      "one that is Pending there has failed, and goes",
      [deleted("a", { node: "n", phase: "Pending" }, broken)],
      ["fail a", "delete a"],
    ],
    [
      "one on a node that never said it was ready counts so",
      [deleted("a", { node: "n" }, node(undefined, taint))],
      ["fail a", "delete a"],
    ],
    ["one on a node that is ready stays, tainted or not", [deleted("a", { node: "n" }, node(true, taint))], []],
    ["one on a node that is not ready stays without the taint", [deleted("a", { node: "n" }, node(false))], []],
    ["one stays with another taint", [deleted("a", { node: "n" }, node(false, "node.kubernetes.io/unreachable"))], []],
    ["one on a node that is not known is not out of service", [deleted("a", { node: "n" }, undefined)], []],
    [
      "one without a node has failed, and goes",
      [deleted("a", { phase: "Pending" }, undefined)],
      ["fail a", "delete a"],
    ],
    ["one without a node that has ended goes as it is", [deleted("a", { phase: "Failed" }, undefined)], ["delete a"]],
    ["one that only a finalizer holds has failed", [deleted("a", { grace: 0 }, undefined)], ["fail a"]],
    [
      "one that has failed and only a finalizer holds is left",
      [deleted("a", { phase: "Failed", grace: 0 }, undefined)],
      [],
    ],
    [
      "one whose phase is not known has failed, and goes",
      [deleted("a", { phase: undefined }, undefined)],
      ["fail a", "delete a"],
    ],
  ] satisfies readonly (readonly [string, readonly TerminatingPod[], readonly string[]])[]) {
    test(name, () => expect(actions({ terminating })).toEqual(expected));
  }
});

describe("of pods on a node that is missing", () => {
  for (const [name, given, expected] of [
    [
      "all go after 40 s",
      { missing: [missing(40, pod("a"), pod("b"))] },
      ["disrupt a", "delete a", "disrupt b", "delete b"],
    ],
    ["none go before", { missing: [missing(39.999, pod("a"))] }, []],
    [
      "those that have ended go as they are",
      { missing: [missing(60, succeeded("a"), failed("b"))] },
      ["delete a", "delete b"],
    ],
    ["none go if the server has the node", { missing: [missing(60, pod("a"))], live: node(true) }, []],
    ["none go if the server does not say", { missing: [missing(60, pod("a"))], live: new Error("down") }, []],
    [
      "one that is being deleted goes at once",
      { missing: [missing(60, pod("a", { isDeleted: true }))] },
      ["disrupt a", "delete a"],
    ],
    ["one that only a finalizer holds has failed", { missing: [missing(60, pod("a", forced))] }, ["disrupt a"]],
  ] satisfies readonly (readonly [string, Given, readonly string[]])[]) {
    test(name, () => expect(actions(given)).toEqual(expected));
  }

  test("the server is asked for a node when its quarantine is over, and not before", () => {
    expect(decided({ missing: [missing(39, pod("a"))] }).asked).toEqual([]);
    expect(decided({ missing: [missing(40, pod("a"))] }).asked).toEqual([liveGet(nodes, "gone").id]);
  });

  test("the server is not asked when there is nothing left to do there", () => {
    expect(decided({ missing: [missing(60, failed("a", forced))] }).asked).toEqual([]);
  });
});

test("a pod for which there are several reasons is taken once, for the first", () => {
  const both = pod("a", { phase: "Failed", isDeleted: true, node: "" });
  const { plan } = decided({
    threshold: 1,
    ended: [both, succeeded("b", { ageS: 1 })],
    terminating: [{ pod: both, node: undefined }],
  });
  expect(actionsOf(plan)).toHaveLength(1);
  expect(counted(plan.measures)).toEqual(["shop terminated"]);
});

const counted = (measures: readonly Measurement[] | undefined) =>
  (measures ?? []).map(({ labels: { namespace, reason } }) => `${namespace} ${reason}`);

describe("what is written", () => {
  const given = { missing: [missing(60, pod("a"))] };
  const [mark, removal] = actionsOf(decided(given).plan);

  test("first the status, bound to the pod and to no version", () => {
    expect(mark).toMatchObject({
      subresource: "status",
      preconditions: { uid: "uid-a" },
      tolerates: ["NotFound"],
      patch: {
        type: "strategic",
        body: {
          status: {
            phase: "Failed",
            observedGeneration: 3,
            conditions: [
              {
                type: "DisruptionTarget",
                status: "True",
                observedGeneration: 3,
                reason: "DeletionByPodGC",
                message: "PodGC: node no longer exists",
                lastTransitionTime: printTime(nowMs),
              },
            ],
          },
        },
      },
    });
  });

  test("then the deletion of that pod, without grace", () => {
    expect(removal).toMatchObject({
      options: { gracePeriodSeconds: 0, preconditions: { uid: "uid-a" } },
      tolerates: ["NotFound", "Conflict"],
    });
    expect(decided(given).plan.steps).toMatchObject([[{ type: "chain" }]]);
  });

  test("a condition that was True keeps its time", () => {
    const conditions = [{ type: "DisruptionTarget", status: "True", reason: "Preempted", lastTransitionTime: ago(9) }];
    const [action] = actionsOf(decided({ missing: [missing(60, pod("a", { conditions }))] }).plan);
    expect(JSON.stringify(action)).not.toContain('lastTransitionTime":"2024-05-01T12:00:00Z');
    expect(action).toMatchObject({ patch: { body: { status: { conditions: [{ reason: "DeletionByPodGC" }] } } } });
  });

  test("a condition that was False gets a new time", () => {
    const conditions = [{ type: "DisruptionTarget", status: "False", lastTransitionTime: ago(9) }];
    const [action] = actionsOf(decided({ missing: [missing(60, pod("a", { conditions }))] }).plan);
    expect(action).toMatchObject({
      patch: { body: { status: { conditions: [{ lastTransitionTime: printTime(nowMs) }] } } },
    });
  });
});

describe("metrics", () => {
  const given: Given = {
    threshold: 1,
    ended: [succeeded("a"), succeeded("b")],
    terminating: [deleted("c", { node: "n" }, broken), deleted("d", {}, undefined)],
    missing: [missing(60, pod("e"), pod("f"))],
  };

  test("every pod that is deleted is counted, by namespace and reason", () => {
    const { plan } = decided(given);
    expect(plan.measures?.every(({ metric }) => metric === deletedPods)).toBe(true);
    expect(counted(plan.measures)).toEqual([
      "shop terminated",
      "shop out-of-service",
      "shop orphaned",
      "shop orphaned",
      "shop unscheduled",
    ]);
  });

  test("every pod that could not be marked or deleted is counted once", () => {
    const { plan } = decided(given);
    const outcome = outcomeOf(plan, (action) => {
      if (action.type === "patch") return { status: "failed", error: new Error("no") };
      return action.type === "delete" && action.key === "shop/a"
        ? { status: "failed", error: new Error("no") }
        : { status: "skipped" };
    });
    const told = report({ ended: [], terminating: [], missing: [] }, outcome);
    expect(told?.measures?.every(({ metric }) => metric === failedDeletions)).toBe(true);
    expect(counted(told?.measures)).toEqual([
      "shop terminated",
      "shop out-of-service",
      "shop orphaned",
      "shop orphaned",
      "shop unscheduled",
    ]);
  });

  test("what went well is no failure", () => {
    expect(report({ ended: [], terminating: [], missing: [] }, outcomeOf(decided(given).plan))).toBeUndefined();
  });

  test("a pod about which nothing is done is not counted", () => {
    const settled = failed("a", { ageS: 200, ...forced });
    const given = { threshold: 1, ended: [settled, succeeded("b")], terminating: [{ pod: settled, node: undefined }] };
    expect(counted(decided(given).plan.measures)).toEqual([]);
  });

  test("they have upstream's names", () => {
    expect([deletedPods.definition.name, failedDeletions.definition.name]).toEqual([
      "pod_gc_collector_force_delete_pods_total",
      "pod_gc_collector_force_delete_pod_errors_total",
    ]);
  });
});
