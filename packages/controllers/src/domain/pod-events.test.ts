import { newForbidden, newNotFound, StatusError } from "@kubeloop/core/api";
import { type Action, type ActionResult, create, plan, removeObject } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { newPod, newReplicaSet, outcomeOf, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { findPodFailure, podEvents } from "./pod-events.ts";

const owner = stored(newReplicaSet("shop/web"));
const pod = stored(newPod("shop/web-1"));
const [creation, deletion] = [create(pods, pod), removeObject(pods, pod)];
const quota = newForbidden({ group: "", resource: "pods" }, "web-1", { detail: "exceeded quota" });
const quotaText = 'pods "web-1" is forbidden: exceeded quota';
const gone = newNotFound({ group: "", resource: "pods" }, "web-1");
const terminating = new StatusError({
  apiVersion: "v1",
  kind: "Status",
  metadata: {},
  status: "Failure",
  code: 403,
  reason: "Forbidden",
  message: "the namespace is being terminated",
  details: { causes: [{ reason: "NamespaceTerminating" }] },
});
const failed = (error: Error): ActionResult => ({ status: "failed", error });

test.each<[string, Action, ActionResult | undefined, string | undefined, string | undefined]>([
  ["a pod that was made", creation, undefined, "Normal SuccessfulCreate: Created pod: web-1", undefined],
  ["a pod that was refused", creation, failed(quota), `Warning FailedCreate: Error creating: ${quotaText}`, quotaText],
  ["a pod that a terminating namespace refused", creation, failed(terminating), undefined, undefined],
  ["the same, tolerated", creation, { status: "tolerated", error: terminating }, undefined, undefined],
  ["a pod that was not tried", creation, { status: "skipped" }, undefined, undefined],
  ["a pod that was deleted", deletion, undefined, "Normal SuccessfulDelete: Deleted pod: web-1", undefined],
  [
    "a pod that could not be deleted",
    deletion,
    failed(quota),
    `Warning FailedDelete: Error deleting: ${quotaText}`,
    `unable to delete pods: ${quotaText}`,
  ],
  ["a pod that was gone already", deletion, failed(gone), undefined, undefined],
  ["the same, tolerated", deletion, { status: "tolerated", error: gone }, undefined, undefined],
])("%s", (_name, action, result, event, failure) => {
  const outcome = outcomeOf(plan("x", [[action]]), () => result);
  const told = podEvents(owner, outcome).map((each) =>
    each.type === "event" ? `${each.eventType} ${each.reason}: ${each.message}` : "",
  );
  expect(told).toEqual(event === undefined ? [] : [event]);
  expect(findPodFailure(outcome)?.message).toBe(failure);
});

test("the failure is the first one of the plan", () => {
  const outcome = outcomeOf(plan("x", [[creation, deletion]]), () => failed(quota));
  expect(findPodFailure(outcome)?.reason).toBe("FailedCreate");
});
