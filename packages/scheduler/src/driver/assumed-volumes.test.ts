import type { PersistentVolume, PersistentVolumeClaim } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { listersOf } from "../cluster.fixture.ts";
import { claim, volume } from "../storage.fixture.ts";
import { AssumedVolumes } from "./assumed-volumes.ts";

const versioned = (resourceVersion: string) => ({
  volume: volume("v", { metadata: { name: "v", resourceVersion } }),
  claim: claim("c", { metadata: { name: "c", namespace: "default", uid: "uid-of-c", resourceVersion } }),
});

/** What listers say when the caches hold this version, after a decision on version 1. */
function seen(resourceVersion: string, { isReverted = false } = {}) {
  const assumed = new AssumedVolumes();
  const decided = versioned("1");
  const volumes = assumed.assume({ bindings: [decided], provisions: [decided.claim] }, "n");
  if (isReverted) assumed.revert(volumes);
  const cached = versioned(resourceVersion);
  const listers = assumed.over(listersOf({ volumes: [cached.volume], claims: [cached.claim] }));
  const claimOf = (each: PersistentVolume | undefined) => each?.spec?.claimRef?.name;
  const nodeOf = (each: PersistentVolumeClaim | undefined) =>
    each?.metadata.annotations?.["volume.kubernetes.io/selected-node"];
  return [
    claimOf(listers.persistentVolume("v")),
    claimOf([...listers.persistentVolumes()][0]),
    nodeOf(listers.persistentVolumeClaim("default", "c")),
  ];
}

test.each([
  ["what was decided counts at once", seen("1"), ["c", "c", "n"]],
  ["a newer object is what it is", seen("2"), [undefined, undefined, undefined]],
  ["what could not be written is free", seen("1", { isReverted: true }), [undefined, undefined, undefined]],
])("%s", (_, found, expected) => {
  expect(found).toEqual(expected);
});

test("objects that are not there are not assumed", () => {
  const assumed = new AssumedVolumes();
  assumed.assume({ bindings: [versioned("1")], provisions: [] }, "n");
  const listers = assumed.over(listersOf({}));
  expect([listers.persistentVolume("v"), [...listers.persistentVolumes()]]).toEqual([undefined, []]);
});

test.each<[string, PersistentVolume, object]>([
  [
    "a free volume is bound by a controller",
    volume("v"),
    { annotations: { "pv.kubernetes.io/bound-by-controller": "yes" }, uid: "uid-of-c" },
  ],
  [
    "a volume that was promised by its owner is not, and gets the UID",
    volume("v", { spec: { claimRef: { name: "c", namespace: "default" } } }),
    { annotations: undefined, uid: "uid-of-c" },
  ],
])("%s", (_, free, expected) => {
  const { bindings } = new AssumedVolumes().assume(
    { bindings: [{ volume: free, claim: claim("c") }], provisions: [] },
    "n",
  );
  const [written] = bindings.map((each) => each.volume);
  expect({ annotations: written?.metadata.annotations, uid: written?.spec?.claimRef?.uid }).toEqual(expected);
});
