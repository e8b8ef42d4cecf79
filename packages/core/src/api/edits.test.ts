// Conditions, owner references and finalizers: pure edits, all on frozen objects.
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../base/deep.ts";
import {
  type ConditionChange,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from "./conditions.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
import type { Condition } from "./generated/types/meta/v1.ts";
import {
  controllerOf,
  isControlledBy,
  isOwnedBy,
  newControllerReference,
  newOwnerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-references.ts";
import type { KubernetesObject } from "./resource.ts";

describe("conditions", () => {
  const nowMs = Date.parse("2024-05-01T12:00:00Z");
  const old = "2024-01-01T00:00:00Z";
  const ready: Condition = { type: "Ready", status: "True", reason: "Up", message: "m", lastTransitionTime: old };
  const other: Condition = { ...ready, type: "Other" };
  const before = deepFreeze([ready, other]);
  const say = (change: Partial<ConditionChange>): ConditionChange => ({
    type: "Ready",
    status: "True",
    reason: "Up",
    message: "m",
    ...change,
  });

  test("nothing changed, same list", () => expect(setCondition(before, say({}), nowMs)).toBe(before));
  test("an absent generation is generation zero", () => {
    expect(setCondition(before, say({ observedGeneration: 0 }), nowMs)).toBe(before);
  });
  test("a new status moves the transition time", () => {
    const after = setCondition(before, say({ status: "False" }), nowMs);
    expect(after).toEqual([{ ...ready, status: "False", lastTransitionTime: "2024-05-01T12:00:00Z" }, other]);
    expect(after[1]).toBe(other);
  });
  test("a transition may state its own time", () => {
    const [first] = setCondition(before, say({ status: "False", lastTransitionTime: "2024-03-01T00:00:00Z" }), nowMs);
    expect(first?.lastTransitionTime).toBe("2024-03-01T00:00:00Z");
  });
  test.each([
    ["reason", { reason: "Down" }],
    ["message", { message: "n" }],
    ["observedGeneration", { observedGeneration: 4 }],
  ] as const)("a new %s does not move the transition time", (_field, change) => {
    const [first] = setCondition(before, say({ ...change, lastTransitionTime: "2024-03-01T00:00:00Z" }), nowMs);
    expect(first).toEqual({ ...ready, ...change });
  });
  test("a generation that is no longer stated goes", () => {
    const stated = [{ ...ready, observedGeneration: 3 }];
    expect(setCondition(stated, say({}), nowMs)).toEqual([ready]);
  });
  test("a new condition comes last", () => {
    const after = setCondition(before, say({ type: "New" }), nowMs);
    expect(after.map((condition) => condition.type)).toEqual(["Ready", "Other", "New"]);
    expect(setCondition(undefined, say({}), nowMs)).toHaveLength(1);
  });
  test("finding and removing", () => {
    expect(findCondition(before, "Other")).toBe(other);
    expect(isConditionTrue(before, "Ready")).toBe(true);
    expect(isConditionFalse(before, "Ready")).toBe(false);
    expect(isConditionTrue(undefined, "Ready")).toBe(false);
    expect(removeCondition(before, "Ready")).toEqual([other]);
    expect(removeCondition(before, "Absent")).toBe(before);
    expect(removeCondition(undefined, "Ready")).toBeUndefined();
  });
});

const pod: KubernetesObject = deepFreeze({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n", labels: { a: "b" } },
});

describe("finalizers", () => {
  const held = deepFreeze({ ...pod, metadata: { ...pod.metadata, finalizers: ["x", "y"] } });
  test("adding", () => {
    expect(addFinalizer(pod, "x").metadata.finalizers).toEqual(["x"]);
    expect(addFinalizer(held, "z").metadata.finalizers).toEqual(["x", "y", "z"]);
    expect(addFinalizer(held, "y")).toBe(held);
    expect(addFinalizer(pod, "x").metadata.labels).toBe(pod.metadata.labels);
  });
  test("removing", () => {
    expect(removeFinalizer(held, "x").metadata.finalizers).toEqual(["y"]);
    expect(removeFinalizer(held, "z")).toBe(held);
    expect("finalizers" in removeFinalizer(addFinalizer(pod, "x"), "x").metadata).toBe(false);
    expect(hasFinalizer(held, "x")).toBe(true);
    expect(hasFinalizer(pod, "x")).toBe(false);
  });
});

describe("owner references", () => {
  const owner = (change: Partial<KubernetesObject["metadata"]> = {}, apiVersion = "apps/v1"): KubernetesObject =>
    deepFreeze({ apiVersion, kind: "ReplicaSet", metadata: { name: "rs", namespace: "n", uid: "u1", ...change } });
  const owned = deepFreeze(setControllerReference(pod, owner()));

  test("the controller is the one reference that says so", () => {
    const reference = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "rs",
      uid: "u1",
      controller: true,
      blockOwnerDeletion: true,
    };
    expect(controllerOf(owned)).toEqual(reference);
    expect(newControllerReference(owner())).toEqual(reference);
    expect(controllerOf(pod)).toBeUndefined();
    expect(isControlledBy(owned, owner())).toBe(true);
    expect(isControlledBy(owned, owner({ uid: "u2" }))).toBe(false);
    expect(isControlledBy(pod, pod)).toBe(false);
  });
  test("setting it again changes nothing", () => expect(setControllerReference(owned, owner())).toBe(owned));
  test("the same owner in a new version, or made anew, takes the place of the old", () => {
    expect(controllerOf(setControllerReference(owned, owner({}, "apps/v2")))?.apiVersion).toBe("apps/v2");
    expect(controllerOf(setControllerReference(owned, owner({ uid: "u2" })))?.uid).toBe("u2");
  });
  test("two controllers are refused", () => {
    expect(() => setControllerReference(owned, owner({ name: "other", uid: "u2" }))).toThrow(
      "object n/p is already owned by another ReplicaSet controller rs",
    );
  });
  test("owners in another namespace are refused", () => {
    expect(() => setControllerReference(pod, owner({ namespace: "m" }))).toThrow(
      "cross-namespace owner references are disallowed, owner's namespace m, obj's namespace n",
    );
    const { namespace: _none, ...metadata } = pod.metadata;
    expect(() => setOwnerReference({ ...pod, metadata }, owner())).toThrow("cluster-scoped resource must not have");
  });
  test("owners in no namespace may own anything", () => {
    const node: KubernetesObject = { apiVersion: "v1", kind: "Node", metadata: { name: "node", uid: "u9" } };
    expect(isOwnedBy(setOwnerReference(pod, node), node)).toBe(true);
  });
  test("an owner without uid cannot be referred to", () => {
    expect(() => newOwnerReference({ ...pod, kind: "Node" })).toThrow("has no uid yet");
  });
  test("a plain owner joins the controller, and naming the controller as owner keeps it controller", () => {
    const both = setOwnerReference(owned, owner({ name: "second", uid: "u3" }));
    expect(both.metadata.ownerReferences).toHaveLength(2);
    expect(setOwnerReference(owned, owner())).toBe(owned);
  });
  test("removing by uid", () => {
    expect(removeOwnerReference(owned, "nobody")).toBe(owned);
    expect("ownerReferences" in removeOwnerReference(owned, "u1").metadata).toBe(false);
  });
});
