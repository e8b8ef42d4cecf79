import type { appsv1, corev1 } from "@kubeloop/core/api";
import { replicationControllers } from "@kubeloop/core/resources";
import { newObject, newReplicaSet, type Overrides, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { replicationControllerKind, selectorOf, toReplicaSet } from "./convert.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [] } };
const newController = (overrides: Overrides<corev1.ReplicationController> = {}) =>
  stored(newObject(replicationControllers, "shop/web", overrides));
const whole = newController({
  metadata: { labels: { team: "a" }, generation: 3 },
  spec: { replicas: 2, minReadySeconds: 5, selector: labels, template },
  status: {
    replicas: 1,
    readyReplicas: 1,
    observedGeneration: 2,
    conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }],
  },
});

describe("as a ReplicaSet", () => {
  test("it keeps its kind, its metadata and its status", () => {
    const { apiVersion, kind, metadata, status } = toReplicaSet(whole);
    expect([apiVersion, kind]).toEqual(["v1", "ReplicationController"]);
    expect(metadata).toBe(whole.metadata);
    expect(status).toBe(whole.status);
  });

  test.each<[string, Overrides<corev1.ReplicationController>, Partial<appsv1.ReplicaSetSpec> | undefined]>([
    [
      "has its numbers, its template and its selector",
      { spec: { replicas: 2, minReadySeconds: 5, selector: labels, template } },
      { replicas: 2, minReadySeconds: 5, selector: { matchLabels: labels }, template },
    ],
    ["has no selector where it has none", { spec: { replicas: 2 } }, { replicas: 2 }],
    ["has no selector where that is null", { spec: { replicas: 2, selector: null as never } }, { replicas: 2 }],
    ["has no spec where it has none", {}, undefined],
  ])("it %s", (_fact, overrides, spec) => expect(toReplicaSet(newController(overrides)).spec).toEqual(spec));

  test("it is the same one each time, and another one for another object", () => {
    expect(toReplicaSet(whole)).toBe(toReplicaSet(whole));
    expect(selectorOf(whole)).toBe(selectorOf(whole));
    expect(toReplicaSet(newController())).not.toBe(toReplicaSet(newController()));
  });

  test("the object itself stays as it is", () => {
    const object = newController({ spec: { replicas: 2, selector: labels } });
    const before = structuredClone(object);
    toReplicaSet(object);
    expect(object).toEqual(before);
  });
});

describe("its status", () => {
  const set = toReplicaSet(whole);
  const edit = (status: appsv1.ReplicaSetStatus) => replicationControllerKind.editStatus(set, { ...set, status });

  test("is written to the very object, through its own subresource", () => {
    const action = edit({ replicas: 2, readyReplicas: 1, observedGeneration: 3, conditions: [] });
    expect(action).toMatchObject({
      type: "edit",
      resource: replicationControllers,
      subresource: "status",
      isLocked: true,
      patch: { status: { replicas: 2, observedGeneration: 3 } },
    });
    expect(action?.type === "edit" && action.before).toBe(whole);
  });

  test("is not written where it is as it was", () => {
    expect(
      replicationControllerKind.editStatus(set, { ...set, status: structuredClone(set.status) } as never),
    ).toBeUndefined();
    // A count of 0 and none are the same.
    expect(edit({ ...(set.status ?? { replicas: 1 }), availableReplicas: 0 })).toBeUndefined();
  });

  test("of a ReplicaSet that never was one cannot be written", () => {
    const stranger = stored(newReplicaSet("shop/web"));
    expect(() => replicationControllerKind.editStatus(stranger, stranger)).toThrow("only what was converted");
  });
});
