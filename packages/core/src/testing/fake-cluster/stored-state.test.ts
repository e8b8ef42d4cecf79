import { describe, expect, test } from "vitest";
import { configMaps, deployments } from "../../api/generated/resources.ts";
import { type appsv1, defineResource, type KubernetesObject } from "../../api/index.ts";
import { newConfigMap, newDeployment, newNamespace, newObject, stored } from "../builders/index.ts";
import { isOver, patched, stateAfterCreate, stateAfterDelete, stateAfterUpdate } from "./stored-state.ts";

const plainFoos = defineResource({ group: "x.io", version: "v1", kind: "Foo", plural: "foos" });
const whole = { resource: deployments, subresource: "" };
const status = { resource: deployments, subresource: "status" };
const before = { ...stored(newDeployment("shop/web")), status: { replicas: 1 } };
const after = { ...before, spec: { ...before.spec, replicas: 5 }, status: { replicas: 9 } };
const spec = (object: object) => (object as appsv1.Deployment).spec.replicas;
const told = (object: object) => (object as appsv1.Deployment).status?.replicas;

describe("what a write leaves", () => {
  for (const [fact, seen, expected] of [
    ["a create begins with generation 1", stateAfterCreate(deployments, after).metadata.generation, 1],
    ["a create believes no status", "status" in stateAfterCreate(deployments, after), false],
    ["an update changes what is wanted", spec(stateAfterUpdate(whole, before, after)), 5],
    ["and not the status", told(stateAfterUpdate(whole, before, after)), 1],
    ["it makes a new generation", stateAfterUpdate(whole, before, after).metadata.generation, 2],
    [
      "labels make none",
      stateAfterUpdate(whole, before, { ...before, metadata: { labels: { a: "b" } } }).metadata.generation,
      1,
    ],
    ["a write to the status changes that", told(stateAfterUpdate(status, before, after)), 9],
    ["and not what is wanted", spec(stateAfterUpdate(status, before, after)), 1],
    [
      "but the annotations of a deployment",
      stateAfterUpdate(status, before, { ...after, metadata: { annotations: { a: "b" } } }).metadata.annotations?.["a"],
      "b",
    ],
    ["nor the generation", stateAfterUpdate(status, before, after).metadata.generation, 1],
    [
      "nor labels",
      stateAfterUpdate(status, before, { ...after, metadata: { labels: { a: "b" } } }).metadata.labels,
      undefined,
    ],
    [
      "but says which version it means",
      stateAfterUpdate(status, before, { ...after, metadata: { resourceVersion: "7" } }).metadata.resourceVersion,
      "7",
    ],
    [
      "a custom kind without a status subresource counts its status, too",
      stateAfterUpdate({ resource: plainFoos, subresource: "" }, stored(newObject(plainFoos, "a")), {
        ...stored(newObject(plainFoos, "a")),
        status: { a: 1 },
      } as KubernetesObject).metadata.generation,
      2,
    ],
    [
      "config maps have no generation",
      stateAfterUpdate(
        { resource: configMaps, subresource: "" },
        stateAfterCreate(configMaps, newConfigMap("a")),
        stored(newConfigMap("a", { data: { a: "b" } })),
      ).metadata.generation,
      undefined,
    ],
    [
      "nobody brings back what is being deleted",
      stateAfterUpdate(whole, stateAfterDelete(before, {}, 0), before).metadata.deletionTimestamp,
      "1970-01-01T00:00:00Z",
    ],
    [
      "nobody deletes by an update",
      stateAfterUpdate(whole, before, { ...before, metadata: { deletionTimestamp: "1970-01-01T00:00:00Z" } }).metadata
        .deletionTimestamp,
      undefined,
    ],
  ] as const) {
    test(fact, () => expect(seen).toBe(expected));
  }
});

describe("patches", () => {
  for (const [type, body] of [
    ["application/merge-patch+json", { spec: { replicas: 5 } }],
    ["application/strategic-merge-patch+json", { spec: { replicas: 5 } }],
    ["application/json-patch+json", [{ op: "replace", path: "/spec/replicas", value: 5 }]],
    ["application/apply-patch+yaml; charset=utf-8", { spec: { replicas: 5 } }],
  ] as const) {
    test(`${type} is taken`, () => expect(spec(patched(before, body, type))).toBe(5));
  }

  test("others are refused", () =>
    expect(() => patched(before, {}, "text/plain")).toThrow("no patches of type text/plain"));
});

describe("deletion", () => {
  const held = { ...before, metadata: { ...before.metadata, finalizers: ["a"] } };
  for (const [fact, object, options, isGone, finalizers] of [
    ["takes what nobody holds", before, {}, true, []],
    ["waits for finalizers", held, {}, false, ["a"]],
    [
      "in the foreground waits for children",
      before,
      { propagationPolicy: "Foreground" },
      false,
      ["foregroundDeletion"],
    ],
    [
      "that orphans waits for that, each named once",
      stateAfterDelete(held, { propagationPolicy: "Orphan" }, 0),
      { propagationPolicy: "Orphan" },
      false,
      ["a", "orphan"],
    ],
    [
      "of a namespace waits for its contents",
      stored(newNamespace("shop", { spec: { finalizers: ["kubernetes"] } })),
      {},
      false,
      [],
    ],
  ] as const) {
    test(fact, () => {
      const doomed = stateAfterDelete(object, options, 1000);
      expect([isOver(doomed), doomed.metadata.finalizers]).toEqual([isGone, finalizers]);
    });
  }

  test("happens once: a second one does not change its time", () => {
    const doomed = stateAfterDelete(held, {}, 0);
    expect(stateAfterDelete(doomed, {}, 5000)).toEqual(doomed);
  });

  test("what is not being deleted is not over, held or not", () => {
    expect([isOver(before), isOver(held)]).toEqual([false, false]);
  });
});
