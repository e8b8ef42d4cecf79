// What a pod's spec gets where nothing is said: in templates the parts every pod shares, in pods also what only they get (so that a
// template's hash does not change with a new server). In place; done twice it changes nothing.
import { type corev1, printQuantity } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { own } from "../shared/own.ts";
import { roundResourceList } from "../shared/quantities.ts";
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from "../shared/resource-names.ts";
import { setContainerDefaults } from "./container-defaults.ts";
import { sumContainers } from "./container-sums.ts";
import { setVolumeDefaults } from "./volume-defaults.ts";

type PodSpec = Draft<corev1.PodSpec>;

const graceSeconds = 30;

/** The annotations init containers once had. */
const deadAnnotations = [
  "pod.beta.kubernetes.io/init-containers",
  "pod.alpha.kubernetes.io/init-containers",
  "pod.beta.kubernetes.io/init-container-statuses",
  "pod.alpha.kubernetes.io/init-container-statuses",
];

export function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= graceSeconds;
  spec.schedulerName ||= "default-scheduler";
  useBothServiceAccountNames(spec);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of allContainers(spec)) setContainerDefaults(container);
  roundResourceList(spec.overhead);
  roundResourceList(spec.resources?.limits);
  roundResourceList(spec.resources?.requests);
}

export function setTemplateDefaults(template: Draft<corev1.PodTemplateSpec>): void {
  dropDeadAnnotations(template.metadata);
  setPodSpecDefaults(template.spec);
}

/** Of pods alone. */
export function setPodDefaults(pod: Draft<corev1.Pod>): void {
  const { spec } = pod;
  dropDeadAnnotations(pod.metadata);
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    // Before anything is added up.
    roundResourceList(container.resources?.limits);
    roundResourceList(container.resources?.requests);
    requestWhatIsLimited(container);
  }
  if (spec.resources !== undefined) setPodResources(pod);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) useHostPorts([...(spec.containers ?? []), ...(spec.initContainers ?? [])]);
  setPodSpecDefaults(spec);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
}

function allContainers(spec: PodSpec): Draft<corev1.Container>[] {
  const ephemeral = (spec.ephemeralContainers ?? []) as Draft<corev1.Container>[];
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...ephemeral];
}

/** The old name is an alias of the new one, which wins. */
function useBothServiceAccountNames(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (name === undefined || name === "") return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function dropDeadAnnotations(
  metadata: Draft<{ readonly annotations?: Readonly<Record<string, string>> }> | undefined,
): void {
  const annotations = metadata?.annotations;
  if (metadata === undefined || annotations === undefined) return;
  for (const name of deadAnnotations) delete annotations[name];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}

function requestWhatIsLimited(container: Draft<corev1.Container>): void {
  const { resources } = container;
  if (resources?.limits === undefined || Object.keys(resources.limits).length === 0) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

function useHostPorts(containers: readonly Draft<corev1.Container>[]): void {
  for (const { ports = [] } of containers) for (const port of ports) port.hostPort ||= port.containerPort;
}

/** Limits of huge pages follow from the containers', then requests from the containers' or else from the limits. */
function setPodResources(pod: Draft<corev1.Pod>): void {
  const { resources } = pod.spec;
  if (resources === undefined) return;
  const { limits = {}, requests = {} } = resources;
  if (isEmpty(limits) && isEmpty(requests)) return;
  const sums = sumContainers(pod.spec);
  for (const [name, limit] of sums.limits) {
    if (isHugePages(name) && own(requests, name) === undefined && own(limits, name) === undefined)
      limits[name] = printQuantity(limit);
  }
  if (!isEmpty(limits)) resources.limits = limits;
  if (isEmpty(limits)) return;
  for (const [name, request] of sums.requests) {
    if (own(requests, name) !== undefined || !isPodLevelResource(name) || !isOvercommitAllowed(name)) continue;
    requests[name] = printQuantity(request);
  }
  for (const [name, limit] of Object.entries(limits)) {
    if (own(requests, name) === undefined && isPodLevelResource(name)) requests[name] = limit;
  }
  if (!isEmpty(requests)) resources.requests = requests;
}

const isEmpty = (record: object) => Object.keys(record).length === 0;
