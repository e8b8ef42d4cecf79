// Kernel parameters a pod sets: which namespace of the kernel they belong to, and what their names look like.
import type { corev1 } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
/** As messages tell it. */
const format = `^(${segment}[\\./])*${segment}$`;
/** The same, without nested repetition. */
const shape = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;
const longestName = 253;

const ipcNames = new Set([
  "kernel.sem",
  "kernel.shmall",
  "kernel.shmmax",
  "kernel.shmmni",
  "kernel.shm_rmid_forced",
  "kernel.shm",
  "kernel.msgmax",
  "kernel.msgmnb",
  "kernel.msgmni",
  "kernel.msg",
]);

export interface SysctlOptions {
  readonly allowsHostSysctls: boolean;
}

export function checkSysctls(
  spec: corev1.PodSpec,
  fldPath: ValidationPath,
  { allowsHostSysctls }: SysctlOptions,
): void {
  const seen = new Set<string>();
  for (const [i, { name }] of (spec.securityContext?.sysctls ?? []).entries()) {
    const namePath = fldPath.item(i).at("name");
    if (isAbsent(name)) {
      namePath.required();
    } else if (name.length > longestName || !shape.test(name)) {
      const why = `must have at most ${longestName} characters and match regex ${format}`;
      namePath.invalid(name, why);
    } else if (seen.has(name)) {
      namePath.duplicate(name);
    }
    const host = allowsHostSysctls ? undefined : hostFieldOf(name, spec);
    if (host !== undefined) namePath.invalid(name, `may not be specified when '${host}' is true`);
    seen.add(name);
  }
}

/** The field by which the pod shares with its host what this parameter belongs to. */
export function hostFieldOf(name: string, spec: corev1.PodSpec): "hostNetwork" | "hostIPC" | undefined {
  const dotted = withDots(name);
  const prefix = dotted.split("*", 1)[0] ?? "";
  if (spec.hostNetwork === true && prefix.startsWith("net.")) return "hostNetwork";
  const isIpc = ipcNames.has(prefix) || prefix.startsWith("fs.mqueue.");
  return spec.hostIPC === true && isIpc ? "hostIPC" : undefined;
}

/** "net/ipv4/conf/eno2.100" is another spelling of "net.ipv4.conf.eno2/100". */
function withDots(name: string): string {
  if (/[./]/.exec(name)?.[0] !== "/") return name;
  return name.replace(/[./]/g, (found) => (found === "." ? "/" : "."));
}
