// Finds an owner's children by the uid of their controller, and the orphans that its selector may match, without looking at any other object.
//
//   indexes: [podsByController]
//   observe: (key, { snapshot }) => ({ owned: childrenOf(snapshot, podsByController, set), orphans: orphansFor(snapshot, podsByController, set) })
//
// One index for each kind of child, shared by all controllers of a process. The values of an orphan hold its namespace and its labels: an index
// that puts all orphans together makes each owner read the orphans of the whole cluster.
import {
  type appsv1,
  type batchv1,
  controllerOf,
  type corev1,
  type KubernetesObject,
  type metav1,
  type Resource,
} from "@kubeloop/core/api";
import { defineIndex, type Index, type Snapshot } from "@kubeloop/core/contract";
import { controllerRevisions, jobs, pods, replicaSets, replicationControllers } from "@kubeloop/core/resources";
import { labelPairs, requiredPairs } from "./by-label.ts";

/** Of replicasets, replicationcontrollers, statefulsets, daemonsets and jobs. */
export const podsByController: Index<corev1.Pod> = byController(pods);
/** Of deployments; of a replicaset's siblings. */
export const replicaSetsByController: Index<appsv1.ReplicaSet> = byController(replicaSets);
/** Of a replicationcontroller's siblings: those of one DeploymentConfig, for example. */
export const replicationControllersByController: Index<corev1.ReplicationController> =
  byController(replicationControllers);
/** Of statefulsets and daemonsets. */
export const controllerRevisionsByController: Index<appsv1.ControllerRevision> = byController(controllerRevisions);
/** Of cronjobs. */
export const jobsByController: Index<batchv1.Job> = byController(jobs);

/** What this owner controls. */
export function childrenOf<T extends KubernetesObject>(
  snapshot: Snapshot,
  index: Index<T>,
  { metadata: { uid } }: KubernetesObject,
): readonly T[] {
  return uid === undefined ? [] : snapshot.byIndex(index, uid);
}

/** What nobody controls in the owner's namespace, and has a label that its selector requires; all orphans if it requires none. */
export function orphansFor<T extends KubernetesObject>(
  snapshot: Snapshot,
  index: Index<T>,
  { metadata: { namespace } }: KubernetesObject,
  selector: metav1.LabelSelector | undefined,
): readonly T[] {
  if (selector === undefined) return [];
  const pairs = requiredPairs(selector) ?? [""];
  return pairs.flatMap((pair) => snapshot.byIndex(index, orphanValue(namespace, pair)));
}

function byController<T extends KubernetesObject>(resource: Resource<T>): Index<T> {
  return defineIndex("controller", resource, (object) => {
    const controller = controllerOf(object);
    if (controller !== undefined) return [controller.uid];
    return ["", ...labelPairs(object)].map((pair) => orphanValue(object.metadata.namespace, pair));
  });
}

/** No uid has a space in it. */
const orphanValue = (namespace = "", pair: string) => `orphan ${namespace} ${pair}`;
