import type { Pod } from "@kubeloop/core/types/core/v1";
import type { CSIStorageCapacity } from "@kubeloop/core/types/storage/v1";
import { expect, test } from "vitest";
import { type ClusterFacts, filterAlone, node, pod, schedule } from "../cluster.fixture.ts";
import { claim, csiNode, nodesWith, podWith, podWithVolumes, storageClass, volume } from "../storage.fixture.ts";
import { volumeBinding } from "./volume-binding.ts";

const nodes = [node("a", { labels: { zone: "a" } }), node("b", { labels: { zone: "b" } })];
const unreachable = "UU node(s) didn't match PersistentVolume's node affinity";
const nothing = "UU node(s) didn't find available persistent volumes to bind";
const tooSmall = "UU node(s) did not have enough free storage";
const missing = "UU node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
const ephemeral = podWithVolumes([{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } }]);
const owned = (uid: string) => ({
  name: "p-scratch",
  namespace: "default",
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid, controller: true }],
});

test.each<[string, Pod, Partial<ClusterFacts>, string]>([
  ["no claims", pod("p"), {}, "skip"],
  ["a claim that is missing", podWith(["c"]), {}, 'UU persistentvolumeclaim "c" not found'],
  [
    "the claim of an ephemeral volume is not made yet",
    ephemeral,
    {},
    'UU waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"',
  ],
  [
    "the claim of an ephemeral volume is somebody else's",
    ephemeral,
    { claims: [claim("p-scratch", { metadata: owned("another") })] },
    "UU PVC default/p-scratch was not created for pod default/p (pod is not owner)",
  ],
  [
    "a claim that has lost its volume",
    podWith(["c"]),
    { claims: [claim("c", { volume: "v", status: { phase: "Lost" } })] },
    'UU persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
  ],
  [
    "a claim that is being deleted",
    podWith(["c"]),
    {
      claims: [
        claim("c", {
          volume: "v",
          metadata: { name: "c", namespace: "default", deletionTimestamp: "2026-01-01T00:00:00Z" },
        }),
      ],
    },
    'UU persistentvolumeclaim "c" is being deleted',
  ],
  [
    "an unbound claim of a class that binds at once",
    podWith(["c"]),
    {
      claims: [claim("c", { className: "s" })],
      classes: [storageClass("s", { volumeBindingMode: "Immediate" })],
    },
    "UU pod has unbound immediate PersistentVolumeClaims",
  ],
  [
    "a claim with a volume name whose binding is not complete",
    podWith(["c"]),
    { claims: [claim("c", { className: "s", volume: "v", isBound: false })], classes: [storageClass("s")] },
    "UU pod has unbound immediate PersistentVolumeClaims",
  ],
])("for all nodes: %s", (_, incoming, cluster, expected) => {
  expect(filterAlone(volumeBinding, incoming, { nodes, ...cluster })).toEqual({ all: expected });
});

const waits = [claim("c", { className: "s" })];
const classes = [storageClass("s")];
const made = [storageClass("s", { provisioner: "csi.example.com" })];
const tracked = {
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIDriver",
  metadata: { name: "csi.example.com" },
  spec: { storageCapacity: true },
} as const;
const capacity = (facts: Partial<CSIStorageCapacity>): CSIStorageCapacity => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIStorageCapacity",
  metadata: { name: "capacity", namespace: "default" },
  storageClassName: "s",
  nodeTopology: { matchLabels: { zone: "a" } },
  capacity: "1Gi",
  ...facts,
});
const oldDisk = (labels: Readonly<Record<string, string>>, near?: readonly [string, string]) =>
  volume("v", {
    labels,
    ...(near === undefined ? {} : { near }),
    spec: {
      awsElasticBlockStore: { volumeID: "vol-1" },
      ...(near === undefined ? {} : { nodeAffinity: { required: nodesWith(...near) } }),
    },
  });
const migrated = { annotations: { "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs" } };
const ebsNodes = ["a", "b"].map((zone) => node(zone, { labels: { "topology.ebs.csi.aws.com/zone": zone } }));

test.each<[string, Partial<ClusterFacts>, object]>([
  [
    "a bound volume that only some nodes reach",
    { claims: [claim("c", { volume: "v" })], volumes: [volume("v", { near: ["zone", "a"] })] },
    { a: "ok", b: unreachable },
  ],
  ["a bound volume that is gone", { claims: [claim("c", { volume: "v" })] }, { a: missing, b: missing }],
  [
    "an available volume that only some nodes reach",
    { claims: waits, classes, volumes: [volume("v", { className: "s", near: ["zone", "b"] })] },
    { a: nothing, b: "ok" },
  ],
  [
    "a volume that is not available",
    { claims: waits, classes, volumes: [volume("v", { className: "s", phase: "Released" })] },
    { a: nothing, b: nothing },
  ],
  [
    "a volume of another class",
    { claims: waits, classes, volumes: [volume("v", { className: "t" })] },
    { a: nothing, b: nothing },
  ],
  [
    "a volume that is too small",
    { claims: waits, classes, volumes: [volume("v", { className: "s", size: "1000M" })] },
    { a: nothing, b: nothing },
  ],
  [
    "a volume that is promised to another claim",
    {
      claims: waits,
      classes,
      volumes: [volume("v", { className: "s", spec: { claimRef: { name: "other", namespace: "default" } } })],
    },
    { a: nothing, b: nothing },
  ],
  [
    "a volume that is promised to the claim, though it is not available yet",
    {
      claims: waits,
      classes,
      volumes: [
        volume("v", {
          className: "s",
          phase: "Pending",
          spec: {
            storageClassName: "s",
            accessModes: [],
            capacity: { storage: "1Gi" },
            claimRef: { name: "c", namespace: "default" },
          },
        }),
      ],
    },
    { a: "ok", b: "ok" },
  ],
  [
    "a volume with other access modes",
    {
      claims: [claim("c", { className: "s", spec: { storageClassName: "s", accessModes: ["ReadWriteMany"] } })],
      classes,
      volumes: [volume("v", { className: "s" })],
    },
    { a: nothing, b: nothing },
  ],
  [
    "a volume whose labels the claim does not select",
    {
      claims: [
        claim("c", { className: "s", spec: { storageClassName: "s", selector: { matchLabels: { disk: "ssd" } } } }),
      ],
      classes,
      volumes: [volume("v", { className: "s", labels: { disk: "hdd" } })],
    },
    { a: nothing, b: nothing },
  ],
  [
    "a block volume for a file system",
    {
      claims: waits,
      classes,
      volumes: [volume("v", { className: "s", spec: { storageClassName: "s", volumeMode: "Block" } })],
    },
    { a: nothing, b: nothing },
  ],
  ["a provisioner that may make one anywhere", { claims: waits, classes: made }, { a: "ok", b: "ok" }],
  [
    "a provisioner that may make one in a zone only",
    {
      claims: waits,
      classes: [
        storageClass("s", {
          provisioner: "csi.example.com",
          allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["b", "c"] }] }],
        }),
      ],
    },
    { a: nothing, b: "ok" },
  ],
  [
    "a claim that another node was chosen for",
    { claims: [claim("c", { className: "s", selectedNode: "b" })], classes: made },
    { a: nothing, b: "ok" },
  ],
  [
    "enough capacity on one node",
    { claims: waits, classes: made, csiDrivers: [tracked], capacities: [capacity({})] },
    { a: "ok", b: tooSmall },
  ],
  [
    "a largest volume that is too small",
    {
      claims: waits,
      classes: made,
      csiDrivers: [tracked],
      capacities: [capacity({ capacity: "9Gi", maximumVolumeSize: "1Mi" })],
    },
    { a: tooSmall, b: tooSmall },
  ],
  [
    "a bound claim out of reach and another without a volume are two reasons",
    {
      claims: [claim("c", { volume: "v" }), claim("d", { className: "s" })],
      classes,
      volumes: [volume("v", { near: ["zone", "a"] })],
    },
    { a: nothing, b: `${unreachable}, ${nothing.slice(3)}` },
  ],
  [
    "an old disk whose zone is the driver's label now",
    {
      nodes: ebsNodes,
      claims: [claim("c", { volume: "v" })],
      volumes: [oldDisk({}, ["topology.kubernetes.io/zone", "a"])],
      csiNodes: [csiNode("a", {}, migrated), csiNode("b", {}, migrated)],
    },
    { a: "ok", b: unreachable },
  ],
  [
    "an old disk whose labels alone tell the zone",
    {
      nodes: ebsNodes,
      claims: [claim("c", { volume: "v" })],
      volumes: [oldDisk({ "failure-domain.beta.kubernetes.io/zone": "b__c" })],
      csiNodes: [csiNode("a", {}, migrated), csiNode("b", {}, migrated)],
    },
    { a: unreachable, b: "ok" },
  ],
  [
    "an old disk on a node where nothing was migrated",
    {
      nodes: ebsNodes,
      claims: [claim("c", { volume: "v" })],
      volumes: [oldDisk({}, ["topology.kubernetes.io/zone", "a"])],
    },
    { a: unreachable, b: unreachable },
  ],
])("%s", (_, cluster, expected) => {
  const incoming = podWith((cluster.claims ?? []).map(({ metadata }) => metadata.name ?? ""));
  expect(filterAlone(volumeBinding, incoming, { nodes, ...cluster })).toEqual(expected);
});

test("the smallest claims get the smallest volumes, and the rest are provisioned", () => {
  const cluster: ClusterFacts = {
    nodes: [node("a")],
    claims: ["3Gi", "1Gi", "9Gi"].map((size, index) => claim(`c${index}`, { className: "s", size })),
    volumes: ["8Gi", "5Gi", "2Gi"].map((size) => volume(`of-${size}`, { className: "s", size })),
    classes: made,
  };
  const verdict = schedule(podWith(["c0", "c1", "c2"]), cluster);
  const { volumes } = verdict.at === "scheduled" ? verdict : {};
  expect(volumes?.bindings.map((each) => [each.claim.metadata.name, each.volume.metadata.name])).toEqual([
    ["c1", "of-2Gi"],
    ["c0", "of-5Gi"],
  ]);
  expect(volumes?.provisions.map(({ metadata }) => metadata.name)).toEqual(["c2"]);
});

test("a pod whose claims are all bound needs nothing more", () => {
  const cluster = { nodes: [node("a")], claims: [claim("c", { volume: "v" })], volumes: [volume("v")] };
  expect(schedule(podWith(["c"]), cluster)).toEqual({ at: "scheduled", nodeName: "a", startIndex: 0 });
});

test("a disk that its driver cannot know is an error, not a refusal", () => {
  const cluster = {
    nodes: [node("a")],
    claims: [claim("c", { volume: "v" })],
    volumes: [volume("v", { spec: { awsElasticBlockStore: { volumeID: "aws://zone/disk-1" } } })],
    csiNodes: [csiNode("a", {}, migrated)],
  };
  expect(schedule(podWith(["c"]), cluster)).toMatchObject({
    at: "error",
    message: expect.stringMatching(/^running "VolumeBinding" filter plugin: could not translate pv: /),
  });
});

test("a refusal of the claims leaves no room for preemption, in upstream's words", () => {
  const cluster = { nodes, claims: waits, classes: [storageClass("s", { volumeBindingMode: "Immediate" })] };
  expect(schedule(podWith(["c"]), cluster)).toMatchObject({
    message: "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    rejectingPlugins: new Set(["VolumeBinding"]),
  });
});
