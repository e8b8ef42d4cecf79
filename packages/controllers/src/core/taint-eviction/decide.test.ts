import type { corev1 } from "@kubeloop/core/api";
import { actionsOf, type DecideContext, type Decision, liveGet, type Plan } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { Answers, answered, newPod, outcomeOf, stored, unanswered } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { decideNode, type EvictionNotes, learn, newDecide, report } from "./decide.ts";
import { type Eviction, Evictions } from "./model.ts";
import type { Observed } from "./observe.ts";

const nowMs = Date.parse("2030-01-01T12:00:00Z");
const key = "shop/web";
const taint = (name: string, value?: string): corev1.Taint => ({
  key: name,
  effect: "NoExecute",
  ...(value === undefined ? {} : { value }),
});
const tolerate = (name: string, seconds?: number): corev1.Toleration => ({
  key: name,
  operator: "Exists",
  ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
});
const podOf = (tolerations: readonly corev1.Toleration[] = [], overrides: object = {}) =>
  stored(newPod(key, { spec: { nodeName: "n", tolerations: [...tolerations] }, ...overrides }));
const { uid } = podOf().metadata;
const pending = (inSeconds: number, isAnnounced = false): Eviction => ({
  uid,
  atMs: nowMs + inSeconds * 1000,
  isAnnounced,
});

const decide = newDecide({ comparisonOperators: false });
const seen = (observed: Partial<Observed>): Observed => ({
  key,
  pod: podOf(),
  taints: [],
  eviction: undefined,
  ...observed,
});
const isPlan = (decision: Decision<EvictionNotes> | Plan<undefined>): decision is Plan<EvictionNotes> =>
  decision.kind === "plan";
const contextOf = (live: corev1.Pod | Error | undefined): DecideContext => {
  const answers = new Answers().give(liveGet(pods, key), live instanceof Error ? unanswered(live) : answered(live));
  return { nowMs, answer: (question) => answers.answer(question) };
};
/** A live read finds what was observed, unless said otherwise. */
function planOf(observed: Observed, { live = observed.pod, using = decide }: Reading = {}): Plan<EvictionNotes> {
  const decision = using(observed, contextOf(live === "gone" ? undefined : live));
  if (!isPlan(decision)) throw new Error("the plan asks for more");
  return decision;
}
interface Reading {
  readonly live?: corev1.Pod | Error | "gone" | undefined;
  readonly using?: typeof decide;
}
/** What is done, in words, and when it is looked at again. */
function decided(observed: Partial<Observed>, reading?: Reading) {
  const plan = planOf(seen(observed), reading);
  const does = actionsOf(plan).map((action) => {
    if (action.type === "event") return action.message.replace(` Pod ${key}`, "");
    return action.type;
  });
  return [does, plan.requeueAfterMs === undefined ? undefined : plan.requeueAfterMs / 1000];
}
const [marking, cancelling] = ["Marking for deletion", "Cancelling deletion of"];
const evicted = [[marking, "patch", "delete"], undefined];
const stays = [[], undefined];

describe("a pod", () => {
  test.each<[string, readonly corev1.Toleration[], readonly corev1.Taint[], unknown]>([
    ["stays without taints", [], [], stays],
    ["is evicted where it tolerates nothing", [], [taint("a")], evicted],
    ["is evicted where it tolerates another", [tolerate("b")], [taint("a")], evicted],
    ["is evicted where it tolerates one of two", [tolerate("a")], [taint("a"), taint("b")], evicted],
    ["stays where it tolerates for ever", [tolerate("a")], [taint("a")], stays],
    ["stays where it tolerates everything", [{ operator: "Exists" }], [taint("a"), taint("b")], stays],
    ["stays for its time", [tolerate("a", 60)], [taint("a")], [[], 60]],
    ["stays for the shortest time", [tolerate("a", 60), tolerate("b", 30)], [taint("a"), taint("b")], [[], 30]],
    [
      "stays for the time, where the other is for ever",
      [tolerate("a"), tolerate("b", 30)],
      [taint("a"), taint("b")],
      [[], 30],
    ],
    [
      "stays for ever, where the time is of a toleration that it does not use",
      [tolerate("a"), tolerate("b", 30)],
      [taint("a")],
      stays,
    ],
    ["uses the first toleration that fits", [tolerate("a", 60), tolerate("a", 30)], [taint("a")], [[], 60]],
    ["is evicted at once, where the time is zero", [tolerate("a", 0)], [taint("a")], evicted],
    ["is evicted at once, where the time is less than that", [tolerate("a", -1)], [taint("a")], evicted],
    [
      "is evicted at once, where one of the times is zero",
      [tolerate("a", 60), tolerate("b", 0)],
      [taint("a"), taint("b")],
      evicted,
    ],
    ["is evicted, where the value is another one", [{ key: "a", value: "x" }], [taint("a", "y")], evicted],
    ["stays, where the value is the same", [{ key: "a", value: "y" }], [taint("a", "y")], stays],
    [
      "is evicted, where the toleration is of another effect",
      [{ ...tolerate("a"), effect: "NoSchedule" }],
      [taint("a")],
      evicted,
    ],
  ])("%s", (_fact, tolerations, taints, expected) => {
    expect(decided({ pod: podOf(tolerations), taints })).toEqual(expected);
  });

  test("may compare numbers where the gate is on", () => {
    const above = { taints: [taint("a", "7")], pod: podOf([{ key: "a", operator: "Gt", value: "5" }]) };
    expect(decided(above)).toEqual(evicted);
    expect(decided(above, { using: newDecide({ comparisonOperators: true }) })).toEqual(stays);
  });
});

describe("an eviction that waits", () => {
  const tolerant = podOf([tolerate("a", 60), tolerate("b", 5), tolerate("c")]);
  test.each<[string, Partial<Observed>, unknown]>([
    ["goes on", { taints: [taint("a")], eviction: pending(20) }, [[], 20]],
    ["goes on where another taint leaves less time", { taints: [taint("b")], eviction: pending(20) }, [[], 20]],
    ["goes on where another taint leaves more time", { taints: [taint("a")], eviction: pending(2) }, [[], 2]],
    ["is due", { taints: [taint("a")], eviction: pending(0) }, evicted],
    ["was due a while ago", { taints: [taint("a")], eviction: pending(-9) }, evicted],
    ["is cancelled where the taints are gone", { taints: [], eviction: pending(20) }, [[cancelling], undefined]],
    [
      "is cancelled where they are tolerated for ever",
      { taints: [taint("c")], eviction: pending(20) },
      [[cancelling], undefined],
    ],
    [
      "is cancelled where the pod is gone",
      { pod: undefined, taints: undefined, eviction: pending(20) },
      [[cancelling], undefined],
    ],
    [
      "becomes one at once where a taint is not tolerated",
      { taints: [taint("x")], eviction: pending(20) },
      [[cancelling, marking, "patch", "delete"], undefined],
    ],
    ["goes on where the node is gone", { taints: undefined, eviction: pending(20) }, [[], 20]],
    ["is due although the node is gone", { taints: undefined, eviction: pending(0) }, evicted],
    [
      "is tried again without another event",
      { taints: [taint("a")], eviction: pending(-1, true) },
      [["patch", "delete"], undefined],
    ],
    [
      "that failed is forgotten without an event where the taints are gone",
      { taints: [], eviction: pending(-1, true) },
      stays,
    ],
    ["is another pod's", { taints: [taint("a")], eviction: { ...pending(20), uid: "former" } }, [[cancelling], 60]],
  ])("%s", (_fact, observed, expected) => {
    expect(decided({ pod: tolerant, ...observed })).toEqual(expected);
  });

  test.each<[string, Eviction | undefined, unknown]>([
    ["is told of, and marked", undefined, [[marking, "patch"], undefined]],
    ["is told of, and marked, when it is due", pending(0), [[marking, "patch"], undefined]],
    ["is marked, where it was told of", pending(-1, true), [["patch"], undefined]],
  ])("of a pod that is being deleted %s", (_fact, eviction, expected) => {
    const pod = podOf([], { metadata: { deletionTimestamp: "2030-01-01T11:00:00Z" } });
    expect(decided({ pod, taints: [taint("a")], eviction })).toEqual(expected);
  });

  test("of a pod without a node that is known: nothing waits", () => {
    expect(decided({ taints: undefined })).toEqual(stays);
  });
});

describe("what is written", () => {
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    observedGeneration: 1,
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
  };
  test("is the condition of the pod that was seen, then its deletion", () => {
    const actions = actionsOf(planOf(seen({ taints: [taint("a")] })));
    const body = { status: { conditions: [{ ...condition, lastTransitionTime: "2030-01-01T12:00:00Z" }] } };
    expect(actions.slice(1)).toMatchObject([
      { subresource: "status", patch: { type: "strategic", body }, preconditions: { uid }, tolerates: ["NotFound"] },
      { key, options: { preconditions: { uid } }, tolerates: ["NotFound", "Conflict"] },
    ]);
    expect(actions[2]).not.toHaveProperty("options.gracePeriodSeconds");
  });
  test("is not the condition where it is there, of an earlier generation, too", () => {
    const pod = podOf([], {
      metadata: { generation: 2 },
      status: { conditions: [{ ...condition, lastTransitionTime: "2030-01-01T11:00:00Z" }] },
    });
    expect(decided({ pod, taints: [taint("a")] })).toEqual([[marking, "delete"], undefined]);
  });
});

describe("the pod is read live before it is marked", () => {
  const ready: corev1.PodCondition = { type: "Ready", status: "True" };
  const observed = seen({ taints: [taint("a")] });
  test("and not before it is due", () => {
    expect(decide(observed, { nowMs, answer: () => undefined })).toMatchObject({
      kind: "ask",
      questions: [liveGet(pods, key)],
    });
    expect(decide(seen({}), { nowMs, answer: () => undefined }).kind).toBe("plan");
  });
  test("so the condition comes after those that the cache has not seen yet", () => {
    const live = podOf([], { status: { conditions: [ready] } });
    expect(actionsOf(planOf(observed, { live }))[1]).toMatchObject({
      patch: {
        body: { status: { "$setElementOrder/conditions": [{ type: "Ready" }, { type: "DisruptionTarget" }] } },
      },
      preconditions: { uid },
    });
  });
  test("one that is gone is told of, and its deletion tolerates that", () => {
    expect(actionsOf(planOf(observed, { live: "gone" })).map(({ type }) => type)).toEqual(["event", "patch", "delete"]);
  });
  test("one that is made anew under the same name is neither marked nor deleted", () => {
    const live = podOf([], { metadata: { uid: "another" } });
    expect(actionsOf(planOf(observed, { live })).slice(1)).toMatchObject([
      { preconditions: { uid } },
      { options: { preconditions: { uid } } },
    ]);
  });
  test("one that cannot be read is tried again", () => {
    const error = new Error("no answer");
    expect(planOf(observed, { live: error })).toMatchObject({ unfinished: error, steps: [] });
  });
});

describe("what is remembered", () => {
  const run = (observed: Observed, isRefused = false) => {
    const model = new Evictions();
    if (observed.eviction !== undefined) model.byPod.set(key, observed.eviction);
    const plan = planOf(observed);
    const outcome = isRefused ? outcomeOf(plan, () => ({ status: "failed", error: new Error("no") })) : outcomeOf(plan);
    learn(model, observed, { nowMs, answer: () => undefined, outcome });
    const measures = report(observed, outcome, { answer: () => undefined, nowMs: nowMs + 250 })?.measures ?? [];
    return { left: model.byPod.get(key), measured: measures.map(({ value }) => value) };
  };
  const tolerant = podOf([tolerate("a", 60)]);
  test.each<[string, Observed, boolean, Eviction | undefined, readonly number[]]>([
    ["when it is due", seen({ pod: tolerant, taints: [taint("a")] }), false, pending(60), []],
    ["nothing of a pod that stays", seen({}), false, undefined, []],
    ["nothing after a cancellation", seen({ eviction: pending(9) }), false, undefined, []],
    [
      "nothing of a pod that is gone",
      seen({ pod: undefined, taints: undefined, eviction: pending(9) }),
      false,
      undefined,
      [],
    ],
    ["nothing after the eviction, which is counted", seen({ taints: [taint("a")] }), false, undefined, [1, 0.25]],
    ["how late it was", seen({ taints: [taint("a")], eviction: pending(-2) }), false, undefined, [1, 2.25]],
    [
      "that it was announced, after an eviction that failed",
      seen({ taints: [taint("a")] }),
      true,
      pending(0, true),
      [],
    ],
  ])("%s", (_fact, observed, isRefused, left, measured) => {
    expect(run(observed, isRefused)).toEqual({ left, measured });
  });
});

test("a node whose taints change wakes its pods", () => {
  expect(decideNode(["shop/a", "shop/b"]).wakes).toEqual([
    { queue: "pods", key: "shop/a" },
    { queue: "pods", key: "shop/b" },
  ]);
});
