import { configMaps, pods, secrets } from "@kubeloop/core/resources";
import { findPropertyFaults, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { named, referenceTo, served } from "./collector.fixture.ts";
import { newGarbageCollectorController } from "./controller.ts";

const deletionTimestamp = "2030-01-01T00:00:00Z";
const owner = named("v1", "ConfigMap", "shop/owner", { uid: "owner" });
const gone = named("v1", "ConfigMap", "shop/gone", { uid: "gone" });
const waiting = named("v1", "ConfigMap", "shop/waiting", {
  uid: "waiting",
  deletionTimestamp,
  finalizers: ["foregroundDeletion"],
});
const orphaning = named("v1", "ConfigMap", "shop/orphaning", {
  uid: "orphaning",
  deletionTimestamp,
  finalizers: ["orphan", "x/y"],
});
const child = (name: string, ...owners: readonly (typeof owner)[]) => {
  const { metadata, ...rest } = named("v1", "Pod", `shop/${name}`, { uid: name });
  const ownerReferences = owners.map((each) => referenceTo(each, { blockOwnerDeletion: true }));
  return { ...rest, metadata: { ...metadata, ownerReferences }, spec: { containers: [] } };
};

test("the garbage collector is declared, idempotent, bounded and total", () => {
  const worlds: readonly World[] = [
    [
      [configMaps, [owner, waiting, orphaning]],
      [pods, [child("child", owner, gone), child("lost", gone), child("going", waiting), child("kept", orphaning)]],
    ],
    [
      [configMaps, [owner, waiting]],
      [pods, [child("child", owner, waiting)]],
    ],
    [
      [configMaps, []],
      [pods, [child("lost", gone)]],
    ],
  ];
  const uids = ["owner", "waiting", "orphaning", "child", "lost", "going", "kept", "gone"];
  const keys = [
    ...uids.map((key) => ({ queue: "attemptToDelete", key })),
    ...uids.map((key) => ({ queue: "attemptToDelete", key: `virtual ${key}` })),
    { queue: "attemptToOrphan", key: "orphaning" },
  ];
  const all = { ...served, resources: [...served.resources, secrets] };
  expect(findPropertyFaults(newGarbageCollectorController(), worlds, { maxActions: 2, keys, served: all })).toEqual([]);
});
