// What of a Job may change: how many pods run at a time, its limits; while it waits, also where its pods go and what they get.
import type { batchv1, corev1 } from "@kubeloop/core/api";
import { internalForm } from "../shared/internal-form.ts";
import { checkImmutable, isSame } from "../shared/same.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type Job = batchv1.Job;
type JobSpec = batchv1.JobSpec;
type Template = corev1.PodTemplateSpec;

const templateSchema = "io.k8s.api.core.v1.PodTemplateSpec";
const podSpecSchema = "io.k8s.api.core.v1.PodSpec";

export function checkChangedJob(job: Job, fldPath: ValidationPath, old: Job): void {
  const { spec } = job;
  checkCompletions(spec, fldPath.at("completions"), old.spec);
  checkImmutable(spec.selector, old.spec.selector, fldPath.at("selector"));
  checkChangedTemplate(spec.template, fldPath, old);
  checkImmutable(spec.completionMode, old.spec.completionMode, fldPath.at("completionMode"));
  const { podFailurePolicy: failure, successPolicy: success } = spec;
  if (!isSame(failure, old.spec.podFailurePolicy)) {
    fldPath.at("podFailurePolicy").invalid(internalForm(failure, "PodFailurePolicy"), "field is immutable");
  }
  checkImmutable(spec.backoffLimitPerIndex, old.spec.backoffLimitPerIndex, fldPath.at("backoffLimitPerIndex"));
  checkImmutable(spec.managedBy, old.spec.managedBy, fldPath.at("managedBy"));
  if (!isSame(success, old.spec.successPolicy)) {
    fldPath.at("successPolicy").invalid(internalForm(success, "SuccessPolicy"), "field is immutable");
  }
}

/** Indexed Jobs may grow and shrink, as long as all indexes run at once. */
function checkCompletions(spec: JobSpec, fldPath: ValidationPath, old: JobSpec): void {
  if (spec.completionMode !== "Indexed") {
    checkImmutable(spec.completions, old.completions, fldPath);
  } else if (spec.completions !== undefined && spec.completions !== old.completions) {
    if (spec.completions === spec.parallelism) return;
    fldPath.invalid(spec.completions, "can only be modified in tandem with spec.parallelism");
  }
}

/** Suspended, with no pod of its own left: whoever schedules it may still say where and with what. */
function isWaiting({ spec, status }: Job): boolean {
  const isSuspended = (status?.conditions ?? []).some((each) => each.type === "Suspended" && each.status === "True");
  const isIdle = status?.startTime === undefined || isSuspended;
  return spec.suspend === true && isIdle && (status?.active ?? 0) === 0;
}

function checkChangedTemplate(template: Template, fldPath: ValidationPath, old: Job): void {
  if (!isWaiting(old)) {
    if (isSame(template, old.spec.template, templateSchema)) return;
    fldPath.at("template").invalid(internalForm(template, "PodTemplateSpec"), "field is immutable");
    return;
  }
  const before = withResourcesOf(withSchedulingOf(old.spec.template.spec, template.spec), template.spec);
  if (isSame(template.spec, before, podSpecSchema)) return;
  fldPath.at("template.spec").invalid(internalForm(template.spec, "PodSpec"), "field is immutable");
}

const schedulingFields = ["nodeSelector", "tolerations", "schedulingGates"] as const;

function withSchedulingOf(old: corev1.PodSpec, spec: corev1.PodSpec): corev1.PodSpec {
  const { nodeSelector: _, tolerations: __, schedulingGates: ___, affinity, ...rest } = old;
  const taken = Object.fromEntries(
    schedulingFields.filter((field) => spec[field] !== undefined).map((field) => [field, spec[field]]),
  );
  const { nodeAffinity: ____, ...others } = affinity ?? {};
  const nodeAffinity = spec.affinity?.nodeAffinity;
  const merged = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  const isGone = Object.keys(merged).length === 0 && spec.affinity === undefined;
  return { ...rest, ...taken, ...(isGone ? {} : { affinity: merged }) };
}

function withResourcesOf(old: corev1.PodSpec, spec: corev1.PodSpec): corev1.PodSpec {
  const taken = (before: readonly corev1.Container[] | undefined, now: readonly corev1.Container[] | undefined) =>
    (before ?? []).map((container, i) => {
      const other = now?.[i];
      if (before?.length !== now?.length || other?.name !== container.name) return container;
      const { resources: _, ...rest } = container;
      return other.resources === undefined ? rest : { ...rest, resources: other.resources };
    });
  return {
    ...old,
    containers: taken(old.containers, spec.containers),
    ...(old.initContainers === undefined ? {} : { initContainers: taken(old.initContainers, spec.initContainers) }),
  };
}
