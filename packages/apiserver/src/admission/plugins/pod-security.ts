// PodSecurity: pods that violate the level which their namespace's labels enforce are refused. Who makes, or changes, something that makes pods is
// warned of what would be refused; who makes a namespace stricter, of the pods in it that would be.
import {
  type appsv1,
  type batchv1,
  controllerOf,
  type corev1,
  type Fault,
  type KubernetesObject,
  newForbidden,
  newInternalError,
  newInvalid,
} from "@kubeloop/core/api";
import {
  type CheckedPod,
  isStricterPodSecurity,
  type PodSecurityLabelFault,
  type PodSecurityStandard,
  podSecurityPolicyOf,
  podSecurityViolations,
  printPodSecurityStandard,
  printPodSecurityViolations,
} from "@kubeloop/core/rules";
import type { AdmissionAttributes } from "../attributes.ts";
import type { AdmissionParts, AdmissionPlugin } from "../plugin.ts";

/** By collection: where the pods that an object makes are described. */
const templatesIn: Readonly<Record<string, (object: never) => CheckedPod | undefined>> = {
  podtemplates: ({ template }: corev1.PodTemplate) => template,
  replicationcontrollers: ({ spec }: corev1.ReplicationController) => spec?.template,
  "apps/daemonsets": ({ spec }: appsv1.DaemonSet) => spec?.template,
  "apps/deployments": ({ spec }: appsv1.Deployment) => spec?.template,
  "apps/replicasets": ({ spec }: appsv1.ReplicaSet) => spec?.template,
  "apps/statefulsets": ({ spec }: appsv1.StatefulSet) => spec?.template,
  "batch/cronjobs": ({ spec }: batchv1.CronJob) => spec?.jobTemplate.spec?.template,
  "batch/jobs": ({ spec }: batchv1.Job) => spec?.template,
};

/** Of pods: these change nothing that is checked. */
const ignored: ReadonlySet<string> = new Set([
  "attach",
  "binding",
  "eviction",
  "exec",
  "log",
  "portforward",
  "proxy",
  "status",
]);

/** Of a namespace that becomes stricter, so many pods are looked at. */
const mostPods = 3000;

export function podSecurity({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "PodSecurity",
    handles: ["CREATE", "UPDATE"],
    resources: ["namespaces", "pods", ...Object.keys(templatesIn)],
    async validate(attributes) {
      const { group, resource } = attributes.resource;
      const collection = group === "" ? resource : `${group}/${resource}`;
      if (collection === "namespaces") await validateNamespace(storage, attributes);
      else if (collection === "pods") await validatePod(storage, attributes);
      else await warnOfTemplate(storage, attributes, templatesIn[collection]?.(attributes.object as never));
    },
  };
}

async function validatePod(storage: AdmissionParts["storage"], attributes: AdmissionAttributes): Promise<void> {
  const { operation, subresource, namespace, name, resource, addWarning } = attributes;
  if (ignored.has(subresource)) return;
  const labels = await labelsOf(storage, namespace);
  if (labels === undefined) throw newInternalError(new Error(`failed to lookup namespace "${namespace}"`));
  const { enforce, warn } = podSecurityPolicyOf(labels).policy;
  if (enforce.level === "privileged" && warn.level === "privileged") return;
  const pod = attributes.object as unknown as corev1.Pod;
  if (operation === "UPDATE" && !isOtherImage(pod, attributes.oldObject as corev1.Pod)) return;
  const violations = podSecurityViolations(pod, enforce);
  if (violations.length > 0) {
    const detail = `violates PodSecurity "${printPodSecurityStandard(enforce)}": ${printPodSecurityViolations(violations)}`;
    throw newForbidden({ group: resource.group, resource: resource.resource }, name, { detail });
  }
  warnOf(pod, warn, addWarning);
}

async function warnOfTemplate(
  storage: AdmissionParts["storage"],
  { subresource, namespace, addWarning }: AdmissionAttributes,
  template: CheckedPod | undefined,
): Promise<void> {
  if (subresource !== "" || template === undefined) return;
  const { warn } = podSecurityPolicyOf((await labelsOf(storage, namespace)) ?? {}).policy;
  warnOf(template, warn, addWarning);
}

function warnOf(pod: CheckedPod, warn: PodSecurityStandard, addWarning: (text: string) => void): void {
  const violations = podSecurityViolations(pod, warn);
  if (violations.length === 0) return;
  addWarning(
    `would violate PodSecurity "${printPodSecurityStandard(warn)}": ${printPodSecurityViolations(violations)}`,
  );
}

/** Of what may change in a pod, only images are of interest, and ephemeral containers that are added. */
function isOtherImage({ spec }: corev1.Pod, { spec: before }: corev1.Pod): boolean {
  const isOther = (after: readonly Imaged[] = [], old: readonly Imaged[] = []) =>
    after.length !== old.length || after.some(({ image }, index) => image !== old[index]?.image);
  const known = new Map(before?.ephemeralContainers?.map(({ name, image }) => [name, image]));
  return (
    isOther(spec?.containers, before?.containers) ||
    isOther(spec?.initContainers, before?.initContainers) ||
    (spec?.ephemeralContainers ?? []).some(({ name, image }) => !known.has(name) || known.get(name) !== image)
  );
}

type Imaged = Pick<corev1.Container, "image">;

async function validateNamespace(storage: AdmissionParts["storage"], attributes: AdmissionAttributes): Promise<void> {
  const { operation, subresource, kind, name, object, oldObject, addWarning } = attributes;
  if (subresource !== "") return;
  const after = podSecurityPolicyOf(object?.metadata.labels);
  const before = operation === "UPDATE" ? podSecurityPolicyOf(oldObject?.metadata.labels) : undefined;
  if (after.faults.length > 0 && !areSame(after.faults, before?.faults)) {
    throw newInvalid(kind, name, { faults: after.faults.map(toFault) });
  }
  if (before === undefined) return;
  const { enforce } = after.policy;
  const isAnother = printPodSecurityStandard(enforce) !== printPodSecurityStandard(before.policy.enforce);
  const isRelaxed =
    enforce.version === before.policy.enforce.version &&
    !isStricterPodSecurity(enforce.level, before.policy.enforce.level);
  if (!isAnother || enforce.level === "privileged" || isRelaxed) return;
  const { objects } = await storage.list("pods", { prefix: `${name}/` });
  for (const warning of warningsOfPods(name, objects as readonly corev1.Pod[], enforce)) addWarning(warning);
}

const areSame = (one: readonly PodSecurityLabelFault[], other: readonly PodSecurityLabelFault[] | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);

const toFault = ({ label, value, detail }: PodSecurityLabelFault): Fault => ({
  type: "FieldValueInvalid",
  field: `metadata.labels[${label}]`,
  value,
  detail,
});

/** Pods that violate the same are one warning, which names the first of them. */
function warningsOfPods(namespace: string, pods: readonly corev1.Pod[], enforce: PodSecurityStandard): string[] {
  const checked = inOrderOfInterest(pods).slice(0, mostPods);
  const byReasons = new Map<string, string[]>();
  for (const pod of checked) {
    const reasons = podSecurityViolations(pod, enforce)
      .map(({ reason }) => reason)
      .join(", ");
    if (reasons === "") continue;
    const names = byReasons.get(reasons) ?? [];
    byReasons.set(reasons, [...names, pod.metadata.name ?? ""]);
  }
  const first =
    checked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
        ]
      : [];
  if (byReasons.size === 0) return first;
  const standard = printPodSecurityStandard(enforce);
  const each = [...byReasons].map(([reasons, names]) => `${nameAll(names)}: ${reasons}`);
  return [
    ...first,
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${standard}"`,
    ...each.toSorted(),
  ];
}

/** One pod of each controller comes first: the others are most probably like it. */
function inOrderOfInterest(pods: readonly corev1.Pod[]): readonly corev1.Pod[] {
  const seen = new Set<string>();
  const isFirst = (pod: KubernetesObject) => {
    const uid = controllerOf(pod)?.uid;
    if (uid === undefined) return true;
    const isNew = !seen.has(uid);
    seen.add(uid);
    return isNew;
  };
  const firsts = new Set(pods.filter(isFirst));
  return [...firsts, ...pods.filter((pod) => !firsts.has(pod))];
}

function nameAll(names: readonly string[]): string {
  const [first = "", ...others] = names.toSorted();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`;
}

async function labelsOf(storage: AdmissionParts["storage"], namespace: string) {
  const found = await storage.get({ collection: "namespaces", key: namespace });
  return found === undefined ? undefined : (found.metadata.labels ?? {});
}
