// Options of Windows containers, and what a pod may not ask for when its operating system is known.
import { type corev1, validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { placedContainers } from "./visit-containers.ts";

const largestCredentialKib = 64;
const longestDomain = 256;
const longestUser = 104;
const controlCharacters = /\p{Cc}/u;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

export function checkWindowsOptions(
  options: corev1.WindowsSecurityContextOptions | undefined,
  fldPath: ValidationPath,
): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (specName !== undefined) {
    fldPath.at("gmsaCredentialSpecName").invalidFor(specName, validateDns1123Subdomain(specName));
  }
  if (spec === "") {
    const why = "gmsaCredentialSpec cannot be an empty string";
    fldPath.at("gmsaCredentialSpec").invalid(spec, why);
  } else if (spec !== undefined && Buffer.byteLength(spec) > largestCredentialKib * 1024) {
    const why = `gmsaCredentialSpec size must be under ${largestCredentialKib} KiB`;
    fldPath.at("gmsaCredentialSpec").invalid(spec, why);
  }
  if (runAsUserName !== undefined) {
    const reasons = userNameFaults(runAsUserName).map((why) => `runAsUserName${why}`);
    fldPath.at("runAsUserName").invalidFor(runAsUserName, reasons);
  }
}

function userNameFaults(name: string): string[] {
  if (name === "") return [" cannot be an empty string"];
  if (controlCharacters.test(name)) return [" cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return [" cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const faults: string[] = [];
  if (domain !== undefined && domain.length >= longestDomain) {
    faults.push(`'s Domain length must be under ${longestDomain} characters`);
  }
  if (domain !== undefined && !netBiosName.test(domain) && !dnsName.test(domain)) {
    faults.push("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") faults.push("'s User cannot be empty");
  else if (user.length > longestUser) faults.push(`'s User length must not be longer than ${longestUser} characters`);
  if (/^[. ]+$/.test(user)) faults.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    faults.push("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
  return faults;
}

/** Containers that run as processes of the host do so all together, and on its network. */
export function checkHostProcess(spec: corev1.PodSpec, fldPath: ValidationPath): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const placed = placedContainers(spec, fldPath);
  let hostProcesses = 0;
  for (const { container, fldPath: containerPath } of placed) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      containerPath.at("securityContext", "windowsOptions", "hostProcess").invalid(own, why);
    }
    if (own ?? ofPod) hostProcesses++;
  }
  if (hostProcesses === 0) return;
  if (hostProcesses !== placed.length) {
    const why = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    fldPath.invalid("", why);
  }
  if (spec.hostNetwork !== true) {
    const why = "hostNetwork must be true if pod contains any hostProcess containers";
    fldPath.at("hostNetwork").invalid(false, why);
  }
}

const podFieldsOfLinux = [
  ["securityContext", "appArmorProfile"],
  ["securityContext", "seLinuxOptions"],
  ["hostUsers"],
  ["hostPID"],
  ["hostIPC"],
  ["securityContext", "seccompProfile"],
  ["securityContext", "fsGroup"],
  ["securityContext", "fsGroupChangePolicy"],
  ["securityContext", "sysctls"],
  ["shareProcessNamespace"],
  ["securityContext", "runAsUser"],
  ["securityContext", "runAsGroup"],
  ["securityContext", "supplementalGroups"],
  ["securityContext", "supplementalGroupsPolicy"],
  ["securityContext", "seLinuxChangePolicy"],
] as const;

const containerFieldsOfLinux = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

const operatingSystems = ["linux", "windows"];

export function checkOperatingSystem(spec: corev1.PodSpec, fldPath: ValidationPath): void {
  if (spec.os === undefined) return;
  const { name } = spec.os;
  const osPath = fldPath.at("os");
  if (isAbsent(name)) osPath.at("name").required();
  else if (!operatingSystems.includes(name)) osPath.notSupported(name, operatingSystems);
  else if (name === "linux") checkOnLinux(spec, fldPath);
  else checkOnWindows(spec, fldPath);
}

function checkOnLinux(spec: corev1.PodSpec, fldPath: ValidationPath): void {
  const parts = [{ container: spec, fldPath }, ...placedContainers(spec, fldPath)];
  for (const { container, fldPath: partPath } of parts) {
    if (container.securityContext?.windowsOptions === undefined) continue;
    const why = "windows options cannot be set for a linux pod";
    partPath.at("securityContext", "windowsOptions").forbidden(why);
  }
}

function checkOnWindows(spec: corev1.PodSpec, fldPath: ValidationPath): void {
  const why = "cannot be set for a windows pod";
  for (const names of podFieldsOfLinux) {
    const [first, ...rest] = names;
    if (isGiven(spec, names)) fldPath.at(first, ...rest).forbidden(why);
  }
  for (const { container, fldPath: containerPath } of placedContainers(spec, fldPath)) {
    for (const name of containerFieldsOfLinux) {
      if (container.securityContext?.[name] === undefined) continue;
      containerPath.at("securityContext", name).forbidden(why);
    }
  }
}

function isGiven(spec: corev1.PodSpec, names: (typeof podFieldsOfLinux)[number]): boolean {
  if (names.length === 1) {
    const value = spec[names[0]];
    // Of these two, false is as good as nothing.
    return names[0] === "hostPID" || names[0] === "hostIPC" ? value === true : value !== undefined;
  }
  return spec.securityContext?.[names[1]] !== undefined;
}
