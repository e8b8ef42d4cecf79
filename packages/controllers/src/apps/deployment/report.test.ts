import { type appsv1, newAlreadyExists, newForbidden } from "@kubeloop/core/api";
import { type Action, actionsOf, create, editObject, type Plan, plan } from "@kubeloop/core/contract";
import { replicaSets } from "@kubeloop/core/resources";
import { outcomeOf } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import type { Rollout } from "./decide.ts";
import { newReport } from "./report.ts";
import { revisionAnnotation } from "./revisions.ts";
import { ago, now, nowMs, set, web } from "./worlds.fixture.ts";

interface Given {
  readonly deployment?: appsv1.Deployment;
  readonly newSet?: appsv1.ReplicaSet | undefined;
  readonly oldSets?: readonly appsv1.ReplicaSet[];
  readonly reports?: Rollout["reports"];
  /** The newest set is made by the plan. */
  readonly isMade?: boolean;
  readonly failing?: Error;
  readonly isTolerated?: boolean;
  readonly countsTerminating?: boolean;
  /** What has the name of the set that is made. */
  readonly named?: appsv1.ReplicaSet;
  readonly steps?: readonly (readonly (Action | undefined)[])[];
}

function reported(given: Given): Plan | undefined {
  const {
    deployment = web(),
    oldSets = [],
    reports = "all",
    isMade = false,
    failing,
    countsTerminating = true,
  } = given;
  const newSet = "newSet" in given ? given.newSet : set(2, { replicas: 3 });
  const creation = isMade && newSet !== undefined ? create(replicaSets, newSet) : undefined;
  const steps = given.steps ?? (creation === undefined ? [] : [[creation]]);
  const decided = plan<Rollout>("done", steps, { notes: { reports, newSet, oldSets, creation } });
  const outcome = outcomeOf(decided, () => {
    if (failing === undefined) return undefined;
    return given.isTolerated === true ? { status: "tolerated", error: failing } : { status: "failed", error: failing };
  });
  const seen = { deployment, owned: [], orphans: [], podsOf: () => [], setNamed: () => given.named };
  return newReport({ countsTerminating })(seen, outcome, { nowMs, answer: () => undefined });
}

/** As it is when the report's own plan has been carried out; undefined when it writes none. */
function written(given: Given): appsv1.Deployment | undefined {
  const [edit] = outcomeOf(reported(given) ?? plan("none", [])).find({ type: "edit" });
  return edit?.result.status === "done" ? (edit.result.value as appsv1.Deployment) : undefined;
}
const statusOf = (given: Given) => written(given)?.status;
const conditionOf = (given: Given, type: string) =>
  statusOf(given)?.conditions?.find((condition) => condition.type === type);

const progressing = (facts: Partial<appsv1.DeploymentCondition> = {}): appsv1.DeploymentCondition => ({
  type: "Progressing",
  status: "True",
  reason: "ReplicaSetUpdated",
  lastUpdateTime: ago(100),
  lastTransitionTime: ago(5000),
  ...facts,
});
/** What is there already, so that only what a row is about is news. */
const known = (conditions: readonly appsv1.DeploymentCondition[], counts: appsv1.DeploymentStatus = {}) =>
  web({ annotations: { [revisionAnnotation]: "2" }, status: { ...counts, conditions } });

test("it counts the pods of all sets, and says which generation it saw", () => {
  const oldSets = [set(1, { replicas: 2, available: 1, status: { readyReplicas: 2, terminatingReplicas: 1 } })];
  expect(statusOf({ newSet: set(2, { replicas: 3, available: 2, pods: 3 }), oldSets })).toMatchObject({
    observedGeneration: 7,
    replicas: 5,
    updatedReplicas: 3,
    readyReplicas: 4,
    availableReplicas: 3,
    unavailableReplicas: 2,
    terminatingReplicas: 1,
  });
});

test("more available pods than wanted are none that are unavailable", () => {
  expect(statusOf({ newSet: set(2, { replicas: 1, available: 3, pods: 3 }) })).toMatchObject({
    unavailableReplicas: 0,
  });
});

test("without the feature gate it does not count terminating pods, and forgets an old count", () => {
  const deployment = web({ status: { terminatingReplicas: 4 } });
  expect(statusOf({ deployment, countsTerminating: false })).not.toHaveProperty("terminatingReplicas");
});

test("collisions are kept", () => {
  expect(statusOf({ deployment: web({ status: { collisionCount: 3 } }) })).toMatchObject({ collisionCount: 3 });
});

test("the revision of the newest set is written with the status, in one request", () => {
  const [edit] = actionsOf(reported({}) ?? plan("none", []));
  expect(edit).toMatchObject({
    type: "edit",
    subresource: "status",
    patch: { metadata: { annotations: { [revisionAnnotation]: "2" } }, status: { replicas: 3 } },
  });
});

test("a status that is as it should be is not written", () => {
  const first = written({});
  if (first === undefined) throw new Error("nothing was written");
  expect(actionsOf(reported({ deployment: first }) ?? plan("none", []))).toEqual([]);
});

describe("Available is", () => {
  test.each([
    ["true if enough pods are", { maxUnavailable: 1 }, 2, { status: "True", reason: "MinimumReplicasAvailable" }],
    ["false if not enough are", { maxUnavailable: 0 }, 2, { status: "False", reason: "MinimumReplicasUnavailable" }],
    ["true of no pods", { replicas: 0 }, 0, { status: "True", reason: "MinimumReplicasAvailable" }],
  ])("%s", (_fact, facts, available, expected) => {
    const given = { deployment: web(facts), newSet: set(2, { replicas: 3, available }) };
    expect(conditionOf(given, "Available")).toMatchObject({
      ...expected,
      lastUpdateTime: now,
      lastTransitionTime: now,
    });
  });
});

describe("Progressing says", () => {
  const partly = { replicas: 3, updatedReplicas: 3, readyReplicas: 1, availableReplicas: 1, observedGeneration: 7 };
  const stuck = set(2, { replicas: 3, available: 1 });
  const old = set(1, { replicas: 1, available: 0 });
  const availableBefore = (name: string) =>
    progressing({ reason: "NewReplicaSetAvailable", message: `ReplicaSet "${name}" has successfully progressed.` });
  const rows: readonly (readonly [string, Given, Partial<appsv1.DeploymentCondition> | undefined])[] = [
    [
      "that the set was made",
      { isMade: true, newSet: set(2, { replicas: 3, available: 0, pods: 0 }) },
      { status: "True", reason: "NewReplicaSetCreated", message: 'Created new replica set "web-2"' },
    ],
    [
      "that a set was found, where nothing was said before",
      { newSet: set(2, { replicas: 3, available: 0, pods: 0 }) },
      { status: "True", reason: "FoundNewReplicaSet", message: 'Found new replica set "web-2"' },
    ],
    [
      "that the rollout goes on, when more pods are ready",
      { deployment: known([progressing()], { ...partly, readyReplicas: 0, availableReplicas: 0 }), newSet: stuck },
      {
        status: "True",
        reason: "ReplicaSetUpdated",
        message: 'ReplicaSet "web-2" is progressing.',
        lastUpdateTime: now,
        lastTransitionTime: ago(5000),
      },
    ],
    [
      "that it goes on, when there are fewer old pods",
      { deployment: known([progressing()], { ...partly, replicas: 4 }), newSet: stuck },
      { reason: "ReplicaSetUpdated", lastUpdateTime: now },
    ],
    [
      "that it goes on, when there are more new pods",
      { deployment: known([progressing()], { ...partly, replicas: 2, updatedReplicas: 2 }), newSet: stuck },
      { reason: "ReplicaSetUpdated", lastUpdateTime: now },
    ],
    [
      "nothing new when nothing has changed",
      { deployment: known([progressing()], partly), newSet: stuck },
      { reason: "ReplicaSetUpdated", lastUpdateTime: ago(100) },
    ],
    [
      "that the rollout is complete",
      { deployment: known([progressing()], partly) },
      {
        status: "True",
        reason: "NewReplicaSetAvailable",
        message: 'ReplicaSet "web-2" has successfully progressed.',
        lastUpdateTime: now,
        lastTransitionTime: ago(5000),
      },
    ],
    [
      "that it is complete, and keeps saying so when pods become unavailable",
      {
        deployment: known([progressing({ reason: "NewReplicaSetAvailable", lastUpdateTime: ago(9000) })], partly),
        newSet: stuck,
      },
      { reason: "NewReplicaSetAvailable", lastUpdateTime: ago(9000) },
    ],
    [
      "that a rollout goes on which was complete once, while there are old pods",
      {
        deployment: known([progressing({ reason: "NewReplicaSetAvailable" })], partly),
        newSet: stuck,
        oldSets: [set(1, { replicas: 1 })],
      },
      { reason: "ReplicaSetUpdated", lastUpdateTime: now },
    ],
    [
      "that a rollout goes on of which the manager could not tell before it ended, so that its deadline counts",
      { deployment: known([availableBefore("web-1")], { ...partly, replicas: 4 }), newSet: stuck, oldSets: [old] },
      { reason: "ReplicaSetUpdated", message: 'ReplicaSet "web-2" is progressing.', lastUpdateTime: now },
    ],
    [
      "nothing new of a set that is available when old pods are there again",
      { deployment: known([availableBefore("web-2")], { ...partly, replicas: 4 }), newSet: stuck, oldSets: [old] },
      { reason: "NewReplicaSetAvailable", lastUpdateTime: ago(100) },
    ],
    [
      "that it was given up after the deadline",
      { deployment: known([progressing({ lastUpdateTime: ago(601) })], partly), newSet: stuck },
      {
        status: "False",
        reason: "ProgressDeadlineExceeded",
        message: 'ReplicaSet "web-2" has timed out progressing.',
        lastTransitionTime: now,
      },
    ],
    [
      "that it was given up, if nothing says when it went on last",
      {
        deployment: known([{ type: "Progressing", status: "True", reason: "ReplicaSetUpdated" }], partly),
        newSet: stuck,
      },
      { status: "False", reason: "ProgressDeadlineExceeded" },
    ],
    [
      "nothing of that until the deadline has passed",
      { deployment: known([progressing({ lastUpdateTime: ago(600) })], partly), newSet: stuck },
      { status: "True", reason: "ReplicaSetUpdated" },
    ],
    [
      "that it goes on again after it was given up",
      {
        deployment: known([progressing({ status: "False", reason: "ProgressDeadlineExceeded" })], {
          ...partly,
          availableReplicas: 0,
        }),
        newSet: stuck,
      },
      { status: "True", reason: "ReplicaSetUpdated", lastTransitionTime: now },
    ],
    [
      "that it is paused",
      {
        deployment: web({ spec: { paused: true }, status: { conditions: [progressing()] } }),
        newSet: stuck,
        reports: "counts",
      },
      { status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" },
    ],
    [
      "still that it was given up, when it is paused then",
      {
        deployment: web({
          spec: { paused: true },
          status: { conditions: [progressing({ status: "False", reason: "ProgressDeadlineExceeded" })] },
        }),
        reports: "counts",
      },
      { status: "False", reason: "ProgressDeadlineExceeded" },
    ],
    [
      "that it is resumed, from which the deadline counts",
      {
        deployment: known(
          [progressing({ status: "Unknown", reason: "DeploymentPaused", lastUpdateTime: ago(9000) })],
          partly,
        ),
        newSet: stuck,
      },
      { status: "Unknown", reason: "DeploymentResumed", message: "Deployment is resumed", lastUpdateTime: now },
    ],
    [
      "nothing without a deadline",
      {
        deployment: web({ spec: { progressDeadlineSeconds: 2_147_483_647 }, status: { conditions: [progressing()] } }),
      },
      undefined,
    ],
    [
      "nothing of a pause without a deadline",
      { deployment: web({ spec: { paused: true, progressDeadlineSeconds: 2_147_483_647 } }), reports: "counts" },
      undefined,
    ],
    [
      "nothing while it is scaled",
      { deployment: known([progressing({ lastUpdateTime: ago(9000) })], partly), newSet: stuck, reports: "counts" },
      { reason: "ReplicaSetUpdated", lastUpdateTime: ago(9000) },
    ],
    [
      "how the deployment goes on, where it has no newest set yet",
      {
        deployment: known([progressing()], { ...partly, replicas: 4 }),
        newSet: undefined,
        oldSets: [set(1, { pods: 0 })],
      },
      { message: 'Deployment "web" is progressing.' },
    ],
    [
      "nothing of a pause while it is being deleted",
      {
        deployment: web({ spec: { paused: true }, metadata: { deletionTimestamp: now } }),
        newSet: undefined,
        reports: "counts",
      },
      undefined,
    ],
  ];
  test.each(rows)("%s", (_fact, given, expected) => {
    const found = conditionOf(given, "Progressing");
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });
});

describe("ReplicaFailure", () => {
  const failure = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: "no",
    lastTransitionTime: ago(50),
  };
  const failing = (number: number, message: string) =>
    set(number, { status: { conditions: [{ ...failure, message }] } });

  test("is that of the newest set", () => {
    expect(conditionOf({ newSet: failing(2, "new"), oldSets: [failing(1, "old")] }, "ReplicaFailure")).toEqual({
      ...failure,
      message: "new",
      lastUpdateTime: ago(50),
    });
  });
  test("is else that of the oldest", () => {
    const oldSets = [failing(0, "oldest"), failing(1, "old")];
    expect(conditionOf({ oldSets }, "ReplicaFailure")).toMatchObject({ message: "oldest" });
  });
  test("is taken back when no set has one", () => {
    const deployment = web({ status: { conditions: [{ ...failure, lastUpdateTime: ago(50) }] } });
    expect(conditionOf({ deployment }, "ReplicaFailure")).toBeUndefined();
  });
  test("stays as it is while it is scaled", () => {
    const deployment = web({ status: { conditions: [{ ...failure, lastUpdateTime: ago(50) }] } });
    expect(conditionOf({ deployment, reports: "counts" }, "ReplicaFailure")).toMatchObject(failure);
  });
});

describe("a set that could not be made", () => {
  const newSet = set(2, { replicas: 3, available: 0, pods: 0 });
  const forbidden = newForbidden({ group: "apps", resource: "replicasets" }, "web-2", { detail: "exceeded quota" });
  const exists = newAlreadyExists({ group: "apps", resource: "replicasets" }, "web-2");

  test("is a condition and an event, and the counts stay", () => {
    const given = { isMade: true, newSet, failing: forbidden, deployment: web({ status: { replicas: 5 } }) };
    const message = `Failed to create new replica set "web-2": ${forbidden.message}`;
    expect(statusOf(given)).toMatchObject({ replicas: 5 });
    expect(conditionOf(given, "Progressing")).toMatchObject({
      status: "False",
      reason: "ReplicaSetCreateError",
      message,
    });
    expect(actionsOf(reported(given) ?? plan("none", []))[0]).toMatchObject({
      type: "event",
      eventType: "Warning",
      reason: "ReplicaSetCreateError",
      message,
    });
  });

  test("is only an event without a deadline", () => {
    const deployment = web({ spec: { progressDeadlineSeconds: 2_147_483_647 } });
    const found = reported({ isMade: true, newSet, failing: forbidden, deployment }) ?? plan("none", []);
    expect(actionsOf(found).map(({ type }) => type)).toEqual(["event"]);
  });

  test("because its name is taken by another, raises the count of collisions", () => {
    const given = { isMade: true, newSet, failing: exists, named: set(2, { image: "other" }) };
    expect(statusOf(given)).toEqual({ collisionCount: 1 });
    const again = { ...given, deployment: web({ status: { collisionCount: 4, replicas: 2 } }) };
    expect(statusOf(again)).toEqual({ collisionCount: 5, replicas: 2 });
  });

  test("because somebody else's set with this template has its name, raises it, too", () => {
    expect(statusOf({ isMade: true, newSet, failing: exists, named: set(2) })).toEqual({ collisionCount: 1 });
  });

  test("because it is there already raises nothing", () => {
    const deployment = web();
    const named = set(2, { owner: deployment });
    expect(reported({ deployment, isMade: true, newSet, failing: exists, named })).toBeUndefined();
  });

  test("because of a set that the cache does not have yet raises nothing", () => {
    expect(reported({ isMade: true, newSet, failing: exists })).toBeUndefined();
  });

  test("because the namespace is being deleted is not told of", () => {
    expect(reported({ isMade: true, newSet, failing: forbidden, isTolerated: true })).toBeUndefined();
  });
});

test("after an edit that failed, nothing is told", () => {
  const before = set(1, { replicas: 3 });
  const edit = editObject(replicaSets, before, { ...before, spec: { ...before.spec, replicas: 1 } as never });
  expect(reported({ steps: [[edit]], failing: new Error("no") })).toBeUndefined();
});

test("before a rollback only the revision and the origin of the set are told", () => {
  const deployment = web({ status: { replicas: 9 } });
  expect(written({ deployment, reports: "revision" })).toMatchObject({
    metadata: { annotations: { [revisionAnnotation]: "2" } },
    status: { replicas: 9, conditions: [{ type: "Progressing", reason: "FoundNewReplicaSet" }] },
  });
});

describe("it looks again at the deadline", () => {
  const partly = { replicas: 3, updatedReplicas: 3, readyReplicas: 1, availableReplicas: 1, observedGeneration: 7 };
  const stuck = set(2, { replicas: 3, available: 1 });
  const looksAgain = (facts: Partial<appsv1.DeploymentCondition>, given: Given = {}) =>
    reported({ deployment: known([progressing(facts)], partly), newSet: stuck, ...given })?.requeueAfterMs;
  test.each([
    ["and a second more", looksAgain({ lastUpdateTime: ago(30) }), 571_000],
    ["at once, and a second, when it is there", looksAgain({ lastUpdateTime: ago(600) }), 1000],
    ["not when the rollout was given up", looksAgain({ lastUpdateTime: ago(700) }), undefined],
    ["not when it is complete", looksAgain({}, { newSet: set(2, { replicas: 3 }) }), undefined],
    ["not when it was complete once", looksAgain({ reason: "NewReplicaSetAvailable" }), undefined],
    ["not while it is scaled", looksAgain({}, { reports: "counts" }), undefined],
    [
      "not without a deadline",
      reported({ deployment: web({ spec: { progressDeadlineSeconds: 2_147_483_647 } }), newSet: stuck })
        ?.requeueAfterMs,
      undefined,
    ],
  ])("%s", (_fact, found, expected) => expect(found).toBe(expected));
});
