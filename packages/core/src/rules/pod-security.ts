// The Pod Security Standards: what a pod violates of a level in a version, and which levels the labels of a namespace ask for. As kube-apiserver
// 1.36 decides and words it, for its admission and for whoever wants to know before a manifest is applied.
import { KubeloopError } from "../base/index.ts";
import { type CheckedPod, type PodSecurityViolation, podSecurityChecks } from "./pod-security-checks.ts";

export const podSecurityLevels = ["privileged", "baseline", "restricted"] as const;
/** From what allows everything to what allows least. */
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

export interface PodSecurityStandard {
  readonly level: PodSecurityLevel;
  /** "latest" or "v1.30", for example. */
  readonly version: string;
}

export interface PodSecurityPolicy {
  /** What violates it is refused. */
  readonly enforce: PodSecurityStandard;
  /** What violates it is let through, and noted. */
  readonly audit: PodSecurityStandard;
  /** What violates it is let through with a warning. */
  readonly warn: PodSecurityStandard;
}

/** A label that cannot be read. */
export interface PodSecurityLabelFault {
  readonly label: string;
  readonly value: string;
  readonly detail: string;
}

const latest = "latest";
const versionPattern = /^v1\.(0|[1-9][0-9]*)$/;
const prefix = "pod-security.kubernetes.io/";

/** Returns what the pod violates; nothing, if it may run. A version that is newer than all checks is the newest. Throws for what is no version. */
export function podSecurityViolations(
  pod: CheckedPod,
  { level, version }: PodSecurityStandard,
): readonly PodSecurityViolation[] {
  if (level === "privileged") return [];
  const minor = minorOf(version);
  const chosen = podSecurityChecks.flatMap((check) => {
    if (check.level === "restricted" && level === "baseline") return [];
    const find = check.versions.findLast(({ sinceMinor }) => sinceMinor <= minor)?.find;
    return find === undefined ? [] : [{ ...check, find }];
  });
  const overridden = new Set(chosen.map(({ overrides }) => overrides));
  return chosen.flatMap(({ id, find }) => (overridden.has(id) ? [] : (find(pod) ?? [])));
}

function minorOf(version: string): number {
  if (version === latest) return Number.POSITIVE_INFINITY;
  const minor = versionPattern.exec(version)?.[1];
  if (minor === undefined)
    throw new KubeloopError(`no version of the Pod Security Standards: ${version}`, { reason: "Invalid" });
  return Number(minor);
}

/** `host namespaces (hostPID=true), privileged (container "a" must not set securityContext.privileged=true)` */
export function printPodSecurityViolations(violations: readonly PodSecurityViolation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
}

/** `baseline:latest` */
export const printPodSecurityStandard = ({ level, version }: PodSecurityStandard): string => `${level}:${version}`;

/**
 * Returns the policy that the labels of a namespace ask for; without any, everything goes. A label that cannot be read is as strict as can be where it enforces, and asks for
 * nothing where it only warns or notes.
 */
export function podSecurityPolicyOf(labels: Readonly<Record<string, string>> = {}): {
  readonly policy: PodSecurityPolicy;
  readonly faults: readonly PodSecurityLabelFault[];
} {
  const faults: PodSecurityLabelFault[] = [];
  const read = (mode: keyof PodSecurityPolicy): PodSecurityStandard => {
    const level = labels[`${prefix}${mode}`];
    const version = labels[`${prefix}${mode}-version`];
    const isLevel = level === undefined || isPodSecurityLevel(level);
    const isVersion = version === undefined || version === latest || versionPattern.test(version);
    if (!isLevel) fault(`${prefix}${mode}`, level, `must be one of ${podSecurityLevels.join(", ")}`);
    if (!isVersion) fault(`${prefix}${mode}-version`, version, 'must be "latest" or "v1.x"');
    const unreadable = mode === "enforce" ? "restricted" : "privileged";
    return {
      level: isLevel ? (level ?? "privileged") : unreadable,
      version: isVersion ? (version ?? latest) : latest,
    };
  };
  const fault = (label: string, value: string, detail: string) => void faults.push({ label, value, detail });
  const enforce = read("enforce");
  const audit = read("audit");
  const warn = read("warn");
  return { policy: { enforce, audit, warn: withWarnings(labels, enforce, warn) }, faults };
}

/** Whoever enforces a level and does not speak of warnings is warned by the same level: of a Deployment, whose pods would be refused. */
function withWarnings(
  labels: Readonly<Record<string, string>>,
  enforce: PodSecurityStandard,
  warn: PodSecurityStandard,
): PodSecurityStandard {
  const isEnforced = isPodSecurityLevel(labels[`${prefix}enforce`]);
  if (!isEnforced || labels[`${prefix}warn`] !== undefined) return warn;
  if (!isStricterPodSecurity(enforce.level, warn.level)) return warn;
  const hasVersion = labels[`${prefix}warn-version`] !== undefined;
  return { level: enforce.level, version: hasVersion ? warn.version : enforce.version };
}

const isPodSecurityLevel = (level: string | undefined): level is PodSecurityLevel =>
  (podSecurityLevels as readonly (string | undefined)[]).includes(level);

export const isStricterPodSecurity = (level: PodSecurityLevel, other: PodSecurityLevel): boolean =>
  podSecurityLevels.indexOf(level) > podSecurityLevels.indexOf(other);
