// Containers of a pod: what holds of all of them, and what is particular to init and ephemeral ones.
import { type corev1, validatePortName, validatePortNumber } from "@kubeloop/core/api";
import { checkChoice, checkDnsLabel, checkOptionalChoice, checkPresent, isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
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

export function checkContainers(pod: PodAround, fldPath: ValidationPath): void {
  const containers = pod.spec.containers ?? [];
  if (containers.length === 0) {
    fldPath.required();
    return;
  }
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const containerPath = fldPath.item(i);
    checkContainer(container, containerPath, pod);
    if (names.has(container.name)) containerPath.at("name").duplicate(container.name);
    names.add(container.name);
    checkLifeOf(container, containerPath, pod);
    checkRestartPolicy(container, containerPath.at("restartPolicy"));
    checkRestartRules(container, containerPath.at("restartPolicyRules"));
  }
  checkHostPorts(containers, fldPath);
}

export function checkInitContainers(pod: PodAround, fldPath: ValidationPath): void {
  const names = new Set((pod.spec.containers ?? []).map(({ name }) => name));
  for (const [i, container] of (pod.spec.initContainers ?? []).entries()) {
    const containerPath = fldPath.item(i);
    checkContainer(container, containerPath, pod);
    checkRestartPolicy(container, containerPath.at("restartPolicy"));
    // Without a policy nobody looks at the rules.
    if (container.restartPolicy !== undefined) checkRestartRules(container, containerPath.at("restartPolicyRules"));
    if (names.has(container.name)) containerPath.at("name").duplicate(container.name);
    else if (!isAbsent(container.name)) names.add(container.name);
    // They run one after the other: only within one can ports collide. It is reported as if it were the first.
    checkHostPorts([container], fldPath);
    if (isSidecar(container)) checkLifeOf(container, containerPath, pod);
    else checkPlainInit(container, containerPath, pod);
  }
}

/** What ends before the next begins has no life to look after. */
function checkPlainInit(container: corev1.Container, fldPath: ValidationPath, { options }: PodAround): void {
  for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
    if (container[field] === undefined) continue;
    const why = "may not be set for init containers without restartPolicy=Always";
    fldPath.at(field).forbidden(why);
  }
  if (options.allowsRestartToResizeInit) return;
  for (const [i, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (restartPolicy !== "RestartContainer") continue;
    const policyPath = fldPath.at("resizePolicy").item(i).at("restartPolicy");
    const why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    policyPath.invalid(restartPolicy, why);
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

export function checkEphemeralContainers(pod: PodAround, fldPath: ValidationPath): void {
  const { containers, initContainers, ephemeralContainers = [] } = pod.spec;
  const others = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  for (const [i, container] of ephemeralContainers.entries()) {
    const containerPath = fldPath.item(i);
    checkContainer(container, containerPath, pod);
    checkImageSpelling(container, containerPath);
    if (names.has(container.name)) containerPath.at("name").duplicate(container.name);
    names.add(container.name);
    const { targetContainerName: target } = container;
    if (!isAbsent(target) && !others.has(target)) {
      containerPath.at("targetContainerName").notFound(target);
    }
    for (const field of fieldsNotForEphemeral) {
      if (isGiven(container, field)) containerPath.at(field).forbidden(notForEphemeral);
    }
    for (const [j, mount] of (container.volumeMounts ?? []).entries()) {
      const mountPath = containerPath.at("volumeMounts").item(j);
      for (const field of ["subPath", "subPathExpr"] as const) {
        if (!isAbsent(mount[field])) mountPath.at(field).forbidden(notForEphemeral);
      }
    }
  }
}

/** `resources: {}` is what Go prints for none. */
function isGiven(container: corev1.Container, field: (typeof fieldsNotForEphemeral)[number]): boolean {
  const value = container[field];
  return field === "resources" ? Object.keys(value ?? {}).length > 0 : value !== undefined;
}

function checkContainer(container: corev1.Container, fldPath: ValidationPath, pod: PodAround): void {
  const at = (field: string) => fldPath.at(field);
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

function checkLifeOf(container: corev1.Container, fldPath: ValidationPath, { spec }: PodAround): void {
  const grace = spec.terminationGracePeriodSeconds;
  const { lifecycle } = container;
  if (lifecycle !== undefined) checkLifecycle(lifecycle, fldPath.at("lifecycle"), grace);
  checkProbes(container, fldPath, grace);
}

/** Of pods, not of templates: spaces around the name of an image. */
export function checkImageSpelling({ image = "" }: corev1.Container, fldPath: ValidationPath): void {
  if (image.trim() === image) return;
  fldPath.at("image").invalid(image, "must not have leading or trailing whitespace");
}

function checkPorts(ports: readonly corev1.ContainerPort[], fldPath: ValidationPath): void {
  const names = new Set<string>();
  for (const [i, { name, containerPort, hostPort, protocol }] of ports.entries()) {
    const at = (field: string) => fldPath.item(i).at(field);
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

function checkHostPorts(containers: readonly corev1.Container[], fldPath: ValidationPath): void {
  const taken = new Set<string>();
  for (const [i, { ports = [] }] of containers.entries()) {
    for (const [j, { hostPort, protocol = "", hostIP = "" }] of ports.entries()) {
      if (hostPort === undefined || hostPort === 0) continue;
      const port = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(port)) fldPath.item(i).at("ports").item(j).at("hostPort").duplicate(port);
      taken.add(port);
    }
  }
}

const resizableResources = ["cpu", "memory"];
const resizePolicies = ["NotRequired", "RestartContainer"];

function checkResizePolicy(container: corev1.Container, fldPath: ValidationPath, spec: corev1.PodSpec): void {
  const seen = new Set<string>();
  for (const [i, { resourceName, restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (seen.has(resourceName)) fldPath.item(i).duplicate(resourceName);
    seen.add(resourceName);
    checkChoice(resourceName, fldPath, resizableResources);
    checkChoice(restartPolicy, fldPath, resizePolicies);
    if (spec.restartPolicy === "Never" && restartPolicy !== "NotRequired") {
      const why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      fldPath.invalid(restartPolicy ?? "", why);
    }
  }
}

const restartPolicies = ["Always", "Never", "OnFailure"];
const restartActions = ["Restart", "RestartAllContainers"];
const exitCodeOperators = ["In", "NotIn"];
const mostRules = 20;
const mostExitCodes = 255;

/** A container's own, beside the pod's. */
function checkRestartPolicy(
  { restartPolicy, restartPolicyRules = [] }: corev1.Container,
  fldPath: ValidationPath,
): void {
  if (restartPolicy === undefined && restartPolicyRules.length > 0) {
    fldPath.required("must specify restartPolicy when restart rules are used");
  }
  checkOptionalChoice(restartPolicy, fldPath, restartPolicies);
}

function checkRestartRules({ restartPolicyRules: rules = [] }: corev1.Container, fldPath: ValidationPath): void {
  if (rules.length > mostRules) fldPath.tooMany(rules.length, mostRules);
  for (const [i, { action = "", exitCodes }] of rules.entries()) {
    const rulePath = fldPath.item(i);
    if (!restartActions.includes(action)) {
      rulePath.at("action").notSupported(action, restartActions);
    }
    const codesPath = rulePath.at("exitCodes");
    if (exitCodes === undefined) {
      codesPath.required("must be specified");
      continue;
    }
    const { operator = "", values = [] } = exitCodes;
    if (!exitCodeOperators.includes(operator)) {
      codesPath.at("operator").notSupported(operator, exitCodeOperators);
    }
    if (values.length > mostExitCodes) {
      codesPath.at("values").tooMany(values.length, mostExitCodes);
    }
  }
}
