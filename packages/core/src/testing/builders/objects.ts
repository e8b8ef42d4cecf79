// Builders of common objects. An object has the fields that the server requires, and the overrides of the test.
//
//   newPod("shop/web", { metadata: { labels: { app: "web" } }, spec: { nodeName: "n1" } })
//   ownedBy(stored(newReplicaSet("shop/web")), newPod("shop/web-1"))
//
// A key is "namespace/name"; a key without a namespace is in the namespace "default". For kinds without a builder here, also custom kinds, use
// `newObject`.
import {
  configMaps,
  daemonSets,
  deployments,
  jobs,
  namespaces,
  nodes,
  pods,
  replicaSets,
  secrets,
  services,
  statefulSets,
} from "../../api/generated/resources.ts";
import {
  type appsv1,
  type batchv1,
  type corev1,
  type KubernetesObject,
  type Resource,
  setControllerReference,
  splitKey,
} from "../../api/index.ts";
import { type Overrides, withOverrides } from "./overrides.ts";

/** Returns an object with apiVersion, kind, name and namespace. All other fields come from `overrides`. */
export function newObject<T extends KubernetesObject>(
  resource: Resource<T>,
  key: string,
  overrides: Overrides<NoInfer<T>> = {} as Overrides<T>,
): T {
  const { namespace, name } = splitKey(key);
  const metadata = resource.namespaced ? { namespace: namespace || "default", name } : { name };
  const object = { apiVersion: resource.apiVersion, kind: resource.kind, metadata } as T;
  return withOverrides(object, overrides);
}

export function newPod(key: string, overrides: Overrides<corev1.Pod> = {}): corev1.Pod {
  return built(pods, key, { spec: podSpec }, overrides);
}

export function newDeployment(key: string, overrides: Overrides<appsv1.Deployment> = {}): appsv1.Deployment {
  return built(deployments, key, { spec: { replicas: 1, ...selected(key) } }, overrides);
}

export function newReplicaSet(key: string, overrides: Overrides<appsv1.ReplicaSet> = {}): appsv1.ReplicaSet {
  return built(replicaSets, key, { spec: { replicas: 1, ...selected(key) } }, overrides);
}

export function newStatefulSet(key: string, overrides: Overrides<appsv1.StatefulSet> = {}): appsv1.StatefulSet {
  const serviceName = splitKey(key).name;
  return built(statefulSets, key, { spec: { replicas: 1, serviceName, ...selected(key) } }, overrides);
}

export function newDaemonSet(key: string, overrides: Overrides<appsv1.DaemonSet> = {}): appsv1.DaemonSet {
  return built(daemonSets, key, { spec: selected(key) }, overrides);
}

/** Its pods have the restart policy "Never". */
export function newJob(key: string, overrides: Overrides<batchv1.Job> = {}): batchv1.Job {
  return built(jobs, key, { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } }, overrides);
}

export function newConfigMap(key: string, overrides: Overrides<corev1.ConfigMap> = {}): corev1.ConfigMap {
  return newObject(configMaps, key, overrides);
}

export function newSecret(key: string, overrides: Overrides<corev1.Secret> = {}): corev1.Secret {
  return newObject(secrets, key, overrides);
}

/** A service for port 80 of the pods of a workload with the same name. */
export function newService(key: string, overrides: Overrides<corev1.Service> = {}): corev1.Service {
  return built(services, key, { spec: { selector: labelsOf(key), ports: [{ port: 80 }] } }, overrides);
}

export function newNode(name: string, overrides: Overrides<corev1.Node> = {}): corev1.Node {
  return newObject(nodes, name, overrides);
}

export function newNamespace(name: string, overrides: Overrides<corev1.Namespace> = {}): corev1.Namespace {
  return newObject(namespaces, name, overrides);
}

/**
 * Returns the object as a server would store it: with uid, resourceVersion, generation and creationTimestamp. Metadata that the object has
 * already stays. The uid is computed from kind and key.
 */
export function stored<T extends KubernetesObject>(object: T): T {
  const { namespace, name = "" } = object.metadata;
  const uid = ["uid", object.kind, namespace, name].filter(Boolean).join("-").toLowerCase();
  const creationTimestamp = "2030-01-01T00:00:00Z";
  const metadata = { uid, resourceVersion: "1", generation: 1, creationTimestamp, ...object.metadata };
  return { ...object, metadata };
}

/** Returns the object with a controller reference to `owner`. The owner must have a uid: from a server, or from `stored`. */
export function ownedBy<T extends KubernetesObject>(owner: KubernetesObject, object: T): T {
  return setControllerReference(object, owner);
}

const podSpec: corev1.PodSpec = { containers: [{ name: "main", image: "registry.example.com/app:1" }] };

const labelsOf = (key: string) => ({ app: splitKey(key).name });

/** Returns a selector and a pod template that match each other. */
function selected(key: string) {
  const labels = labelsOf(key);
  return { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
}

function built<T extends KubernetesObject>(
  resource: Resource<T>,
  key: string,
  least: Overrides<NoInfer<T>>,
  overrides: Overrides<NoInfer<T>>,
): T {
  return withOverrides(newObject(resource, key, least), overrides);
}
