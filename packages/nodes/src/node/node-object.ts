// The Node object that a hollow node registers, and the status it keeps reporting. Pure.

import { createHash } from "node:crypto";
import { type corev1, printTime } from "@kubeloop/core/api";
import { fullImageName, imageBytes, imageId } from "../script/image-name.ts";
import { allocatableOf } from "./allocatable.ts";

export interface HollowNodeSpec {
  readonly name: string;
  /** Default: 8 CPUs, 32 GiB, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly corev1.Taint[];
  /** The addresses of the node, the primary family first. */
  readonly internalIPs: readonly string[];
  /** By which others reach it. Default: its name. A kube-apiserver tries this before the addresses. */
  readonly hostname?: string;
}

export const defaultCapacity: Readonly<Record<string, string>> = {
  cpu: "8",
  memory: "32Gi",
  pods: "110",
  "ephemeral-storage": "100Gi",
  "hugepages-1Gi": "0",
  "hugepages-2Mi": "0",
};

/** The version of the kubelet that a hollow node behaves like. */
export const kubeletVersion = "v1.36.4";

/** What a node reports about itself. */
export interface NodeHealth {
  /** A cause why it is not ready, for people. */
  readonly notReady: string | undefined;
  /** Images that it has pulled. */
  readonly images?: Iterable<string>;
  /** Where its own paths are served; a kubelet's usual port, where nobody listens, unless given. */
  readonly kubeletPort?: number | undefined;
}

export function newNode(spec: HollowNodeSpec, health: NodeHealth, nowMs: number): corev1.Node {
  const { name } = spec;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...spec.labels,
      },
      annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
    },
    spec: spec.taints === undefined ? {} : { taints: spec.taints },
    status: toNodeStatus(spec, undefined, health, nowMs),
  };
}

/** Extended resources that others added to the capacity are kept, and conditions of others stay. */
export function toNodeStatus(
  spec: HollowNodeSpec,
  old: corev1.NodeStatus | undefined,
  health: NodeHealth,
  nowMs: number,
): corev1.NodeStatus {
  const capacity = { ...old?.capacity, ...defaultCapacity, ...spec.capacity };
  return {
    ...old,
    addresses: [
      ...spec.internalIPs.map((address) => ({ type: "InternalIP", address })),
      { type: "Hostname", address: spec.hostname ?? spec.name },
    ],
    capacity,
    allocatable: allocatableOf(capacity),
    daemonEndpoints: { kubeletEndpoint: { Port: health.kubeletPort ?? 10250 } },
    nodeInfo: {
      machineID: hash(`machine/${spec.name}`, 32),
      systemUUID: uuid(`system/${spec.name}`),
      bootID: uuid(`boot/${spec.name}`),
      kernelVersion: "6.12.0-kubeloop",
      osImage: "kubeloop hollow node",
      containerRuntimeVersion: "containerd://2.2.0",
      kubeletVersion,
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: "amd64",
    },
    features: { supplementalGroupsPolicy: true },
    runtimeHandlers: ["", "runc"].map((name) => ({
      name,
      features: { recursiveReadOnlyMounts: true, userNamespaces: true },
    })),
    // Only what hollow nodes do: a pod that needs more is refused instead of treated wrongly.
    declaredFeatures: ["ExtendWebSocketsToKubelet"],
    images: toImages(health.images ?? []),
    conditions: toNodeConditions(old?.conditions ?? [], health, nowMs),
  };
}

/** A kubelet reports no more than this. */
const mostImages = 50;

/** The largest would come first, but all are equally large. */
function toImages(images: Iterable<string>): corev1.ContainerImage[] {
  return [...images]
    .sort()
    .slice(0, mostImages)
    .map((image) => ({ names: [imageId(image), fullImageName(image)], sizeBytes: imageBytes }));
}

/** In the kubelet's order: pressure first, Ready last. */
function toNodeConditions(
  old: readonly corev1.NodeCondition[],
  { notReady }: NodeHealth,
  nowMs: number,
): corev1.NodeCondition[] {
  const ready =
    notReady === undefined
      ? { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
      : { type: "Ready", status: "False", reason: "KubeletNotReady", message: notReady };
  const owned = [
    {
      type: "MemoryPressure",
      status: "False",
      reason: "KubeletHasSufficientMemory",
      message: "kubelet has sufficient memory available",
    },
    {
      type: "DiskPressure",
      status: "False",
      reason: "KubeletHasNoDiskPressure",
      message: "kubelet has no disk pressure",
    },
    {
      type: "PIDPressure",
      status: "False",
      reason: "KubeletHasSufficientPID",
      message: "kubelet has sufficient PID available",
    },
    ready,
  ];
  const foreign = old.filter(({ type }) => !owned.some((condition) => condition.type === type));
  return [
    ...foreign,
    ...owned.map((condition) => {
      const before = old.find(({ type }) => type === condition.type);
      const isSame = before?.status === condition.status && before.lastTransitionTime !== undefined;
      return {
        ...condition,
        lastHeartbeatTime: printTime(nowMs),
        lastTransitionTime: isSame ? before.lastTransitionTime : printTime(nowMs),
      };
    }),
  ];
}

/** The status without the times that change with each report. */
export function withoutHeartbeats(status: corev1.NodeStatus | undefined): corev1.NodeStatus | undefined {
  if (status === undefined) return undefined;
  const conditions = status.conditions?.map(({ lastHeartbeatTime: _at, ...condition }) => condition);
  return { ...status, ...(conditions === undefined ? {} : { conditions }) };
}

const hash = (text: string, length: number) => createHash("sha256").update(text).digest("hex").slice(0, length);

function uuid(text: string): string {
  return hash(text, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
