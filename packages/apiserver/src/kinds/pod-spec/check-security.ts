// Who a pod and its containers run as, and what they may do.
import type { corev1 } from "@kubeloop/core/api";
import { checkOptionalChoice } from "../shared/checks.ts";
import { internalForm } from "../shared/internal-form.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkAppArmorProfile, checkSeccompProfile } from "./check-profiles.ts";
import { checkWindowsOptions } from "./check-windows.ts";
import type { PodSpecOptions } from "./options.ts";
import { checkSysctls } from "./sysctls.ts";
import { placedContainers } from "./visit-containers.ts";

const largestId = 2 ** 31 - 1;
const procMounts = ["Default", "Unmasked"];

/** Of a user or a group. */
export function checkId(id: number | undefined, fldPath: ValidationPath): void {
  if (id === undefined || (id >= 0 && id <= largestId)) return;
  fldPath.invalid(id, `must be between 0 and ${largestId}, inclusive`);
}

export function checkPodSecurity(spec: corev1.PodSpec, fldPath: ValidationPath, options: PodSpecOptions): void {
  const { securityContext: context } = spec;
  if (context === undefined) return;
  checkId(context.fsGroup, fldPath.at("fsGroup"));
  checkId(context.runAsUser, fldPath.at("runAsUser"));
  checkId(context.runAsGroup, fldPath.at("runAsGroup"));
  for (const [i, group] of (context.supplementalGroups ?? []).entries()) {
    checkId(group, fldPath.at("supplementalGroups").item(i));
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const why = "ShareProcessNamespace and HostPID cannot both be enabled";
    fldPath.at("shareProcessNamespace").invalid(true, why);
  }
  checkSysctls(spec, fldPath.at("sysctls"), options);
  const { fsGroupChangePolicy, supplementalGroupsPolicy, seLinuxChangePolicy } = context;
  const changePath = fldPath.at("fsGroupChangePolicy");
  checkOptionalChoice(fsGroupChangePolicy, changePath, ["Always", "OnRootMismatch"]);
  checkSeccompProfile(context.seccompProfile, fldPath.at("seccompProfile"));
  checkWindowsOptions(context.windowsOptions, fldPath.at("windowsOptions"));
  checkAppArmorProfile(context.appArmorProfile, fldPath.at("appArmorProfile"));
  const groupsPath = fldPath.at("supplementalGroupsPolicy");
  checkOptionalChoice(supplementalGroupsPolicy, groupsPath, ["Merge", "Strict"]);
  const policies = options.allowsAnySelinuxChangePolicy ? ["MountOption", "Recursive"] : ["Recursive"];
  checkOptionalChoice(seLinuxChangePolicy, fldPath.at("seLinuxChangePolicy"), policies);
}

export interface ContainerSecurityOptions {
  /** Whether the pod has a user namespace of its own. */
  readonly hasUserNamespace: boolean;
}

export function checkContainerSecurity(
  context: corev1.SecurityContext | undefined,
  fldPath: ValidationPath,
  { hasUserNamespace }: ContainerSecurityOptions,
): void {
  if (context === undefined) return;
  checkId(context.runAsUser, fldPath.at("runAsUser"));
  checkId(context.runAsGroup, fldPath.at("runAsGroup"));
  const { procMount } = context;
  const procPath = fldPath.at("procMount");
  if (procMount !== undefined && !procMounts.includes(procMount)) {
    procPath.notSupported(procMount, procMounts);
  }
  if (procMount === "Unmasked" && !hasUserNamespace) {
    procPath.invalid(procMount, "`hostUsers` must be false to use `Unmasked`");
  }
  checkSeccompProfile(context.seccompProfile, fldPath.at("seccompProfile"));
  if (context.allowPrivilegeEscalation === false) {
    const refuse = (what: string) => {
      const why = `cannot set \`allowPrivilegeEscalation\` to false and ${what}`;
      fldPath.invalid(internalForm(context, "SecurityContext"), why);
    };
    if (context.privileged === true) refuse("`privileged` to true");
    for (const added of context.capabilities?.add ?? []) {
      if (added === "CAP_SYS_ADMIN") refuse("`capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  checkWindowsOptions(context.windowsOptions, fldPath.at("windowsOptions"));
  checkAppArmorProfile(context.appArmorProfile, fldPath.at("appArmorProfile"));
}

/** With a user namespace of its own a pod cannot share the host's other namespaces. */
export function checkUserNamespace(spec: corev1.PodSpec, fldPath: ValidationPath, options: PodSpecOptions): void {
  if (spec.hostUsers !== false) return;
  const why = "when `hostUsers` is false";
  if (spec.hostNetwork === true && !options.allowsUserNamespaceOnHostNetwork) {
    fldPath.at("hostNetwork").forbidden(why);
  }
  if (spec.hostPID === true) fldPath.at("HostPID").forbidden(why);
  if (spec.hostIPC === true) fldPath.at("HostIPC").forbidden(why);
  if (options.allowsDevicesInUserNamespace) return;
  for (const { container, fldPath: containerPath } of placedContainers(spec, fldPath)) {
    if ((container.volumeDevices ?? []).length === 0) continue;
    containerPath.at("volumeDevices").forbidden(why);
  }
}
