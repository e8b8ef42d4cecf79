import type { corev1, KubernetesObject, Resource } from "@kubeloop/core/api";
import { actionsOf, printAction } from "@kubeloop/core/contract";
import { persistentVolumeClaims, persistentVolumes } from "@kubeloop/core/resources";
import { newObject, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { openStage } from "./stage.fixture.ts";
import { decide, newVolumeBinder } from "./volume-binder.fixture.ts";

const resources = [persistentVolumes, persistentVolumeClaims];
const volume = (name: string, spec: corev1.PersistentVolumeSpec = {}) => newObject(persistentVolumes, name, { spec });
const claim = (name: string) => newObject(persistentVolumeClaims, `shop/${name}`, { spec: {} });
const many = (count: number): (readonly [Resource, KubernetesObject])[] =>
  Array.from({ length: count }, (_, i) => [
    [persistentVolumes, volume(`v${100 + i}`)] as const,
    [persistentVolumeClaims, claim(`c${i}`)] as const,
  ]).flat();

test("four writes, each on top of the one before", async () => {
  const { cluster, failures } = openStage(newVolumeBinder(1), { resources, objects: many(1) });
  await using _ = cluster;
  await cluster.clock.advance(1000);
  expect(cluster.writes).toEqual([
    "update persistentvolumes v100",
    "update persistentvolumes/status v100",
    "update persistentvolumeclaims shop/c0",
    "update persistentvolumeclaims/status shop/c0",
  ]);
  const { uid = "" } = cluster.get(persistentVolumeClaims, "shop/c0")?.metadata ?? {};
  expect(cluster.get(persistentVolumes, "v100")).toMatchObject({
    spec: { claimRef: { kind: "PersistentVolumeClaim", namespace: "shop", name: "c0", uid } },
    status: { phase: "Bound" },
  });
  expect(cluster.get(persistentVolumeClaims, "shop/c0")).toMatchObject({
    spec: { volumeName: "v100" },
    status: { phase: "Bound" },
  });
  expect(failures()).toBe(0);
});

test.each([1, 5])("fifty claims get fifty volumes, none of them twice, with %i workers", async (workers) => {
  const { cluster, failures } = openStage(newVolumeBinder(workers), { resources, objects: many(50) });
  await using _ = cluster;
  await cluster.clock.advance(60_000);
  const claims = cluster.list(persistentVolumeClaims);
  expect(claims.filter(({ status }) => status?.phase === "Bound")).toHaveLength(50);
  expect(new Set(claims.map(({ spec }) => spec?.volumeName)).size).toBe(50);
  for (const { spec, metadata } of claims) {
    expect(cluster.get(persistentVolumes, spec?.volumeName ?? "")?.spec?.claimRef?.uid).toBe(metadata.uid);
  }
  // One worker never meets itself; several want the same volume, and all but one of them look again.
  if (workers === 1) expect(failures()).toBe(0);
});

test.each([1, 2, 3, 4])("when write %i is refused, the next look goes on with the same volume", async (nth) => {
  const faults = [
    { name: "refused", fault: { kind: "status", code: 503 }, match: { verbs: ["update"] }, nth: [nth] },
  ] as const;
  const { cluster, failures } = openStage(newVolumeBinder(1), { resources, objects: many(2), faults });
  await using _ = cluster;
  await cluster.clock.advance(20_000);
  expect(failures()).toBe(1);
  const claims = cluster.list(persistentVolumeClaims);
  expect(claims.map(({ status }) => status?.phase)).toEqual(["Bound", "Bound"]);
  expect(new Set(claims.map(({ spec }) => spec?.volumeName)).size).toBe(2);
});

test("somebody who took the volume in between keeps it, and the claim takes another", async () => {
  const other = { kind: "PersistentVolumeClaim", namespace: "bank", name: "other", uid: "other" };
  const { cluster, failures } = openStage(newVolumeBinder(1), {
    resources,
    objects: [...many(1), [persistentVolumes, volume("v200")]],
    faults: [
      { name: "slow", fault: { kind: "delay", delayMs: 100, when: "before" }, match: { verbs: ["update"] }, nth: [1] },
    ],
  });
  await using _ = cluster;
  await cluster.clock.advance(50);
  cluster.edit(persistentVolumes, "v100", (each) => ({ ...each, spec: { ...each.spec, claimRef: other } }));
  await cluster.clock.advance(20_000);
  expect(cluster.get(persistentVolumes, "v100")?.spec?.claimRef).toEqual(other);
  expect(cluster.get(persistentVolumeClaims, "shop/c0")?.spec?.volumeName).toBe("v200");
  expect(failures()).toBe(1);
});

const theClaim = stored(claim("c"));
const refTo = (uid: string | undefined) => ({ namespace: "shop", name: "c", ...(uid === undefined ? {} : { uid }) });
test.each([
  ["a volume that was reserved for the claim by hand", [volume("r", { claimRef: refTo(undefined) })], "bind to r"],
  ["a volume of its own half-done binding", [volume("r", { claimRef: refTo(theClaim.metadata.uid) })], "bind to r"],
  ["no volume of a former claim with its name", [volume("r", { claimRef: refTo("former") })], "bind to a"],
] as const)("the claim takes %s", (_name, reserved, reason) => {
  const decision = decide({ claim: theClaim, free: [volume("b"), volume("a")], reserved });
  expect(decision.reason).toBe(reason);
});

test("what is written already is not written again", () => {
  const { namespace = "", name = "", uid = "" } = theClaim.metadata;
  const half = volume("r", { claimRef: { kind: "PersistentVolumeClaim", namespace, name, uid } });
  const decision = decide({ claim: theClaim, free: [], reserved: [half] });
  expect(decision.kind === "plan" && actionsOf(decision).map(printAction)).toEqual([
    "edit persistentvolumes/status r",
    "edit persistentvolumeclaims shop/c",
    "edit persistentvolumeclaims/status shop/c",
  ]);
});

test("without a free volume it looks again in 15 seconds", () => {
  expect(decide({ claim: theClaim, free: [], reserved: [] })).toMatchObject({ steps: [], requeueAfterMs: 15_000 });
});
