// Who a pod and its containers run as, and what they may do.
import type { corev1 } from "@kubeloop/core/api";
import { checkOptionalChoice } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { internalForm } from "../shared/internal-form.ts";
import { checkAppArmorProfile, checkSeccompProfile } from "./check-profiles.ts";
import { checkWindowsOptions } from "./check-windows.ts";
import type { PodSpecOptions } from "./options.ts";
import { checkSysctls } from "./sysctls.ts";
import { placedContainers } from "./visit-containers.ts";

const largestId = 2 ** 31 - 1;
const procMounts = ["Default", "Unmasked"];

/** Of a user or a group. */
export function checkId(id: number | undefined, place: FaultPlace): void {
  if (id === undefined || (id >= 0 && id <= largestId)) return;
  place.invalid(id, `must be between 0 and ${largestId}, inclusive`);
}

export function checkPodSecurity(spec: corev1.PodSpec, place: FaultPlace, options: PodSpecOptions): void {
  const { securityContext: context } = spec;
  if (context === undefined) return;
  checkId(context.fsGroup, place.at("fsGroup"));
  checkId(context.runAsUser, place.at("runAsUser"));
  checkId(context.runAsGroup, place.at("runAsGroup"));
  for (const [i, group] of (context.supplementalGroups ?? []).entries()) {
    checkId(group, place.at("supplementalGroups").item(i));
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const why = "ShareProcessNamespace and HostPID cannot both be enabled";
    place.at("shareProcessNamespace").invalid(true, why);
  }
  checkSysctls(spec, place.at("sysctls"), options);
  const { fsGroupChangePolicy, supplementalGroupsPolicy, seLinuxChangePolicy } = context;
  const changePlace = place.at("fsGroupChangePolicy");
  checkOptionalChoice(fsGroupChangePolicy, changePlace, ["Always", "OnRootMismatch"]);
  checkSeccompProfile(context.seccompProfile, place.at("seccompProfile"));
  checkWindowsOptions(context.windowsOptions, place.at("windowsOptions"));
  checkAppArmorProfile(context.appArmorProfile, place.at("appArmorProfile"));
  const groupsPlace = place.at("supplementalGroupsPolicy");
  checkOptionalChoice(supplementalGroupsPolicy, groupsPlace, ["Merge", "Strict"]);
  const policies = options.allowsAnySelinuxChangePolicy ? ["MountOption", "Recursive"] : ["Recursive"];
  checkOptionalChoice(seLinuxChangePolicy, place.at("seLinuxChangePolicy"), policies);
}

export interface ContainerSecurityOptions {
  /** Whether the pod has a user namespace of its own. */
  readonly hasUserNamespace: boolean;
}

export function checkContainerSecurity(
  context: corev1.SecurityContext | undefined,
  place: FaultPlace,
  { hasUserNamespace }: ContainerSecurityOptions,
): void {
  if (context === undefined) return;
  checkId(context.runAsUser, place.at("runAsUser"));
  checkId(context.runAsGroup, place.at("runAsGroup"));
  const { procMount } = context;
  const procPlace = place.at("procMount");
  if (procMount !== undefined && !procMounts.includes(procMount)) {
    procPlace.notSupported(procMount, procMounts);
  }
  if (procMount === "Unmasked" && !hasUserNamespace) {
    procPlace.invalid(procMount, "`hostUsers` must be false to use `Unmasked`");
  }
  checkSeccompProfile(context.seccompProfile, place.at("seccompProfile"));
  if (context.allowPrivilegeEscalation === false) {
    const refuse = (what: string) => {
      const why = `cannot set \`allowPrivilegeEscalation\` to false and ${what}`;
      place.invalid(internalForm(context, "SecurityContext"), why);
    };
    if (context.privileged === true) refuse("`privileged` to true");
    for (const added of context.capabilities?.add ?? []) {
      if (added === "CAP_SYS_ADMIN") refuse("`capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  checkWindowsOptions(context.windowsOptions, place.at("windowsOptions"));
  checkAppArmorProfile(context.appArmorProfile, place.at("appArmorProfile"));
}

/** With a user namespace of its own a pod cannot share the host's other namespaces. */
export function checkUserNamespace(spec: corev1.PodSpec, place: FaultPlace, options: PodSpecOptions): void {
  if (spec.hostUsers !== false) return;
  const why = "when `hostUsers` is false";
  if (spec.hostNetwork === true && !options.allowsUserNamespaceOnHostNetwork) {
    place.at("hostNetwork").forbidden(why);
  }
  if (spec.hostPID === true) place.at("HostPID").forbidden(why);
  if (spec.hostIPC === true) place.at("HostIPC").forbidden(why);
  if (options.allowsDevicesInUserNamespace) return;
  for (const { container, place: containerPlace } of placedContainers(spec, place)) {
    if ((container.volumeDevices ?? []).length === 0) continue;
    containerPlace.at("volumeDevices").forbidden(why);
  }
}
