// The status of ReplicationControllers, by the rules of ReplicaSets.
import { type corev1, newForbidden } from "@kubeloop/core/api";
import { actionsOf, create, type Plan, plan } from "@kubeloop/core/contract";
import { pods, replicationControllers } from "@kubeloop/core/resources";
import { newObject, newPod, outcomeOf, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import type { CountedPods } from "../../apps/replicaset/decide.ts";
import { newReport } from "../../apps/replicaset/report.ts";
import { replicationControllerKind as kind, toReplicaSet } from "./convert.ts";

const labels = { app: "web" };
const nowMs = Date.parse("2030-05-06T07:08:09Z");
const newController = (status: Partial<corev1.ReplicationControllerStatus> = {}): corev1.ReplicationController =>
  stored(
    newObject(replicationControllers, "shop/web", {
      metadata: { uid: "web", generation: 4 },
      spec: {
        replicas: 2,
        minReadySeconds: 10,
        selector: labels,
        template: { metadata: { labels: { ...labels, tier: "front" } }, spec: { containers: [] } },
      },
      status: { replicas: 0, ...status },
    }),
  );
const readySince = (name: string, lastTransitionTime: string, more: object = {}): corev1.Pod =>
  stored(
    newPod(`shop/${name}`, {
      metadata: { labels: { ...labels, ...more } },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
    }),
  );
const long = readySince("long", "2030-05-06T07:00:00Z", { tier: "front" });
const fresh = readySince("fresh", "2030-05-06T07:08:05Z");
const pending = stored(newPod("shop/pending", { metadata: { labels } }));
const leaving = stored(newPod("shop/leaving", { metadata: { labels, deletionTimestamp: "2030-01-01T00:00:00Z" } }));

function reported(controller: corev1.ReplicationController, outcome: Parameters<ReturnType<typeof newReport>>[1]) {
  const seen = { set: toReplicaSet(controller), owned: [], orphans: [], relatedPods: () => [] };
  return newReport({ kind, countsTerminating: false })(seen, outcome, { nowMs, answer: () => undefined });
}
const counted = (...active: readonly corev1.Pod[]) =>
  outcomeOf(plan<CountedPods>("done", [], { notes: { active, terminating: [leaving] } }));
const patchIn = (report: Plan | undefined) => {
  const edits = report === undefined ? [] : actionsOf(report).filter(({ type }) => type === "edit");
  return edits.map((edit) => (edit.type === "edit" ? edit.patch : undefined));
};

test("it counts active, fully labelled, ready and available pods, and no terminating ones", () => {
  const report = reported(newController(), counted(long, fresh, pending));
  expect(patchIn(report)).toEqual([
    {
      status: {
        replicas: 3,
        fullyLabeledReplicas: 1,
        readyReplicas: 2,
        availableReplicas: 1,
        observedGeneration: 4,
        conditions: [],
      },
    },
  ]);
});

test("it looks again when the next pod becomes available", () => {
  expect(reported(newController(), counted(fresh))?.requeueAfterMs).toBe(6000);
});

test("a status that is as it was is not written", () => {
  const before = {
    replicas: 1,
    fullyLabeledReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    observedGeneration: 4,
  };
  expect(patchIn(reported(newController(before), counted(long)))).toEqual([]);
});

describe("a create that failed", () => {
  const making = plan<CountedPods>("1 of 2", [[create(pods, newPod("shop/web-1"))]], {
    notes: { active: [long], terminating: [] },
  });
  const error = newForbidden({ group: "", resource: "pods" }, "web-1", { detail: "exceeded quota" });
  const failing = outcomeOf(making, () => ({ status: "failed", error }));
  const condition = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: error.message,
    lastTransitionTime: "2030-05-06T07:08:09Z",
  };

  test("is a condition, and an event about the ReplicationController", () => {
    const report = reported(newController(), failing);
    expect(patchIn(report)).toMatchObject([{ status: { conditions: [condition] } }]);
    const [event] = actionsOf(report ?? plan("none", [])).filter(({ type }) => type === "event");
    expect(event).toMatchObject({
      eventType: "Warning",
      reason: "FailedCreate",
      message: `Error creating: ${error.message}`,
      about: { kind: "ReplicationController", apiVersion: "v1", metadata: { name: "web", uid: "web" } },
    });
  });

  test("leaves what was said first as it is", () => {
    const first = { ...condition, message: "first" };
    const [patch] = patchIn(reported(newController({ conditions: [first] }), failing));
    expect(patch).not.toHaveProperty("status.conditions");
  });

  test("is forgotten when nothing fails any more, and other conditions stay", () => {
    const other = { type: "Other", status: "True" };
    const [patch] = patchIn(reported(newController({ conditions: [other, condition] }), outcomeOf(making)));
    expect(patch).toMatchObject({ status: { conditions: [other] } });
  });
});
