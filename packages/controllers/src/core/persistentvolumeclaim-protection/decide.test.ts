import type { corev1 } from "@kubeloop/core/api";
import { type Action, actionsOf, type Decision, liveList } from "@kubeloop/core/contract";
import { persistentVolumeClaims, pods } from "@kubeloop/core/resources";
import { Answers, answered, newObject, newPod, type Overrides, stored, unanswered } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { claimFinalizer, newDecide } from "./decide.ts";

const other = "example.com/other";
const deletionTimestamp = "2030-01-01T00:00:00Z";
const nowMs = Date.parse("2030-05-06T07:08:09Z");
const question = liveList(pods, { namespace: "shop" });
const asks = `ask ${question.id}`;

interface ClaimFacts {
  readonly finalizers?: readonly string[];
  readonly isDeleted?: boolean;
  readonly conditions?: readonly corev1.PersistentVolumeClaimCondition[];
}
const mine = [claimFinalizer];
const newClaim = ({ finalizers = mine, isDeleted = false, conditions }: ClaimFacts = {}) =>
  stored(
    newObject(persistentVolumeClaims, "shop/data", {
      metadata: { finalizers, ...(isDeleted ? { deletionTimestamp } : {}) },
      status: { phase: "Bound", ...(conditions === undefined ? {} : { conditions }) },
    }),
  );
const newUser = (overrides: Overrides<corev1.Pod> = {}, nodeName = "n1", claimName = "data"): corev1.Pod =>
  stored(
    newPod("shop/web", {
      ...overrides,
      spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName } }], nodeName },
    }),
  );
const unscheduled = newUser({}, "");
const failed = newUser({ status: { phase: "Failed" } });
const succeeded = newUser({ status: { phase: "Succeeded" } });
const stranger = newUser({}, "n1", "logs");

interface Around {
  /** In the cache. */
  readonly cached?: readonly corev1.Pod[];
  /** On the server, where that was asked. */
  readonly live?: readonly corev1.Pod[] | Error;
  readonly reportsUnused?: boolean;
}
function decided(facts: ClaimFacts, { cached = [], live, reportsUnused = false }: Around): Decision {
  const answers = new Answers();
  if (live instanceof Error) answers.give(question, unanswered(live));
  else if (live !== undefined) answers.give(question, answered({ items: live, resourceVersion: "9" }));
  const context = { nowMs, answer: ((q) => answers.answer(q)) as Answers["answer"] };
  return newDecide({ reportsUnused })({ claim: newClaim(facts), referring: cached }, context);
}

/** What it does: the finalizers or the condition that it writes, its question, or why it cannot go on. */
function said(facts: ClaimFacts, around: Around = {}): readonly string[] {
  const decision = decided(facts, around);
  if (decision.kind === "ask") return decision.questions.map(({ id }) => `ask ${id}`);
  return decision.unfinished === undefined
    ? actionsOf(decision).map(written)
    : [`unfinished: ${decision.unfinished.message}`];
}
function written(action: Action): string {
  expect(action).toMatchObject({ type: "edit", isLocked: true, tolerates: ["NotFound"] });
  if (action.type !== "edit") return "";
  const { metadata, status } = action.patch as Partial<corev1.PersistentVolumeClaim>;
  if (action.subresource === undefined) {
    expect(Object.keys(metadata ?? {})).toEqual(["finalizers"]);
    return `finalizers: ${(metadata?.finalizers ?? []).join(" ")}`;
  }
  expect([action.subresource, Object.keys(action.patch), Object.keys(status ?? {})]).toEqual([
    "status",
    ["status"],
    ["conditions"],
  ]);
  return (status?.conditions ?? []).map((each) => `${each.type}=${each.status} ${each.reason ?? ""}`).join(", ");
}

describe("a claim that is not being deleted", () => {
  test.each<[string, ClaimFacts, Around, readonly string[]]>([
    ["without finalizers gets the finalizer", { finalizers: [] }, {}, [`finalizers: ${claimFinalizer}`]],
    ["with another one gets it at the end", { finalizers: [other] }, {}, [`finalizers: ${other} ${claimFinalizer}`]],
    ["gets it while a pod uses it", { finalizers: [] }, { cached: [newUser()] }, [`finalizers: ${claimFinalizer}`]],
    ["with the finalizer is left alone", {}, {}, []],
    ["with both is left alone", { finalizers: [claimFinalizer, other] }, {}, []],
    ["that no pod uses gets no condition", {}, { live: [] }, []],
  ])("%s", (_fact, facts, around, expected) => expect(said(facts, around)).toEqual(expected));
});

describe("a claim that is being deleted", () => {
  const away = new Error("the server is away");
  test.each<[string, Around, readonly string[]]>([
    ["is kept for a pod in the cache, and nobody is asked", { cached: [newUser()] }, []],
    ["is kept for a pod that has failed", { cached: [failed] }, []],
    ["is kept for a pod that has succeeded", { cached: [succeeded] }, []],
    ["is kept for one of several pods", { cached: [unscheduled, newUser()] }, []],
    ["is asked about where the cache has no pod", {}, [asks]],
    ["is asked about where the pod has no node", { cached: [unscheduled] }, [asks]],
    ["is let go where the server has no pod either", { live: [] }, ["finalizers: "]],
    ["is let go where the pod has no node", { cached: [unscheduled], live: [unscheduled] }, ["finalizers: "]],
    ["is let go where pods use other claims", { live: [stranger] }, ["finalizers: "]],
    ["is kept for a pod that only the server has", { live: [stranger, newUser()] }, []],
    ["is kept for a pod that got its node meanwhile", { cached: [unscheduled], live: [newUser()] }, []],
    ["is kept where the server cannot say", { live: away }, ["unfinished: the server is away"]],
  ])("%s", (_fact, around, expected) => {
    expect(said({ isDeleted: true }, around)).toEqual(expected);
    // The condition plays no part.
    expect(said({ isDeleted: true }, { ...around, reportsUnused: true })).toEqual(expected);
  });

  test.each<[string, ClaimFacts, readonly string[]]>([
    ["keeps other finalizers", { finalizers: [other, claimFinalizer] }, [`finalizers: ${other}`]],
    ["without the finalizer is left alone", { finalizers: [other] }, []],
    ["without any does not get it", { finalizers: [] }, []],
    ["keeps its condition", { conditions: [{ type: "Unused", status: "True" }] }, ["finalizers: "]],
  ])("%s", (_fact, facts, expected) => {
    expect(said({ ...facts, isDeleted: true }, { live: [] })).toEqual(expected);
    expect(said({ ...facts, isDeleted: true }, { live: [], reportsUnused: true })).toEqual(expected);
  });
});

describe("the condition Unused", () => {
  const unused = "Unused=True NoPodsUsingPVC";
  const used = "Unused=False PodUsingPVC";
  const resizing = { type: "Resizing", status: "True", reason: "Growing" };
  const its = (status: string) => ({ type: "Unused", status, reason: "Before" });
  test.each<[string, ClaimFacts, Around, readonly string[]]>([
    ["is asked about where the cache has no pod", {}, {}, [asks]],
    ["is True where there is no pod", {}, { live: [] }, [unused]],
    ["is True where the pod has succeeded", {}, { cached: [succeeded], live: [succeeded] }, [unused]],
    ["is True where the pod has failed", {}, { cached: [failed], live: [failed] }, [unused]],
    ["is True where pods use other claims", {}, { live: [stranger] }, [unused]],
    ["is False where a pod uses the claim, and nobody is asked", {}, { cached: [newUser()] }, [used]],
    ["is False where a pod waits for a node", {}, { cached: [unscheduled] }, [used]],
    ["is False where only the server has the pod", {}, { live: [newUser()] }, [used]],
    ["becomes False when a pod comes", { conditions: [its("True")] }, { cached: [newUser()] }, [used]],
    ["becomes True when the pod goes", { conditions: [its("False")] }, { live: [] }, [unused]],
    ["becomes True where it was unknown", { conditions: [its("Unknown")] }, { live: [] }, [unused]],
    ["stays True", { conditions: [its("True")] }, { live: [] }, []],
    ["stays False", { conditions: [its("False")] }, { cached: [newUser()] }, []],
    ["stays unknown while a pod uses the claim", { conditions: [its("Unknown")] }, { cached: [newUser()] }, []],
    ["comes after others", { conditions: [resizing] }, { live: [] }, [`Resizing=True Growing, ${unused}`]],
    ["keeps its place", { conditions: [its("False"), resizing] }, { live: [] }, [`${unused}, Resizing=True Growing`]],
    ["is written before the finalizer", { finalizers: [] }, { cached: [newUser()] }, [used]],
    [
      "lets the finalizer be written once it is there",
      { finalizers: [], conditions: [its("False")] },
      { cached: [newUser()] },
      [`finalizers: ${claimFinalizer}`],
    ],
    ["waits where the server cannot say", {}, { live: new Error("away") }, ["unfinished: away"]],
  ])("%s", (_fact, facts, around, expected) => {
    expect(said(facts, { ...around, reportsUnused: true })).toEqual(expected);
  });

  test("says since when, and in whose words", () => {
    const decision = decided({}, { live: [], reportsUnused: true });
    const [action] = decision.kind === "plan" ? actionsOf(decision) : [];
    expect(action?.type === "edit" && action.patch).toEqual({
      status: {
        conditions: [
          {
            type: "Unused",
            status: "True",
            reason: "NoPodsUsingPVC",
            message: "No pods are currently referencing this PVC",
            lastTransitionTime: "2030-05-06T07:08:09Z",
          },
        ],
      },
    });
  });
});
