// Everything that must hold of a pod's spec, in a pod or in a template. All faults at once, in the order users know.
import { type corev1, validateQualifiedName } from "@kubeloop/core/api";
import { checkChoice, checkDnsLabel, checkDnsSubdomain, isAbsent } from "../shared/checks.ts";
import { internalForm } from "../shared/internal-form.ts";
import { checkLegacyIp } from "../shared/ip-address.ts";
import { checkLabels } from "../shared/labels.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkAffinity, checkSpreadConstraints, checkTolerations } from "./check-affinity.ts";
import { checkContainers, checkEphemeralContainers, checkInitContainers } from "./check-containers.ts";
import { checkContainerResources, checkPodResources } from "./check-resources.ts";
import { checkPodSecurity, checkUserNamespace } from "./check-security.ts";
import { checkVolumes } from "./check-volumes.ts";
import { checkHostProcess, checkOperatingSystem } from "./check-windows.ts";
import type { PodSpecOptions } from "./options.ts";
import { placedContainers } from "./visit-containers.ts";

type PodSpec = corev1.PodSpec;

/** Of the pod itself; undefined for templates. */
export interface PodIdentity {
  readonly name: string | undefined;
  readonly isMirror: boolean;
}

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const preemptionPolicies = ["PreemptLowerPriority", "Never"];
const longestHostname = 64;
const maxInt32 = 2 ** 31 - 1;

export function checkPodSpec(
  spec: PodSpec,
  fldPath: ValidationPath,
  identity: PodIdentity | undefined,
  options: PodSpecOptions,
): void {
  const at = (field: string) => fldPath.at(field);
  if (spec.terminationGracePeriodSeconds === undefined) {
    at("terminationGracePeriodSeconds").required();
  }
  const volumes = checkVolumes(spec.volumes ?? [], at("volumes"), identity?.name || undefined, options);
  const claims = spec.resourceClaims ?? [];
  const claimNames = new Set(claims.map(({ name }) => name).filter((name) => !isAbsent(name)));
  checkClaims(claims, at("resourceClaims"), identity);
  const around = { spec, volumes, claimNames, options };
  checkContainers(around, at("containers"));
  checkInitContainers(around, at("initContainers"));
  checkEphemeralContainers(around, at("ephemeralContainers"));
  const resourceOptions = { claimNames, allowsPartialHugePages: options.allowsPartialHugePages };
  checkPodResources(spec, at("resources"), resourceOptions);
  checkHostNetworkPorts(spec, at("containers"), options);
  checkChoice(spec.restartPolicy, at("restartPolicy"), restartPolicies);
  checkChoice(spec.dnsPolicy, at("dnsPolicy"), dnsPolicies);
  checkLabels(spec.nodeSelector, at("nodeSelector"));
  checkPodSecurity(spec, at("securityContext"), options);
  if (spec.affinity !== undefined) checkAffinity(spec.affinity, at("affinity"), options);
  checkDnsConfig(spec, at("dnsConfig"));
  checkGates(spec, fldPath);
  checkSpreadConstraints(spec.topologySpreadConstraints ?? [], at("topologySpreadConstraints"), options);
  checkHostProcess(spec, fldPath);
  checkUserNamespace(spec, fldPath, options);
  checkHostnameOverride(spec, at("hostnameOverride"));
  checkNames(spec, fldPath);
  checkTolerations(spec.tolerations ?? [], at("tolerations"), options);
  checkHostAliases(spec.hostAliases ?? [], at("hostAliases"));
  checkClasses(spec, fldPath);
  if (spec.overhead !== undefined) {
    const noClaims = { ...resourceOptions, claimNames: new Set<string>() };
    checkContainerResources({ limits: spec.overhead }, at("overhead"), noClaims);
  }
  checkOperatingSystem(spec, fldPath);
  checkEnvironmentFiles(spec, fldPath);
}

function checkClaims(
  claims: readonly corev1.PodResourceClaim[],
  fldPath: ValidationPath,
  identity: PodIdentity | undefined,
): void {
  const names = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    if (identity?.isMirror === true) {
      fldPath.whole.forbidden("static pods do not support resource claims");
      continue;
    }
    const claimPath = fldPath.item(i);
    const namePath = claimPath.at("name");
    if (isAbsent(claim.name)) namePath.required();
    else if (names.has(claim.name)) namePath.duplicate(claim.name);
    else checkDnsLabel(claim.name, namePath);
    names.add(claim.name);
    const { resourceClaimName: name, resourceClaimTemplateName: templateName } = claim;
    if ((name === undefined) === (templateName === undefined)) {
      const why =
        name === undefined
          ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
          : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      claimPath.invalid(internalForm(claim, "PodResourceClaim"), why);
    }
    if (name !== undefined) checkDnsSubdomain(name, claimPath.at("resourceClaimName"));
    if (templateName !== undefined) {
      checkDnsSubdomain(templateName, claimPath.at("resourceClaimTemplateName"));
    }
  }
}

/** On the host's network a port is the host's. A template may leave it open: pods made of it get it. */
function checkHostNetworkPorts(spec: PodSpec, fldPath: ValidationPath, { isPod }: PodSpecOptions): void {
  if (spec.hostNetwork !== true) return;
  for (const [i, { ports = [] }] of (spec.containers ?? []).entries()) {
    for (const [j, { hostPort = 0, containerPort }] of ports.entries()) {
      if (hostPort === containerPort || (!isPod && hostPort === 0)) continue;
      const portPath = fldPath.item(i).at("ports").item(j).at("hostPort");
      portPath.invalid(hostPort, "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

const mostNameservers = 3;
const mostSearches = 32;
const longestSearchList = 2048;

function checkDnsConfig(spec: PodSpec, fldPath: ValidationPath): void {
  const { dnsConfig, dnsPolicy } = spec;
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  const serversPath = fldPath.at("nameservers");
  if (dnsPolicy === "None") {
    if (dnsConfig === undefined) {
      fldPath.required("must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (nameservers.length === 0) {
      const why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      serversPath.required(why);
      return;
    }
  }
  if (nameservers.length > mostNameservers) {
    serversPath.invalid(nameservers, `must not have more than ${mostNameservers} nameservers`);
  }
  for (const [i, server] of nameservers.entries()) checkLegacyIp(server, serversPath.item(i));
  const searchesPath = fldPath.at("searches");
  if (searches.length > mostSearches) {
    searchesPath.invalid(searches, `must not have more than ${mostSearches} search paths`);
  }
  if (Buffer.byteLength(searches.join(" ")) > longestSearchList) {
    const why = `must not have more than ${longestSearchList} characters (including spaces) in the search list`;
    searchesPath.invalid(searches, why);
  }
  for (const [i, search] of searches.entries()) checkSearch(search, searchesPath.item(i));
  for (const [i, { name }] of options.entries()) {
    if (isAbsent(name)) fldPath.at("options").item(i).required("must not be empty");
  }
}

const looseLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const looseSubdomain = `${looseLabel}(\\.${looseLabel})*`;
const looseShape = /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:\._?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;
const longestSubdomain = 253;

/** "." alone, and names with underscores, as service discovery uses them. */
function checkSearch(search: string, fldPath: ValidationPath): void {
  if (search === ".") return;
  const name = search.endsWith(".") ? search.slice(0, -1) : search;
  if (Buffer.byteLength(name) > longestSubdomain) {
    fldPath.invalid(name, `must be no more than ${longestSubdomain} characters`);
  }
  if (looseShape.test(name)) return;
  const why = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${looseSubdomain}')`;
  fldPath.invalid(name, why);
}

function checkGates(spec: PodSpec, fldPath: ValidationPath): void {
  for (const [i, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    const gatePath = fldPath.at("readinessGates").item(i).at("conditionType");
    gatePath.invalidFor(conditionType ?? "", validateQualifiedName(conditionType ?? ""));
  }
  const names = new Set<string>();
  for (const [i, { name = "" }] of (spec.schedulingGates ?? []).entries()) {
    const gatePath = fldPath.at("schedulingGates").item(i);
    gatePath.invalidFor(name, validateQualifiedName(name));
    if (names.has(name)) gatePath.duplicate(name);
    names.add(name);
  }
}

function checkHostnameOverride(spec: PodSpec, fldPath: ValidationPath): void {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return;
  if (spec.setHostnameAsFQDN === true) {
    fldPath.forbidden("may not be specified when setHostnameAsFQDN is true");
  }
  if (spec.hostNetwork === true) fldPath.forbidden("may not be specified when hostNetwork is true");
  if (name.length > longestHostname) fldPath.tooLong(longestHostname);
  checkDnsSubdomain(name, fldPath);
}

function checkNames(spec: PodSpec, fldPath: ValidationPath): void {
  const at = (field: string) => fldPath.at(field);
  const { serviceAccountName, nodeName, activeDeadlineSeconds: deadline, hostname, subdomain } = spec;
  if (!isAbsent(serviceAccountName)) checkDnsSubdomain(serviceAccountName, at("serviceAccountName"));
  if (!isAbsent(nodeName)) checkDnsSubdomain(nodeName, at("nodeName"));
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32)) {
    const why = `must be between 1 and ${maxInt32}, inclusive`;
    at("activeDeadlineSeconds").invalid(deadline, why);
  }
  if (!isAbsent(hostname)) checkDnsLabel(hostname, at("hostname"));
  if (!isAbsent(subdomain)) checkDnsLabel(subdomain, at("subdomain"));
}

function checkHostAliases(aliases: readonly corev1.HostAlias[], fldPath: ValidationPath): void {
  for (const [i, { ip = "", hostnames = [] }] of aliases.entries()) {
    const aliasPath = fldPath.item(i);
    checkLegacyIp(ip, aliasPath.at("ip"));
    for (const [j, name] of hostnames.entries()) {
      checkDnsSubdomain(name, aliasPath.at("hostnames").item(j));
    }
  }
}

function checkClasses(spec: PodSpec, fldPath: ValidationPath): void {
  const at = (field: string) => fldPath.at(field);
  const { priorityClassName, runtimeClassName, preemptionPolicy } = spec;
  if (!isAbsent(priorityClassName)) checkDnsSubdomain(priorityClassName, at("priorityClassName"));
  if (runtimeClassName !== undefined) checkDnsSubdomain(runtimeClassName, at("runtimeClassName"));
  if (preemptionPolicy !== undefined) {
    checkChoice(preemptionPolicy, at("preemptionPolicy"), preemptionPolicies);
  }
}

/** Variables read from a file need a volume that containers can write to. */
function checkEnvironmentFiles(spec: PodSpec, fldPath: ValidationPath): void {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  for (const { container, fldPath: containerPath } of placedContainers(spec, fldPath)) {
    for (const [i, { valueFrom }] of (container.env ?? []).entries()) {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) continue;
      const variablePath = containerPath.at("env").item(i);
      const namePath = variablePath.at("valueFrom", "fileKeyRef", "volumeName");
      const volume = volumes.get(name);
      if (volume === undefined) namePath.notFound(name);
      else if (volume.emptyDir === undefined) {
        namePath.invalid(name, "referenced volume must be of type emptyDir");
      }
    }
  }
}
