// Which description a kind has, and what it reads for it. A kind that is not here has the generic one.
import type { appsv1, corev1, KubernetesObject, policyv1, StatusError } from "@kubeloop/core/api";
import {
  fromLabelSelector,
  isForbidden,
  isNotFound,
  parseGroupVersion,
  printSelector,
  withoutAbsent,
} from "@kubeloop/core/api";
import {
  endpointSlices,
  leases,
  limitRanges,
  pods as podResource,
  replicaSets as replicaSetResource,
  resourceQuotas,
  resourceSlices as resourceSliceResource,
} from "@kubeloop/core/resources";
import type { AnyObject } from "../object-printer.ts";
import { describeConfigMap } from "./config-map.ts";
import { describeCronJob } from "./cron-job.ts";
import { describeDaemonSet, type WorkloadParts } from "./daemon-set.ts";
import { describeDeployment } from "./deployment.ts";
import { describeAnyObject } from "./generic.ts";
import { describeJob } from "./job.ts";
import { describeLimitRange } from "./limit-range.ts";
import { describeNamespace } from "./namespace.ts";
import { describeNode } from "./node.ts";
import { describePersistentVolume } from "./persistent-volume.ts";
import { describePersistentVolumeClaim } from "./persistent-volume-claim.ts";
import { describePod } from "./pod.ts";
import { describePodDisruptionBudget } from "./pod-disruption-budget.ts";
import { type Reading, subjectOf } from "./reading.ts";
import { describeReplicaSet } from "./replica-set.ts";
import { describeResourceQuota } from "./resource-quota.ts";
import { describeSecret } from "./secret.ts";
import { describeService } from "./service.ts";
import { describeServiceAccount } from "./service-account.ts";
import { describeStatefulSet } from "./stateful-set.ts";

type Describe<T> = (object: T, reading: Reading, nowMs: number) => Promise<string>;

export async function describeObject(object: AnyObject, reading: Reading, nowMs: number): Promise<string> {
  const { group } = parseGroupVersion(object.apiVersion);
  const describe = kinds[`${group}/${object.kind}`];
  if (describe !== undefined) return await describe(object, reading, nowMs);
  return describeAnyObject(object, await reading.eventsOf(object), nowMs);
}

const pod: Describe<corev1.Pod> = async (object, reading, nowMs) => {
  const mirrored = object.metadata.annotations?.["kubernetes.io/config.mirror"];
  // Events about containers of a pod are of no kind.
  const { kind: _, ...subject } = subjectOf(object);
  return describePod(object, await reading.events({ ...subject, uid: mirrored ?? subject.uid }), nowMs);
};

const deployment: Describe<appsv1.Deployment> = async (object, reading, nowMs) => {
  const events = await reading.eventsOf(object);
  const labelSelector = printSelector(fromLabelSelector(object.spec.selector));
  const { namespace } = object.metadata;
  const listSets = () => reading.list(replicaSetResource, { namespace, labelSelector });
  const replicaSets = await reading.orElse(undefined, listSets);
  return describeDeployment(object, { replicaSets, events }, nowMs);
};

const replicaSet: Describe<appsv1.ReplicaSet> = async (object, reading, nowMs) => {
  const labelSelector = printSelector(fromLabelSelector(object.spec.selector));
  const { namespace } = object.metadata;
  const message = ({ status }: StatusError) => status.message ?? "";
  const pods = await reading.orElse(message, () => reading.list(podResource, { namespace, labelSelector }));
  return describeReplicaSet(object, { pods, events: await reading.eventsOf(object) }, nowMs);
};

type Workload = appsv1.DaemonSet | appsv1.StatefulSet;

/** Unlike a replica set's, theirs fails if the pods cannot be listed. */
function withPods<T extends Workload>(
  describe: (object: T, parts: WorkloadParts, nowMs: number) => string,
): Describe<T> {
  return async (object, reading, nowMs) => {
    const labelSelector = printSelector(fromLabelSelector(object.spec.selector));
    const pods = await reading.list(podResource, { namespace: object.metadata.namespace, labelSelector });
    return describe(object, { pods, events: await reading.eventsOf(object) }, nowMs);
  };
}

const service: Describe<corev1.Service> = async (object, reading, nowMs) => {
  const { name = "", namespace } = object.metadata;
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const slices = await reading.orElse([], () => reading.list(endpointSlices, { namespace, labelSelector }));
  return describeService(object, { endpointSlices: slices, events: await reading.eventsOf(object) }, nowMs);
};

const node: Describe<corev1.Node> = async (object, reading, nowMs) => {
  const { name = "" } = object.metadata;
  const fieldSelector = `spec.nodeName=${name},status.phase!=Succeeded,status.phase!=Failed`;
  const pods = await unless(isForbidden, () => reading.list(podResource, { fieldSelector }));
  const subject = subjectOf(object);
  const events = await reading.events(subject);
  // Kubelets have the name for the uid.
  const others = await reading.events({ ...subject, uid: name });
  const onNode = { fieldSelector: `spec.nodeName=${name}` };
  const resourceSlices = await reading.orElse([], () => reading.list(resourceSliceResource, onNode));
  const message = ({ status }: StatusError) => status.message ?? "";
  const lease = await reading.orElse(message, () => reading.get(leases, name, "kube-node-lease"));
  const all = events === undefined ? undefined : [...events, ...(others ?? [])];
  return describeNode(object, { pods, lease, resourceSlices, events: all }, nowMs);
};

const namespace: Describe<corev1.Namespace> = async (object, reading) => {
  const inside = { namespace: object.metadata.name };
  const quotas = await unless(isNotFound, () => reading.list(resourceQuotas, inside));
  const ranges = await unless(isNotFound, () => reading.list(limitRanges, inside));
  return describeNamespace(object, { quotas, limitRanges: ranges });
};

const claim: Describe<corev1.PersistentVolumeClaim> = async (object, reading, nowMs) => {
  const pods = await reading.list(podResource, { namespace: object.metadata.namespace });
  return describePersistentVolumeClaim(object, { pods, events: await reading.eventsOf(object) }, nowMs);
};

const configMap: Describe<corev1.ConfigMap> = async (object, reading, nowMs) =>
  describeConfigMap(object, await reading.eventsOrFail(subjectOf(object)), nowMs);

async function unless<T>(isSuch: (error: unknown) => boolean, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isSuch(error)) return undefined;
    throw error;
  }
}

/** Kinds that need only their events. */
function withEvents<T extends KubernetesObject>(
  describe: (object: T, events: readonly corev1.Event[] | undefined, nowMs: number) => string,
): Describe<T> {
  return async (object, reading, nowMs) => describe(object, await reading.eventsOf(object), nowMs);
}

function alone<T>(describe: (object: T) => string): Describe<T> {
  return async (object) => describe(object);
}

/** The server's word for a kind is trusted: that is what its object is. A field that is null is absent. */
function typed<T>(describe: Describe<T>): Describe<AnyObject> {
  return (object, reading, nowMs) => describe(withoutAbsent(object) as unknown as T, reading, nowMs);
}

/** By group and kind, whatever the version. */
const kinds: Readonly<Record<string, Describe<AnyObject>>> = {
  "/Pod": typed(pod),
  "/Service": typed(service),
  "/Node": typed(node),
  "/Namespace": typed(namespace),
  "/ConfigMap": typed(configMap),
  "/Secret": typed(alone(describeSecret)),
  "/ServiceAccount": typed(withEvents(describeServiceAccount)),
  "/PersistentVolumeClaim": typed(claim),
  "/PersistentVolume": typed(withEvents(describePersistentVolume)),
  "/ResourceQuota": typed(alone(describeResourceQuota)),
  "/LimitRange": typed(alone(describeLimitRange)),
  "apps/Deployment": typed(deployment),
  "apps/ReplicaSet": typed(replicaSet),
  "apps/DaemonSet": typed(withPods(describeDaemonSet)),
  "apps/StatefulSet": typed(withPods(describeStatefulSet)),
  "batch/Job": typed(withEvents(describeJob)),
  "batch/CronJob": typed(withEvents(describeCronJob)),
  "policy/PodDisruptionBudget": typed(withEvents<policyv1.PodDisruptionBudget>(describePodDisruptionBudget)),
};
