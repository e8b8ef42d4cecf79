// What the workloads of this group have in common: a selector that matches its template, and pods that are always restarted.
import {
  type corev1,
  fromLabelSelector,
  matchesSelector,
  type metav1,
  printSelector,
  type Selector,
  SelectorError,
} from "@kubeloop/core/api";
import { checkTemplate } from "../pod-spec/check-template.ts";
import type { PodSpecOptions } from "../pod-spec/options.ts";
import { checkLabelSelector, isEmptySelector } from "../shared/labels.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type MaybeSelector = metav1.LabelSelector | null | undefined;

/** One that must be there and select something. */
export function checkRequiredSelector(selector: MaybeSelector, fldPath: ValidationPath, kind: string): void {
  if (selector === undefined || selector === null) {
    fldPath.required();
    return;
  }
  checkLabelSelector(selector, fldPath);
  if (isEmptySelector(selector)) fldPath.invalid(selector, `empty selector is invalid for ${kind}`);
}

/** Undefined for one that cannot be understood. An absent one selects nothing. */
export function parsedSelector(selector: MaybeSelector): Selector | undefined {
  try {
    return fromLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

export function checkLabelsMatch(selector: Selector, fldPath: ValidationPath, template: corev1.PodTemplateSpec): void {
  const labels = template.metadata?.labels;
  if (matchesSelector(selector, labels ?? {})) return;
  fldPath.at("metadata", "labels").invalid(labels ?? null, "`selector` does not match template `labels`");
}

export function checkAlwaysRestarted({ spec }: corev1.PodTemplateSpec, fldPath: ValidationPath, kind: string): void {
  const { restartPolicy, activeDeadlineSeconds } = spec;
  if (restartPolicy !== "Always") fldPath.at("spec", "restartPolicy").notSupported(restartPolicy ?? "", ["Always"]);
  if (activeDeadlineSeconds !== undefined) {
    fldPath.at("spec", "activeDeadlineSeconds").forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

interface Selecting {
  readonly selector?: MaybeSelector;
  readonly template?: corev1.PodTemplateSpec;
}

/** Of ReplicaSets, and of Deployments, which make them. */
export function checkReplicaSetTemplate(spec: Selecting, fldPath: ValidationPath, options: PodSpecOptions): void {
  checkRequiredSelector(spec.selector, fldPath.at("selector"), "deployment");
  const selector = parsedSelector(spec.selector);
  if (selector === undefined) {
    fldPath.at("selector").invalid(spec.selector, "invalid label selector");
    return;
  }
  const { template = { spec: { containers: [] } } } = spec;
  const templatePath = fldPath.at("template");
  if (selector.selects === "nothing" || selector.requirements.length > 0) {
    checkLabelsMatch(selector, templatePath, template);
  }
  checkTemplate(template, templatePath, options);
  checkAlwaysRestarted(template, templatePath, "ReplicaSet");
}

/** As `/scale` shows it. */
export function scaleSelector(selector: MaybeSelector): string {
  return printSelector(parsedSelector(selector) ?? fromLabelSelector(undefined));
}
