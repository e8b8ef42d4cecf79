import { type appsv1, type corev1, newForbidden, newStatusError, printTime } from "@kubeloop/core/api";
import { type Action, actionsOf, create, editObject, type Plan, plan, removeObject } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { newPod, newReplicaSet, outcomeOf, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import type { CountedPods } from "./decide.ts";
import { newReport } from "./report.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const now = printTime(nowMs);
const labels = { app: "web" };
const template = { metadata: { labels: { ...labels, tier: "front" } }, spec: { containers: [] } };
const newSet = (status: Partial<appsv1.ReplicaSetStatus> = {}, spec: Partial<appsv1.ReplicaSetSpec> = {}) => {
  const set = newReplicaSet("shop/web", {
    spec: { replicas: 2, selector: { matchLabels: labels }, template, ...spec },
  });
  return stored({ ...set, metadata: { ...set.metadata, generation: 7 }, status: { replicas: 0, ...status } });
};
const pod = (name: string, readyForS?: number, more: object = {}): corev1.Pod => {
  const lastTransitionTime = printTime(nowMs - (readyForS ?? 0) * 1000);
  const conditions = readyForS === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime }];
  return stored(newPod(`shop/${name}`, { metadata: { labels, ...more }, status: { phase: "Running", conditions } }));
};

interface Given {
  readonly set?: appsv1.ReplicaSet;
  readonly active?: readonly corev1.Pod[];
  readonly terminating?: readonly corev1.Pod[];
  readonly steps?: readonly (readonly Action[])[];
  readonly failing?: Error;
  readonly countsTerminating?: boolean;
  readonly unusableTemplate?: Error;
}

function reported(given: Given): Plan | undefined {
  const {
    set = newSet(),
    active = [],
    terminating = [],
    steps = [],
    failing,
    countsTerminating = true,
    unusableTemplate,
  } = given;
  const decided = plan<CountedPods>("done", steps, { notes: { active, terminating, unusableTemplate } });
  const outcome = outcomeOf(decided, () => (failing === undefined ? undefined : { status: "failed", error: failing }));
  return newReport({ countsTerminating })({ set, owned: [], orphans: [], relatedPods: () => [] }, outcome, {
    nowMs,
    answer: () => undefined,
  });
}

/** As it is when the report's own plan has been carried out; undefined when it writes none. */
function statusOf(given: Given): appsv1.ReplicaSetStatus | undefined {
  const [written] = outcomeOf(reported(given) ?? plan("none", [])).find({ type: "edit" });
  return written?.result.status === "done" ? (written.result.value as appsv1.ReplicaSet).status : undefined;
}

test("it counts active, fully labelled, ready, available and terminating pods, and says which generation it saw", () => {
  const set = newSet({}, { minReadySeconds: 30 });
  const full = { labels: { ...labels, tier: "front" } };
  const active = [pod("a"), pod("b", 10), pod("c", 60), pod("d", 60, full)];
  expect(statusOf({ set, active, terminating: [pod("e")] })).toEqual({
    replicas: 4,
    fullyLabeledReplicas: 1,
    readyReplicas: 3,
    availableReplicas: 2,
    terminatingReplicas: 1,
    observedGeneration: 7,
    conditions: [],
  });
});

test("fields of the status that it does not know stay", () => {
  const newer = { newerField: "kept" } as Partial<appsv1.ReplicaSetStatus>;
  expect(statusOf({ set: newSet(newer), active: [pod("a")] })).toMatchObject({ newerField: "kept", replicas: 1 });
});

test("terminating pods are left out where they are not counted, also what was said of them before", () => {
  expect(statusOf({ set: newSet({ terminatingReplicas: 3 }), countsTerminating: false })).not.toHaveProperty(
    "terminatingReplicas",
  );
});

test("a status that is as it was is not written: a server leaves out most counts that are 0", () => {
  const before = { replicas: 0, terminatingReplicas: 0, observedGeneration: 7 };
  expect(actionsOf(reported({ set: newSet(before) }) ?? plan("none", []))).toEqual([]);
});

test("it looks again when the next pod becomes available", () => {
  const set = newSet({}, { minReadySeconds: 30 });
  expect(reported({ set, active: [pod("a", 10), pod("b", 25)] })?.requeueAfterMs).toBe(5000);
  expect(reported({ set, active: [pod("a", 60)] })?.requeueAfterMs).toBeUndefined();
});

test("events stand in the step of the status: they are recorded if it cannot be written", () => {
  const steps = [[create(pods, newPod("shop/new"))]];
  expect(reported({ steps })?.steps.map((step) => step.length)).toEqual([2]);
});

test("a template that no pod can be made of is a failure", () => {
  const unusableTemplate = new Error("unable to create pods, no labels");
  expect(statusOf({ unusableTemplate })?.conditions).toEqual([
    {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: unusableTemplate.message,
      lastTransitionTime: now,
    },
  ]);
});

describe("a failed", () => {
  const refusal = newForbidden({ group: "", resource: "pods" }, "", { detail: "exceeded quota" });
  const creation = [[create(pods, newPod("shop/new"))]];
  const deletion = [[removeObject(pods, pod("a"))]];
  const terminating = newStatusError({
    code: 403,
    reason: "Forbidden",
    message: "namespace shop is being terminated",
    details: { causes: [{ reason: "NamespaceTerminating", message: "namespace shop is being terminated" }] },
  });
  const quota = refusal.message;
  for (const [name, steps, failing, reason, message, event] of [
    ["create is a condition and an event", creation, refusal, "FailedCreate", quota, `Error creating: ${quota}`],
    [
      "delete is a condition and an event",
      deletion,
      refusal,
      "FailedDelete",
      `unable to delete pods: ${quota}`,
      `Error deleting: ${quota}`,
    ],
    ["create in a namespace that is being deleted is neither", creation, terminating, undefined, "", ""],
  ] as const) {
    test(name, () => {
      const condition = { type: "ReplicaFailure", status: "True", reason, message, lastTransitionTime: now };
      expect(statusOf({ steps, failing })?.conditions ?? []).toEqual(reason === undefined ? [] : [condition]);
      const events = actionsOf(reported({ steps, failing }) ?? plan("none", [])).filter(({ type }) => type === "event");
      expect(events).toMatchObject(reason === undefined ? [] : [{ eventType: "Warning", reason, message: event }]);
    });
  }

  const first = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: "the first",
    lastTransitionTime: printTime(nowMs - 3_600_000),
  };
  test("create leaves what was said first as it is", () => {
    expect(statusOf({ set: newSet({ conditions: [first] }), steps: creation, failing: refusal })?.conditions).toEqual([
      first,
    ]);
  });
  test("delete leaves a failed create that was said first as it is", () => {
    expect(statusOf({ set: newSet({ conditions: [first] }), steps: deletion, failing: refusal })?.conditions).toEqual([
      first,
    ]);
  });
  test("create is forgotten when nothing fails any more", () => {
    expect(statusOf({ set: newSet({ conditions: [first] }), steps: creation })?.conditions).toEqual([]);
  });
  test("adoption keeps the status as it is: whose the pods are is not settled", () => {
    const orphan = pod("o");
    const adoption = editObject(pods, orphan, { ...orphan, metadata: { ...orphan.metadata, labels: { a: "b" } } });
    expect(reported({ steps: [[...(adoption === undefined ? [] : [adoption])]], failing: refusal })).toBeUndefined();
  });
});
