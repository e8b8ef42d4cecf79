// Classes of storage, CSI drivers and volumes at nodes.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

/** In every way a change can be that is looked at for all kinds. */
const wrongMetadata = {
  metadata: { generateName: "A_b", labels: { "a b": "c" }, finalizers: ["x"], deletionGracePeriodSeconds: 5 },
};

const group = "/apis/storage.k8s.io/v1";
const apiVersion = "storage.k8s.io/v1";
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const topology = (...expressions: object[]) => ({ matchLabelExpressions: expressions });
const manyParameters = Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`a${i}`, "b"]));

const metadataChanges = {
  "kept by anybody": { metadata: { finalizers: ["x"] } },
  "let go": { metadata: { finalizers: null } },
  "given a bad prefix": { metadata: { generateName: "A_b" } },
  "given an end and bad labels": { metadata: { deletionGracePeriodSeconds: 5, labels: { "a b": "c" } } },
};

const storageClassScene = kindScene({
  name: "storage classes",
  path: `${group}/storageclasses`,
  object: { kind: "StorageClass", apiVersion, metadata: { name: "{ns}-s" }, provisioner: "a.b/c" },
  others: {
    "without anything": { provisioner: undefined },
    "of a bad provisioner": { provisioner: "a b" },
    "of a provisioner in capitals": { provisioner: "A.b/C" },
    "with all": {
      parameters: { a: "b" },
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
      allowVolumeExpansion: true,
      mountOptions: ["ro"],
      allowedTopologies: [topology({ key: "topology.kubernetes.io/zone", values: ["a", "b"] })],
    },
    "with bad words": { reclaimPolicy: "Recycle", volumeBindingMode: "Later" },
    "with no name of a parameter": { parameters: { "": "a" } },
    "with many parameters": { parameters: manyParameters },
    "with large parameters": { parameters: { a: "b".repeat(256 * 1024) } },
    "with bad topologies": {
      allowedTopologies: [
        topology({ key: "a b", values: [] }),
        topology({ key: "a", values: ["b", "b"] }, { key: "a", values: ["c"] }),
        topology({ key: "d", values: ["e"] }),
        topology({ key: "d", values: ["e"] }),
      ],
    },
    "with topologies of nothing": {
      allowedTopologies: [{}, {}, topology({ key: "a", values: ["b"] }), {}, topology({ key: "a", values: ["b"] })],
    },
    "with topologies in another order": {
      allowedTopologies: [
        topology({ key: "a", values: ["b", "c"] }, { key: "d", values: ["e"] }),
        topology({ key: "d", values: ["e"] }, { key: "a", values: ["c", "b"] }),
        topology({ key: "a", values: ["c", "b"] }),
      ],
    },
    "with a topology of nothing": { allowedTopologies: [{}] },
    "with an old label": {
      allowedTopologies: [topology({ key: "failure-domain.beta.kubernetes.io/zone", values: ["a"] })],
    },
  },
  changes: {
    ...metadataChanges,
    "given another provisioner": { provisioner: "a.b/d" },
    "given parameters": { parameters: { a: "b" } },
    "given other ways": { reclaimPolicy: "Retain", volumeBindingMode: "WaitForFirstConsumer" },
    "allowed to grow": { allowVolumeExpansion: true },
    "made the default": { metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } } },
  },
  steps: [{ title: "the default, as a table", path: `${group}/storageclasses/{ns}-s`, headers: table }],
});

const attributesScene = kindScene({
  name: "volume attributes classes",
  path: `${group}/volumeattributesclasses`,
  object: {
    kind: "VolumeAttributesClass",
    apiVersion,
    // Else admission would add it.
    metadata: { name: "{ns}-v", finalizers: ["kubernetes.io/vac-protection"] },
    driverName: "a.b",
    parameters: { iops: "5" },
  },
  others: {
    "without anything": { driverName: undefined, parameters: undefined },
    "of a bad driver": { driverName: "a b" },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "given another driver": { driverName: "c.d" },
    "given other parameters": { parameters: { iops: "6" } },
    "given none": { parameters: null },
  },
});

const inlineVolume = {
  accessModes: ["ReadWriteOnce"],
  capacity: { storage: "1Gi" },
  csi: { driver: "d.e", volumeHandle: "h" },
};
const attachmentScene = kindScene({
  name: "volume attachments",
  path: `${group}/volumeattachments`,
  object: {
    kind: "VolumeAttachment",
    apiVersion,
    metadata: { name: "{ns}-a" },
    spec: { attacher: "a.b", nodeName: "n", source: { persistentVolumeName: "p" } },
    status: { attached: true },
  },
  others: {
    "without anything": { spec: undefined },
    "by a bad attacher": { spec: { attacher: "A_b" } },
    "by an attacher in capitals": { spec: { attacher: "A.B" } },
    "by a long attacher": { spec: { attacher: "a".repeat(64) } },
    "of a volume without a name": { spec: { source: { persistentVolumeName: "" } } },
    "of a bad volume": { spec: { nodeName: "A_b", source: { persistentVolumeName: "A_b" } } },
    "of an inline volume that is none": { spec: { source: { inlineVolumeSpec: {} } } },
    "of an inline volume": { spec: { source: { inlineVolumeSpec: inlineVolume } } },
    "of a bad inline volume": {
      spec: {
        source: {
          inlineVolumeSpec: {
            ...inlineVolume,
            accessModes: ["X"],
            capacity: { storage: "-1" },
            csi: { driver: "", volumeHandle: "" },
            persistentVolumeReclaimPolicy: "Delete",
            storageClassName: "A_b",
            claimRef: { name: "c" },
            mountOptions: ["ro"],
            volumeMode: "Block",
            nodeAffinity: {},
          },
        },
      },
    },
    "of an inline volume of another kind": {
      spec: { source: { inlineVolumeSpec: { ...inlineVolume, csi: undefined, hostPath: { path: "/a" } } } },
    },
    "of two": { spec: { source: { persistentVolumeName: "a", inlineVolumeSpec: {} } } },
  },
  changes: {
    ...metadataChanges,
    "given another volume": { spec: { source: { persistentVolumeName: "q" } } },
  },
  throughSubresources: {
    "status: being deleted": { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } },
    "status: given a bad prefix": { metadata: { generateName: "A_b" } },
    "status: attached": {
      spec: { nodeName: "m" },
      status: {
        attached: true,
        attachmentMetadata: { a: "b" },
        attachError: { time: "2020-01-01T00:00:00Z", message: "m", errorCode: 5 },
      },
    },
    "status: told too much": {
      status: {
        attachError: { message: "m".repeat(1025), errorCode: -1 },
        attachmentMetadata: { a: "b".repeat(256 * 1024) },
      },
    },
  },
});

const driverScene = kindScene({
  name: "CSI drivers",
  path: `${group}/csidrivers`,
  object: { kind: "CSIDriver", apiVersion, metadata: { name: "{ns}-d" } },
  others: {
    "with all": {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        fsGroupPolicy: "File",
        volumeLifecycleModes: ["Ephemeral", "Persistent"],
        requiresRepublish: true,
        seLinuxMount: true,
        nodeAllocatableUpdatePeriodSeconds: 10,
        preventPodSchedulingIfMissing: true,
        tokenRequests: [{ audience: "a", expirationSeconds: 600 }, { audience: "" }],
        serviceAccountTokenInSecrets: true,
      },
    },
    "with tokens": { spec: { tokenRequests: [{ audience: "a" }] } },
    "with bad words": {
      spec: { fsGroupPolicy: "X", volumeLifecycleModes: ["X", "Persistent"], nodeAllocatableUpdatePeriodSeconds: 9 },
    },
    "with bad tokens": {
      spec: {
        tokenRequests: [
          { audience: "a", expirationSeconds: 599 },
          { audience: "a" },
          { audience: "b", expirationSeconds: 4294967297 },
        ],
      },
    },
    "with secrets but no tokens": { spec: { serviceAccountTokenInSecrets: false } },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "that need not attach": { spec: { attachRequired: false } },
    "with other modes": { spec: { volumeLifecycleModes: ["Ephemeral"] } },
    "told of pods": { spec: { podInfoOnMount: true } },
    "given tokens": { spec: { tokenRequests: [{ audience: "a" }, { audience: "b" }] } },
  },
  steps: [{ title: "with tokens, as a table", path: `${group}/csidrivers/{ns}-d`, headers: table }],
});

const driver = { name: "a.b", nodeID: "n" };
const nodeScene = kindScene({
  name: "CSI nodes",
  path: `${group}/csinodes`,
  object: { kind: "CSINode", apiVersion, metadata: { name: "{ns}-n" }, spec: { drivers: [driver] } },
  others: {
    "without anything": { spec: undefined },
    "with all": { spec: { drivers: [{ ...driver, topologyKeys: ["a/b"], allocatable: { count: 5 } }] } },
    "with bad drivers": {
      spec: {
        drivers: [
          {},
          { name: "A_b", nodeID: "n".repeat(257), allocatable: { count: -1 }, topologyKeys: ["", "a", "a", "a b"] },
          driver,
          driver,
        ],
      },
    },
  },
  changes: {
    ...metadataChanges,
    "told of room": { spec: { drivers: [{ ...driver, allocatable: { count: 3 } }] } },
    "known by another name": { spec: { drivers: [{ ...driver, nodeID: "m" }] } },
    "given another driver": { spec: { drivers: [{ name: "c.d", nodeID: "m" }] } },
    "given none": { spec: { drivers: [] } },
  },
});

const capacityScene = kindScene({
  name: "CSI storage capacities",
  path: `${group}/namespaces/{ns}/csistoragecapacities`,
  object: {
    kind: "CSIStorageCapacity",
    apiVersion,
    metadata: { name: "c" },
    storageClassName: "s",
    nodeTopology: { matchLabels: { a: "b" } },
    capacity: "1024Mi",
  },
  others: {
    "without anything": { storageClassName: undefined, nodeTopology: undefined, capacity: undefined },
    "of a bad class": { storageClassName: "A_b", capacity: "-1", maximumVolumeSize: "-1" },
    "of bad nodes": { nodeTopology: { matchLabels: { "a b": "c" } } },
    "of nodes with an old label": { nodeTopology: { matchLabels: { "beta.kubernetes.io/os": "c" } } },
    "of nodes with some old label": {
      nodeTopology: { matchExpressions: [{ key: "beta.kubernetes.io/arch", operator: "Exists" }] },
    },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "of another class": { storageClassName: "t" },
    "of other nodes": { nodeTopology: { matchLabels: { a: "c" } } },
    "with less": { capacity: "1" },
  },
});

export const storageScenes: readonly Scene[] = [
  storageClassScene,
  attributesScene,
  attachmentScene,
  driverScene,
  nodeScene,
  capacityScene,
];
