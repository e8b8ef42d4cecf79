import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@kubeloop/core/types/core/v1";
import type { VolumeAttachment } from "@kubeloop/core/types/storage/v1";
import { expect, test } from "vitest";
import { filterAlone, node, pod } from "../cluster.fixture.ts";
import { claim, csiNode, podWith, podWithVolumes, storageClass, volume } from "../storage.fixture.ts";
import { nodeVolumeLimits } from "./node-volume-limits.ts";

const driver = "csi.example.com";
const full = "U node(s) exceed max volume count";
const csiVolume = (name: string, of = driver): PersistentVolume =>
  volume(name, { spec: { csi: { driver: of, volumeHandle: `handle-${name}` } } });
const bound = ["1", "2", "3", "4"].map((each) => claim(`c${each}`, { volume: `v${each}` }));
const volumes = ["v1", "v2", "v3", "v4"].map((name) => csiVolume(name));
const user = (claims: readonly string[]) => podWith(claims, { name: `user-${claims.join("-")}`, on: "n" });
const attachment = (persistentVolumeName: string): VolumeAttachment => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: { name: persistentVolumeName },
  spec: { attacher: driver, nodeName: "n", source: { persistentVolumeName } },
});

interface Fact {
  readonly limits?: Readonly<Record<string, number | undefined>>;
  readonly incoming?: Pod;
  readonly pods?: readonly Pod[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly attachments?: readonly VolumeAttachment[];
  readonly isWithoutCsiNode?: boolean;
}

const ebs = volume("old", { spec: { awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } } });

test.each<[string, Fact, string]>([
  ["as many as allowed", { limits: { [driver]: 2 }, pods: [user(["c2"])] }, "ok"],
  ["one more than allowed", { limits: { [driver]: 2 }, pods: [user(["c2", "c3"])] }, full],
  ["two new ones, where one is allowed", { limits: { [driver]: 1 }, incoming: podWith(["c1", "c2"]) }, full],
  ["a volume that is there already", { limits: { [driver]: 1 }, pods: [user(["c1"])] }, "ok"],
  ["a volume that two pods share counts once", { limits: { [driver]: 2 }, pods: [user(["c2"]), user(["c2"])] }, "ok"],
  ["a limit of another driver", { limits: { "other.example.com": 0 }, pods: [user(["c2"])] }, "ok"],
  ["a driver without a limit", { limits: { [driver]: undefined }, pods: [user(["c2", "c3"])] }, "ok"],
  ["a node that no driver knows", { isWithoutCsiNode: true, pods: [user(["c2"])] }, "ok"],
  ["a volume that is attached without a pod", { limits: { [driver]: 1 }, attachments: [attachment("v2")] }, full],
  [
    "a volume that is attached for a pod counts once",
    { limits: { [driver]: 2 }, pods: [user(["c2"])], attachments: [attachment("v2")] },
    "ok",
  ],
  [
    "a claim that waits for its first consumer counts as one of its provisioner",
    { limits: { [driver]: 0 }, incoming: podWith(["new"]), claims: [claim("new", { className: "fast" })] },
    full,
  ],
  [
    "a volume of a plugin that is a driver now",
    {
      limits: { "ebs.csi.aws.com": 1 },
      pods: [podWithVolumes([{ name: "v", awsElasticBlockStore: { volumeID: "vol-2" } }], { name: "q", on: "n" })],
      claims: [claim("c1", { volume: "old" })],
      volumes: [ebs],
    },
    full,
  ],
  [
    "the same volume, once inline and once by a claim",
    {
      limits: { "ebs.csi.aws.com": 1 },
      pods: [podWithVolumes([{ name: "v", awsElasticBlockStore: { volumeID: "vol-1" } }], { name: "q", on: "n" })],
      claims: [claim("c1", { volume: "old" })],
      volumes: [ebs],
    },
    "ok",
  ],
  [
    "a claim that is missing, in a profile without the plugins that say so first",
    { limits: { [driver]: 1 }, incoming: podWith(["gone"]) },
    'UU looking up PVC default/gone: persistentvolumeclaim "gone" not found',
  ],
])("%s", (_, fact, expected) => {
  const { limits = {}, incoming = podWith(["c1"]), pods = [], isWithoutCsiNode = false, attachments = [] } = fact;
  const cluster = {
    nodes: [node("n")],
    pods,
    claims: fact.claims ?? bound,
    volumes: fact.volumes ?? volumes,
    attachments,
    classes: [storageClass("fast", { provisioner: driver })],
    csiNodes: isWithoutCsiNode ? [] : [csiNode("n", limits)],
  };
  expect(filterAlone(nodeVolumeLimits, incoming, cluster)).toEqual({ n: expected });
});

test("a pod without claims is none of its business", () => {
  expect(filterAlone(nodeVolumeLimits, pod("p"), { nodes: [node("n")] })).toEqual({ all: "skip" });
});
