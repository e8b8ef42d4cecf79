// Seccomp and AppArmor profiles: as fields, as the annotations they once were, and both together.
import { type corev1, quote } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import { internalForm } from "../shared/internal-form.ts";
import type { LabelMap } from "../shared/labels.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkDescendingPath } from "./file-paths.ts";
import { allContainers, placedContainers } from "./visit-containers.ts";

export const podSeccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
export const containerSeccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";
export const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];
const localhostPrefix = "localhost/";
const longestAppArmorProfile = 4095;

export function checkSeccompProfile(profile: corev1.SeccompProfile | undefined, fldPath: ValidationPath): void {
  if (profile === undefined) return;
  const typePath = fldPath.at("type");
  if (isAbsent(profile.type)) typePath.required("type is required when seccompProfile is set");
  else if (!profileTypes.includes(profile.type)) {
    typePath.notSupported(profile.type, profileTypes);
  }
  const { localhostProfile } = profile;
  const localhostPath = fldPath.at("localhostProfile");
  if (profile.type !== "Localhost") {
    if (localhostProfile === undefined) return;
    const why = "can only be set when seccomp type is Localhost";
    localhostPath.invalid(internalForm(profile, "SeccompProfile"), why);
  } else if (localhostProfile === undefined) {
    localhostPath.required("must be set when seccomp type is Localhost");
  } else {
    checkDescendingPath(localhostProfile, localhostPath);
  }
}

export function checkAppArmorProfile(profile: corev1.AppArmorProfile | undefined, fldPath: ValidationPath): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  const localhostPath = fldPath.at("localhostProfile");
  if (isAbsent(type)) {
    fldPath.at("type").required("type is required when appArmorProfile is set");
  } else if (!profileTypes.includes(type)) {
    fldPath.at("type").notSupported(type, profileTypes);
  } else if (type === "Localhost") {
    checkLocalhostProfile(localhostProfile, localhostPath);
  } else if (localhostProfile !== undefined) {
    const why = "can only be set when AppArmor type is Localhost";
    localhostPath.invalid(localhostProfile, why);
  }
}

function checkLocalhostProfile(profile: string | undefined, fldPath: ValidationPath): void {
  if (profile === undefined || profile === "") {
    fldPath.required("must be set when AppArmor type is Localhost");
    return;
  }
  if (profile.trim() !== profile) fldPath.invalid(profile, "must not be padded with whitespace");
  if (Buffer.byteLength(profile) > longestAppArmorProfile) fldPath.tooLong(longestAppArmorProfile);
}

export function checkProfileAnnotations(annotations: LabelMap, fldPath: ValidationPath, spec: corev1.PodSpec): void {
  for (const [name, profile] of Object.entries(annotations)) {
    if (name === podSeccompAnnotation || name.startsWith(containerSeccompPrefix)) {
      checkSeccompText(profile, fldPath.at(name));
    }
  }
  const containers = new Set(allContainers(spec).map((container) => container.name));
  for (const [name, profile] of Object.entries(annotations)) {
    if (!name.startsWith(appArmorPrefix)) continue;
    const container = name.slice(appArmorPrefix.length);
    if (!containers.has(container)) {
      fldPath.item(name).invalid(container, "container not found");
    }
    const isKnown = ["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith(localhostPrefix);
    if (!isKnown) {
      const why = `invalid AppArmor profile name: ${quote(profile)}`;
      fldPath.item(name).invalid(profile, why);
    }
  }
}

function checkSeccompText(profile: string, fldPath: ValidationPath): void {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith(localhostPrefix)) {
    checkDescendingPath(profile.slice(localhostPrefix.length), fldPath);
  } else {
    fldPath.invalid(profile, "must be a valid seccomp profile");
  }
}

/** Where annotation and field both say something, they say the same. */
export function checkProfilesAgree(annotations: LabelMap, fldPath: ValidationPath, spec: corev1.PodSpec): void {
  const podSeccomp = spec.securityContext?.seccompProfile;
  const podPath = fldPath.at("securityContext", "seccompProfile");
  checkAgree(annotations[podSeccompAnnotation], podPath, podSeccomp, "seccomp");
  const placed = placedContainers(spec, fldPath);
  for (const { container, fldPath: containerPath } of placed) {
    const profile = container.securityContext?.seccompProfile;
    const profilePath = containerPath.at("securityContext", "seccompProfile");
    checkAgree(annotations[containerSeccompPrefix + container.name], profilePath, profile, "seccomp");
  }
  if (spec.os?.name === "windows") return;
  for (const { container, fldPath: containerPath } of placed) {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const profilePath = containerPath.at("securityContext", "appArmorProfile");
    checkAgree(annotations[appArmorPrefix + container.name], profilePath, profile, "apparmor");
  }
}

interface Profile {
  readonly type: string;
  readonly localhostProfile?: string;
}

function checkAgree(
  annotation: string | undefined,
  fldPath: ValidationPath,
  profile: Profile | undefined,
  what: "seccomp" | "apparmor",
): void {
  if (annotation === undefined || profile === undefined) return;
  if (!isOfType(annotation, profile.type, what)) {
    fldPath.at("type").forbidden(`${what} type in annotation and field must match`);
  } else if (profile.type === "Localhost" && annotation !== `${localhostPrefix}${profile.localhostProfile}`) {
    const why = `${what} profile in annotation and field must match`;
    fldPath.at("localhostProfile").forbidden(why);
  }
}

function isOfType(annotation: string, type: string, what: "seccomp" | "apparmor"): boolean {
  if (type === "Unconfined") return annotation === "unconfined";
  if (type === "Localhost") return annotation.startsWith(localhostPrefix);
  if (type !== "RuntimeDefault") return true;
  return annotation === "runtime/default" || (what === "seccomp" && annotation === "docker/default");
}

/** The field an AppArmor annotation stands for. */
export function appArmorFieldOf(annotation: string): corev1.AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const localhostProfile = annotation.slice(localhostPrefix.length);
  const isLocal = annotation.startsWith(localhostPrefix) && localhostProfile !== "";
  return isLocal ? { type: "Localhost", localhostProfile } : undefined;
}
