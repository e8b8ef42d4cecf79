import type { Pod, Volume } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { filterAlone, node, pod, schedule } from "../cluster.fixture.ts";
import { claim, podWith, podWithVolumes, volume } from "../storage.fixture.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";

const disk = "U node(s) had no available disk";
const inUse =
  "U node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";
const nodes = [node("a"), node("b")];
const gce = (pdName: string, readOnly = false): Volume => ({ name: "v", gcePersistentDisk: { pdName, readOnly } });
const ebs = (volumeID: string, readOnly = false): Volume => ({
  name: "v",
  awsElasticBlockStore: { volumeID, readOnly },
});
const iscsi = (iqn: string, readOnly = false): Volume => ({
  name: "v",
  iscsi: { iqn, readOnly, lun: 0, targetPortal: "portal" },
});
const rbd = (monitors: readonly string[], facts: Partial<Volume["rbd"]> = {}): Volume => ({
  name: "v",
  rbd: { monitors, image: "image", pool: "pool", ...facts },
});

test.each<[string, Volume, Volume, string]>([
  ["the same persistent disk", gce("d"), gce("d"), disk],
  ["another persistent disk", gce("d"), gce("e"), "ok"],
  ["the same persistent disk, both for reading", gce("d", true), gce("d", true), "ok"],
  ["the same persistent disk, one for reading", gce("d", true), gce("d"), disk],
  ["the same EBS volume", ebs("d"), ebs("d"), disk],
  ["the same EBS volume, both for reading", ebs("d", true), ebs("d", true), disk],
  ["the same iSCSI name", iscsi("d"), iscsi("d"), disk],
  ["the same iSCSI name, both for reading", iscsi("d", true), iscsi("d", true), "ok"],
  ["the same RBD image by a common monitor", rbd(["m", "n"]), rbd(["n", "o"]), disk],
  ["the same RBD image by other monitors", rbd(["m"]), rbd(["n"]), "ok"],
  ["another RBD pool", rbd(["m"]), rbd(["m"], { pool: "other" }), "ok"],
  ["the same RBD image, both for reading", rbd(["m"], { readOnly: true }), rbd(["m"], { readOnly: true }), "ok"],
  ["disks of different kinds", gce("d"), ebs("d"), "ok"],
])("%s", (_, mine, theirs, expected) => {
  const existing = podWithVolumes([theirs], { name: "existing", on: "a" });
  const found = filterAlone(volumeRestrictions, podWithVolumes([mine]), { nodes, pods: [existing] });
  expect(found).toEqual({ a: expected, b: "ok" });
});

const exclusive = claim("data", { volume: "v", spec: { accessModes: ["ReadWriteOncePod"], volumeName: "v" } });

test.each<[string, Pod, readonly Pod[], object]>([
  ["a pod without volumes is none of its business", pod("p"), [], { all: "skip" }],
  ["an exclusive claim that nobody uses", podWith(["data"]), [], { all: "skip" }],
  [
    "an exclusive claim that is used anywhere",
    podWith(["data"]),
    [podWith(["data"], { name: "q", on: "a" })],
    { a: inUse, b: inUse },
  ],
  [
    "a claim of the same name in another namespace",
    podWith(["data"]),
    [podWith(["data"], { name: "q", on: "a", namespace: "other" })],
    { all: "skip" },
  ],
  ["a claim that is missing", podWith(["gone"]), [], { all: 'UU persistentvolumeclaim "gone" not found' }],
])("%s", (_, incoming, pods, expected) => {
  expect(filterAlone(volumeRestrictions, incoming, { nodes, pods, claims: [exclusive] })).toEqual(expected);
});

test("the user of an exclusive claim is preempted, wherever the pod could go", () => {
  const user = podWith(["data"], { name: "user", on: "a", priority: 1 });
  const cluster = { nodes, pods: [user], claims: [exclusive], volumes: [volume("v")] };
  const verdict = schedule(podWith(["data"], { priority: 5 }), cluster);
  expect(verdict).toMatchObject({ at: "unschedulable", nomination: { nodeName: "a" } });
});
