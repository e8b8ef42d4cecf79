// Containers of a pod: what holds of all of them, and what is particular to init and ephemeral ones.
import { type corev1, validatePortName, validatePortNumber } from "@kubeloop/core/api";
import { checkChoice, checkDnsLabel, checkOptionalChoice, checkPresent, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkEnvironment, checkEnvironmentFrom } from "./check-environment.ts";
import { checkLifecycle, checkProbes } from "./check-handlers.ts";
import { checkDevices, checkMounts } from "./check-mounts.ts";
import { checkContainerResources } from "./check-resources.ts";
import { checkContainerSecurity } from "./check-security.ts";
import type { KnownVolumes } from "./check-volumes.ts";
import type { PodSpecOptions } from "./options.ts";
import { isSidecar } from "./visit-containers.ts";

/** What a container must know about its pod. */
export interface PodAround {
  readonly spec: corev1.PodSpec;
  readonly volumes: KnownVolumes;
  readonly claimNames: ReadonlySet<string>;
  readonly options: PodSpecOptions;
}

const protocols = ["SCTP", "TCP", "UDP"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];
const messagePolicies = ["File", "FallbackToLogsOnError"];

export function checkContainers(pod: PodAround, place: FaultPlace): void {
  const containers = pod.spec.containers ?? [];
  if (containers.length === 0) {
    place.required();
    return;
  }
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const containerPlace = place.item(i);
    checkContainer(container, containerPlace, pod);
    if (names.has(container.name)) containerPlace.at("name").duplicate(container.name);
    names.add(container.name);
    checkLifeOf(container, containerPlace, pod);
    checkRestartPolicy(container, containerPlace.at("restartPolicy"));
    checkRestartRules(container, containerPlace.at("restartPolicyRules"));
  }
  checkHostPorts(containers, place);
}

export function checkInitContainers(pod: PodAround, place: FaultPlace): void {
  const names = new Set((pod.spec.containers ?? []).map(({ name }) => name));
  for (const [i, container] of (pod.spec.initContainers ?? []).entries()) {
    const containerPlace = place.item(i);
    checkContainer(container, containerPlace, pod);
    checkRestartPolicy(container, containerPlace.at("restartPolicy"));
    // Without a policy nobody looks at the rules.
    if (container.restartPolicy !== undefined) checkRestartRules(container, containerPlace.at("restartPolicyRules"));
    if (names.has(container.name)) containerPlace.at("name").duplicate(container.name);
    else if (!isAbsent(container.name)) names.add(container.name);
    // They run one after the other: only within one can ports collide. It is told as if it were the first.
    checkHostPorts([container], place);
    if (isSidecar(container)) checkLifeOf(container, containerPlace, pod);
    else checkPlainInit(container, containerPlace, pod);
  }
}

/** What ends before the next begins has no life to look after. */
function checkPlainInit(container: corev1.Container, place: FaultPlace, { options }: PodAround): void {
  for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
    if (container[field] === undefined) continue;
    const why = "may not be set for init containers without restartPolicy=Always";
    place.at(field).forbidden(why);
  }
  if (options.allowsRestartToResizeInit) return;
  for (const [i, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (restartPolicy !== "RestartContainer") continue;
    const policyPlace = place.at("resizePolicy").item(i).at("restartPolicy");
    const why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    policyPlace.invalid(restartPolicy, why);
  }
}

const fieldsNotForEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;
const notForEphemeral = "cannot be set for an Ephemeral Container";

export function checkEphemeralContainers(pod: PodAround, place: FaultPlace): void {
  const { containers, initContainers, ephemeralContainers = [] } = pod.spec;
  const others = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  for (const [i, container] of ephemeralContainers.entries()) {
    const containerPlace = place.item(i);
    checkContainer(container, containerPlace, pod);
    checkImageSpelling(container, containerPlace);
    if (names.has(container.name)) containerPlace.at("name").duplicate(container.name);
    names.add(container.name);
    const { targetContainerName: target } = container;
    if (!isAbsent(target) && !others.has(target)) {
      containerPlace.at("targetContainerName").notFound(target);
    }
    for (const field of fieldsNotForEphemeral) {
      if (isGiven(container, field)) containerPlace.at(field).forbidden(notForEphemeral);
    }
    for (const [j, mount] of (container.volumeMounts ?? []).entries()) {
      const mountPlace = containerPlace.at("volumeMounts").item(j);
      for (const field of ["subPath", "subPathExpr"] as const) {
        if (!isAbsent(mount[field])) mountPlace.at(field).forbidden(notForEphemeral);
      }
    }
  }
}

/** `resources: {}` is what Go prints for none. */
function isGiven(container: corev1.Container, field: (typeof fieldsNotForEphemeral)[number]): boolean {
  const value = container[field];
  return field === "resources" ? Object.keys(value ?? {}).length > 0 : value !== undefined;
}

function checkContainer(container: corev1.Container, place: FaultPlace, pod: PodAround): void {
  const at = (field: string) => place.at(field);
  if (isAbsent(container.name)) at("name").required();
  else checkDnsLabel(container.name, at("name"));
  checkPresent(container.image, at("image"));
  checkChoice(container.terminationMessagePolicy, at("terminationMessagePolicy"), messagePolicies);
  checkPorts(container.ports ?? [], at("ports"));
  checkEnvironment(container.env ?? [], at("env"));
  checkEnvironmentFrom(container.envFrom ?? [], at("envFrom"));
  checkMounts(container, at("volumeMounts"), pod.volumes);
  checkDevices(container, at("volumeDevices"), pod.volumes);
  checkChoice(container.imagePullPolicy, at("imagePullPolicy"), pullPolicies);
  const { allowsPartialHugePages } = pod.options;
  const resourceOptions = { allowsPartialHugePages, claimNames: pod.claimNames };
  checkContainerResources(container.resources, at("resources"), resourceOptions);
  checkResizePolicy(container, at("resizePolicy"), pod.spec);
  const hasUserNamespace = pod.spec.hostUsers === false;
  checkContainerSecurity(container.securityContext, at("securityContext"), { hasUserNamespace });
}

function checkLifeOf(container: corev1.Container, place: FaultPlace, { spec }: PodAround): void {
  const grace = spec.terminationGracePeriodSeconds;
  const { lifecycle } = container;
  if (lifecycle !== undefined) checkLifecycle(lifecycle, place.at("lifecycle"), grace);
  checkProbes(container, place, grace);
}

/** Of pods, not of templates: spaces around the name of an image. */
export function checkImageSpelling({ image = "" }: corev1.Container, place: FaultPlace): void {
  if (image.trim() === image) return;
  place.at("image").invalid(image, "must not have leading or trailing whitespace");
}

function checkPorts(ports: readonly corev1.ContainerPort[], place: FaultPlace): void {
  const names = new Set<string>();
  for (const [i, { name, containerPort, hostPort, protocol }] of ports.entries()) {
    const at = (field: string) => place.item(i).at(field);
    if (!isAbsent(name)) {
      const reasons = validatePortName(name);
      at("name").invalidFor(name, reasons);
      if (reasons.length === 0 && names.has(name)) at("name").duplicate(name);
      names.add(name);
    }
    if ((containerPort ?? 0) === 0) at("containerPort").required();
    else at("containerPort").invalidFor(containerPort, validatePortNumber(containerPort));
    if (hostPort !== undefined && hostPort !== 0) {
      at("hostPort").invalidFor(hostPort, validatePortNumber(hostPort));
    }
    checkChoice(protocol, at("protocol"), protocols);
  }
}

function checkHostPorts(containers: readonly corev1.Container[], place: FaultPlace): void {
  const taken = new Set<string>();
  for (const [i, { ports = [] }] of containers.entries()) {
    for (const [j, { hostPort, protocol = "", hostIP = "" }] of ports.entries()) {
      if (hostPort === undefined || hostPort === 0) continue;
      const port = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(port)) place.item(i).at("ports").item(j).at("hostPort").duplicate(port);
      taken.add(port);
    }
  }
}

const resizableResources = ["cpu", "memory"];
const resizePolicies = ["NotRequired", "RestartContainer"];

function checkResizePolicy(container: corev1.Container, place: FaultPlace, spec: corev1.PodSpec): void {
  const seen = new Set<string>();
  for (const [i, { resourceName, restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (seen.has(resourceName)) place.item(i).duplicate(resourceName);
    seen.add(resourceName);
    checkChoice(resourceName, place, resizableResources);
    checkChoice(restartPolicy, place, resizePolicies);
    if (spec.restartPolicy === "Never" && restartPolicy !== "NotRequired") {
      const why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      place.invalid(restartPolicy ?? "", why);
    }
  }
}

const restartPolicies = ["Always", "Never", "OnFailure"];
const restartActions = ["Restart", "RestartAllContainers"];
const exitCodeOperators = ["In", "NotIn"];
const mostRules = 20;
const mostExitCodes = 255;

/** A container's own, beside the pod's. */
function checkRestartPolicy({ restartPolicy, restartPolicyRules = [] }: corev1.Container, place: FaultPlace): void {
  if (restartPolicy === undefined && restartPolicyRules.length > 0) {
    place.required("must specify restartPolicy when restart rules are used");
  }
  checkOptionalChoice(restartPolicy, place, restartPolicies);
}

function checkRestartRules({ restartPolicyRules: rules = [] }: corev1.Container, place: FaultPlace): void {
  if (rules.length > mostRules) place.tooMany(rules.length, mostRules);
  for (const [i, { action = "", exitCodes }] of rules.entries()) {
    const rulePlace = place.item(i);
    if (!restartActions.includes(action)) {
      rulePlace.at("action").notSupported(action, restartActions);
    }
    const codesPlace = rulePlace.at("exitCodes");
    if (exitCodes === undefined) {
      codesPlace.required("must be specified");
      continue;
    }
    const { operator = "", values = [] } = exitCodes;
    if (!exitCodeOperators.includes(operator)) {
      codesPlace.at("operator").notSupported(operator, exitCodeOperators);
    }
    if (values.length > mostExitCodes) {
      codesPlace.at("values").tooMany(values.length, mostExitCodes);
    }
  }
}
