import type { Pod } from "@kubeloop/core/types/core/v1";
import type { CSIStorageCapacity, StorageClass } from "@kubeloop/core/types/storage/v1";
import { expect, test } from "vitest";
import { node, pod } from "../cluster.fixture.ts";
import { incomingPodInfo } from "../snapshot/pod-info.ts";
import { claim, csiNode, podWith, podWithVolumes, storageClass, volume } from "../storage.fixture.ts";
import { type ClusterEvent, nodeEvents, type StorageEvent, type StorageObjects } from "./cluster-event.ts";
import { isWorthRequeuing } from "./hints.ts";

const added = <On extends keyof StorageObjects>(on: On, after: StorageObjects[On]) =>
  [{ on, change: "add", before: undefined, after } as StorageEvent] as const;
const updated = <On extends keyof StorageObjects>(on: On, before: StorageObjects[On], after: StorageObjects[On]) =>
  [{ on, change: "update", before, after } as StorageEvent] as const;
const deleted = <On extends keyof StorageObjects>(on: On, before: StorageObjects[On]) =>
  [{ on, change: "delete", before, after: undefined } as StorageEvent] as const;
const removePod = (before: Pod): readonly ClusterEvent[] => [{ on: "pod", change: "delete", before, after: undefined }];
const addNode: readonly ClusterEvent[] = [{ on: "node", change: "add", before: undefined, after: node("n") }];
const labelNode = nodeEvents(node("n"), node("n", { labels: { zone: "a" } }));
const taintNode = nodeEvents(node("n"), node("n", { taints: [{ key: "x", effect: "NoSchedule" }] }));

const waiting = podWith(["c"], { name: "waiting" });
const scratch = podWithVolumes([{ name: "v", ephemeral: {} }], { name: "waiting" });
const disk = (name: string) => podWithVolumes([{ name: "v", gcePersistentDisk: { pdName: "d" } }], { name, on: "n" });
const topologies = (value: string): StorageClass =>
  storageClass("s", { allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: [value] }] }] });
const capacity = (size: string | undefined): CSIStorageCapacity => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIStorageCapacity",
  metadata: { name: "capacity", namespace: "default" },
  storageClassName: "s",
  ...(size === undefined ? {} : { capacity: size }),
});
const driver = (storageCapacity: boolean) =>
  ({
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: "d" },
    spec: { storageCapacity },
  }) as const;
const attachment = (attacher: string) =>
  ({
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: "a" },
    spec: { attacher, nodeName: "n", source: {} },
  }) as const;
const migrated = (plugins: string) =>
  csiNode("n", {}, { annotations: { "storage.alpha.kubernetes.io/migrated-plugins": plugins } });
const inZone = (zone: string) => volume("v", { labels: { "topology.kubernetes.io/zone": zone } });

type Fact = readonly [plugin: string, what: string, waiting: Pod, events: readonly ClusterEvent[], wakes: boolean];

const facts: readonly Fact[] = [
  ["VolumeRestrictions", "a node comes", waiting, addNode, true],
  ["VolumeRestrictions", "any taint, as upstream", waiting, taintNode, true],
  ["VolumeRestrictions", "a label", waiting, labelNode, false],
  ["VolumeRestrictions", "a pod with the same claim goes", waiting, removePod(podWith(["c"], { name: "q" })), true],
  ["VolumeRestrictions", "a pod with another claim goes", waiting, removePod(podWith(["d"], { name: "q" })), false],
  [
    "VolumeRestrictions",
    "a pod with a claim of that name in another namespace goes",
    waiting,
    removePod(podWith(["c"], { name: "q", namespace: "other" })),
    false,
  ],
  ["VolumeRestrictions", "a pod with the same disk goes", disk("waiting"), removePod(disk("q")), true],
  ["VolumeRestrictions", "its claim comes", waiting, added("persistentVolumeClaim", claim("c")), true],
  ["VolumeRestrictions", "another claim comes", waiting, added("persistentVolumeClaim", claim("d")), false],
  [
    "VolumeRestrictions",
    "its claim changes",
    waiting,
    updated("persistentVolumeClaim", claim("c"), claim("c", { volume: "v" })),
    false,
  ],
  ["NodeVolumeLimits", "a node comes, which has no limits yet", waiting, addNode, false],
  ["NodeVolumeLimits", "a CSINode comes", waiting, added("csiNode", csiNode("n", {})), true],
  [
    "NodeVolumeLimits",
    "a limit is raised",
    waiting,
    updated("csiNode", csiNode("n", { d: 1 }), csiNode("n", { d: 2 })),
    true,
  ],
  [
    "NodeVolumeLimits",
    "a limit is lowered",
    waiting,
    updated("csiNode", csiNode("n", { d: 2 }), csiNode("n", { d: 1 })),
    false,
  ],
  [
    "NodeVolumeLimits",
    "a limit stays",
    waiting,
    updated("csiNode", csiNode("n", { d: 1 }), csiNode("n", { d: 1 })),
    false,
  ],
  ["NodeVolumeLimits", "a placed pod with a claim goes", waiting, removePod(podWith(["d"], { on: "n" })), true],
  ["NodeVolumeLimits", "a waiting pod with a claim goes", waiting, removePod(podWith(["d"])), false],
  ["NodeVolumeLimits", "a pod without volumes goes", waiting, removePod(pod("q", { on: "n" })), false],
  [
    "NodeVolumeLimits",
    "the claim of its ephemeral volume comes",
    scratch,
    added("persistentVolumeClaim", claim("waiting-v")),
    true,
  ],
  ["NodeVolumeLimits", "any volume is detached", waiting, deleted("volumeAttachment", attachment("d")), true],
  ["NodeVolumeLimits", "a volume is attached", waiting, added("volumeAttachment", attachment("d")), false],
  [
    "NodeVolumeLimits",
    "a disk of its driver is detached",
    disk("waiting"),
    deleted("volumeAttachment", attachment("pd.csi.storage.gke.io")),
    true,
  ],
  [
    "NodeVolumeLimits",
    "a disk of another driver is detached",
    disk("waiting"),
    deleted("volumeAttachment", attachment("d")),
    false,
  ],
  ["VolumeBinding", "a node comes", waiting, addNode, true],
  ["VolumeBinding", "a label", waiting, labelNode, true],
  ["VolumeBinding", "any taint, as upstream", waiting, taintNode, true],
  ["VolumeBinding", "a class comes", waiting, added("storageClass", storageClass("s")), true],
  [
    "VolumeBinding",
    "a class is allowed elsewhere",
    waiting,
    updated("storageClass", topologies("a"), topologies("b")),
    true,
  ],
  [
    "VolumeBinding",
    "a class changes in another way",
    waiting,
    updated("storageClass", topologies("a"), { ...topologies("a"), allowVolumeExpansion: true }),
    false,
  ],
  ["VolumeBinding", "a volume comes", waiting, added("persistentVolume", volume("v")), true],
  ["VolumeBinding", "a volume changes", waiting, updated("persistentVolume", volume("v"), volume("v")), true],
  ["VolumeBinding", "a volume goes", waiting, deleted("persistentVolume", volume("v")), false],
  [
    "VolumeBinding",
    "its claim changes",
    waiting,
    updated("persistentVolumeClaim", claim("c"), claim("c", { volume: "v" })),
    true,
  ],
  [
    "VolumeBinding",
    "the claim of its ephemeral volume comes",
    scratch,
    added("persistentVolumeClaim", claim("waiting-v")),
    true,
  ],
  ["VolumeBinding", "another claim comes", waiting, added("persistentVolumeClaim", claim("d")), false],
  ["VolumeBinding", "a CSINode comes", waiting, added("csiNode", csiNode("n", {})), true],
  ["VolumeBinding", "a plugin is migrated", waiting, updated("csiNode", migrated(""), migrated("x")), true],
  ["VolumeBinding", "a limit is raised", waiting, updated("csiNode", migrated("x"), migrated("x")), false],
  ["VolumeBinding", "a capacity comes", waiting, added("csiStorageCapacity", capacity("1Gi")), true],
  ["VolumeBinding", "more capacity", waiting, updated("csiStorageCapacity", capacity("1Gi"), capacity("2Gi")), true],
  ["VolumeBinding", "less capacity", waiting, updated("csiStorageCapacity", capacity("2Gi"), capacity("1Gi")), false],
  [
    "VolumeBinding",
    "capacity is known now",
    waiting,
    updated("csiStorageCapacity", capacity(undefined), capacity("1Gi")),
    true,
  ],
  [
    "VolumeBinding",
    "the driver of an inline volume does not track capacity any more",
    podWithVolumes([{ name: "v", csi: { driver: "d" } }]),
    updated("csiDriver", driver(true), driver(false)),
    true,
  ],
  [
    "VolumeBinding",
    "the driver of a claim's class does not track capacity any more, as upstream",
    waiting,
    updated("csiDriver", driver(true), driver(false)),
    false,
  ],
  ["VolumeZone", "a node comes", waiting, addNode, true],
  ["VolumeZone", "a label", waiting, labelNode, true],
  ["VolumeZone", "a class that waits comes", waiting, added("storageClass", storageClass("s")), true],
  [
    "VolumeZone",
    "a class that binds at once comes",
    waiting,
    added("storageClass", storageClass("s", { volumeBindingMode: "Immediate" })),
    false,
  ],
  ["VolumeZone", "its claim comes", waiting, added("persistentVolumeClaim", claim("c")), true],
  [
    "VolumeZone",
    "the claim of its ephemeral volume, which it does not look at",
    scratch,
    added("persistentVolumeClaim", claim("waiting-v")),
    false,
  ],
  ["VolumeZone", "a volume comes", waiting, added("persistentVolume", volume("v")), true],
  ["VolumeZone", "a volume moves", waiting, updated("persistentVolume", inZone("a"), inZone("b")), true],
  ["VolumeZone", "a volume stays", waiting, updated("persistentVolume", inZone("a"), inZone("a")), false],
  ["NodeResourcesFit", "a volume, which is nothing to it", waiting, added("persistentVolume", volume("v")), false],
];

test.each(facts)("%s: %s", (plugin, _, incoming, events, wakes) => {
  const podInfo = incomingPodInfo(incoming);
  expect(events.length).toBeGreaterThan(0);
  expect(events.some((event) => isWorthRequeuing(podInfo, new Set([plugin]), event))).toBe(wakes);
});
