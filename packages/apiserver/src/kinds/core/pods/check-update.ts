// What of a pod may change: images, a shorter deadline, more tolerations, fewer gates; while it is gated also where it may go.
import type { corev1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { checkTolerations } from "../../pod-spec/check-affinity.ts";
import { checkImageSpelling } from "../../pod-spec/check-containers.ts";
import { appArmorPrefix } from "../../pod-spec/check-profiles.ts";
import { checkPodAnnotations, mirrorAnnotation } from "../../pod-spec/check-template.ts";
import type { PodSpecOptions } from "../../pod-spec/options.ts";
import { checkPresent } from "../../shared/checks.ts";
import { internalForm } from "../../shared/internal-form.ts";
import { own } from "../../shared/own.ts";
import { isSame } from "../../shared/same.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";
import { checkPod, type PodPaths, podOptions } from "./check-pod.ts";
import { internalDiff } from "./internal-diff.ts";

type Pod = corev1.Pod;
type PodSpec = corev1.PodSpec;

export const podSpecSchema = "io.k8s.api.core.v1.PodSpec";
const maxInt32 = 2 ** 31 - 1;
const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

export function checkChangedPod(pod: Pod, old: Pod, fldPaths: PodPaths): void {
  const options = podOptions(old);
  const { spec: fldPath } = fldPaths;
  checkPod(pod, fldPaths, options);
  checkChangedAnnotations(pod, old, fldPaths.annotations, options);
  if (!checkImages(pod.spec.containers, old.spec.containers, fldPath.at("containers"))) return;
  if (!checkImages(pod.spec.initContainers, old.spec.initContainers, fldPath.at("initContainers"))) return;
  if (!checkDeadline(pod.spec, old.spec, fldPath.at("activeDeadlineSeconds"))) return;
  checkMoreTolerations(pod.spec, old.spec, fldPath.at("tolerations"), options);
  checkFewerGates(pod.spec, old.spec, fldPath.at("schedulingGates"));
  if (isSame(pod.spec, old.spec, podSpecSchema)) return;
  const masked = maskChangeable(pod.spec, old.spec, fldPath);
  if (isSame(masked, old.spec, podSpecSchema)) return;
  const diff = internalDiff(old.spec, masked, "PodSpec");
  fldPath.forbidden(`pod updates may not change fields other than ${changeable}\n${diff}`);
}

/** Of any update, through whichever subresource. */
export function checkChangedAnnotations(pod: Pod, old: Pod, fldPath: ValidationPath, options: PodSpecOptions): void {
  const annotations = pod.metadata.annotations ?? {};
  const before = old.metadata.annotations ?? {};
  const guarded = (name: string) => name.startsWith(appArmorPrefix) || name === mirrorAnnotation;
  const what = (name: string) => (name === mirrorAnnotation ? "mirror pod annotation" : "AppArmor annotations");
  for (const [name, value] of Object.entries(before)) {
    if (own(annotations, name) === value || !guarded(name)) continue;
    fldPath.item(name).forbidden(`may not remove or update ${what(name)}`);
  }
  for (const name of Object.keys(annotations)) {
    if (Object.hasOwn(before, name) || !guarded(name)) continue;
    fldPath.item(name).forbidden(`may not add ${what(name)}`);
  }
  checkPodAnnotations(annotations, fldPath, pod.spec, options);
}

type Containers = readonly corev1.Container[] | undefined;

/** False if there is no use in looking further. */
function checkImages(containers: Containers, old: Containers, fldPath: ValidationPath): boolean {
  if ((containers ?? []).length !== (old ?? []).length) {
    fldPath.forbidden("pod updates may not add or remove containers");
    return false;
  }
  for (const [i, container] of (containers ?? []).entries()) {
    checkPresent(container.image, fldPath.item(i).at("image"));
    checkImageSpelling(container, fldPath.item(i));
  }
  return true;
}

/** It may come, or become shorter. False if there is no use in looking further. */
function checkDeadline(spec: PodSpec, old: PodSpec, fldPath: ValidationPath): boolean {
  const { activeDeadlineSeconds: seconds } = spec;
  const { activeDeadlineSeconds: oldSeconds } = old;
  if (seconds === undefined) {
    if (oldSeconds !== undefined) fldPath.invalid(null, "must not update from a positive integer to nil value");
    return true;
  }
  if (seconds < 0 || seconds > maxInt32) {
    fldPath.invalid(seconds, `must be between 0 and ${maxInt32}, inclusive`);
    return false;
  }
  if (oldSeconds !== undefined && oldSeconds < seconds) {
    fldPath.invalid(seconds, "must be less than or equal to previous value");
    return false;
  }
  return true;
}

function checkMoreTolerations(spec: PodSpec, old: PodSpec, fldPath: ValidationPath, options: PodSpecOptions): void {
  const tolerations = spec.tolerations ?? [];
  const kept = new Set(tolerations.map(keyWithoutSeconds));
  if (!(old.tolerations ?? []).every((toleration) => kept.has(keyWithoutSeconds(toleration)))) {
    fldPath.forbidden("existing toleration can not be modified except its tolerationSeconds");
    return;
  }
  checkTolerations(tolerations, fldPath, options);
}

function keyWithoutSeconds({ key = "", operator = "", value = "", effect = "" }: corev1.Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}

function checkFewerGates(spec: PodSpec, old: PodSpec, fldPath: ValidationPath): void {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  for (const [i, { name }] of (spec.schedulingGates ?? []).entries()) {
    if (before.has(name)) continue;
    fldPath.item(i).at("name").forbidden(`only deletion is allowed, but found new scheduling gate '${name}'`);
  }
}

/** The new spec with everything that may change as it was; what else differs is refused. */
function maskChangeable(spec: PodSpec, old: PodSpec, fldPath: ValidationPath): PodSpec {
  const withOldImages = (containers: Containers, before: Containers) =>
    (containers ?? []).map((container, i) => withField(container, "image", before?.[i]?.image));
  let masked: PodSpec = {
    ...spec,
    containers: withOldImages(spec.containers, old.containers),
    ...(spec.initContainers === undefined
      ? {}
      : { initContainers: withOldImages(spec.initContainers, old.initContainers) }),
  };
  masked = withField(masked, "activeDeadlineSeconds", old.activeDeadlineSeconds);
  masked = withField(masked, "schedulingGates", old.schedulingGates);
  masked = withField(masked, "tolerations", old.tolerations);
  const { terminationGracePeriodSeconds: oldGrace = 0 } = old;
  if (oldGrace < 0 && masked.terminationGracePeriodSeconds === 1) {
    masked = withField(masked, "terminationGracePeriodSeconds", oldGrace);
  }
  return (old.schedulingGates ?? []).length > 0 ? maskWhileGated(masked, old, fldPath) : masked;
}

/** While a pod waits at a gate, the nodes it may go to can be narrowed down. */
function maskWhileGated(spec: PodSpec, old: PodSpec, fldPath: ValidationPath): PodSpec {
  const selector = spec.nodeSelector ?? {};
  const isNarrower = Object.entries(old.nodeSelector ?? {}).every(([name, value]) => own(selector, name) === value);
  if (!isNarrower) {
    const why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    fldPath.at("nodeSelector").invalid(spec.nodeSelector ?? null, why);
  }
  const masked = withField(spec, "nodeSelector", old.nodeSelector);
  const nodeAffinity = spec.affinity?.nodeAffinity;
  const oldNodeAffinity = old.affinity?.nodeAffinity;
  if (deepEqual(nodeAffinity, oldNodeAffinity)) return masked;
  checkNarrowerAffinity(nodeAffinity, oldNodeAffinity, fldPath.at("affinity", "nodeAffinity"));
  const affinity = withField(spec.affinity ?? {}, "nodeAffinity", oldNodeAffinity);
  const isGone = old.affinity === undefined && Object.keys(affinity).length === 0;
  return withField(masked, "affinity", isGone ? undefined : affinity);
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

function checkNarrowerAffinity(
  affinity: corev1.NodeAffinity | undefined,
  old: corev1.NodeAffinity | undefined,
  fldPath: ValidationPath,
): void {
  const before = old?.[required]?.nodeSelectorTerms ?? [];
  const terms = affinity?.[required]?.nodeSelectorTerms ?? [];
  const termsPath = fldPath.at(required, "nodeSelectorTerms");
  if (before.length === 0) return;
  if (terms.length !== before.length) {
    const shown = terms.length === 0 ? null : terms.map((term) => internalForm(term, "NodeSelectorTerm"));
    termsPath.invalid(shown, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  for (const [i, term] of terms.entries()) {
    if (addsOnly(term, before[i])) continue;
    const why = "only additions are allowed (no mutations or deletions)";
    termsPath.item(i).invalid(internalForm(term, "NodeSelectorTerm"), why);
  }
}

/** An empty term matches nothing, so that anything added would widen it. */
function addsOnly(term: corev1.NodeSelectorTerm, old: corev1.NodeSelectorTerm | undefined): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  if (lists.every((list) => (old?.[list] ?? []).length === 0)) {
    return lists.every((list) => (term[list] ?? []).length === 0);
  }
  return lists.every((list) => {
    const before = old?.[list] ?? [];
    return deepEqual((term[list] ?? []).slice(0, before.length), before);
  });
}

/** The same with this field so; undefined takes it away. */
function withField<T extends object, K extends keyof T>(holder: T, field: K, value: T[K] | undefined): T {
  const { [field]: _, ...others } = holder;
  return (value === undefined ? others : { ...others, [field]: value }) as T;
}
