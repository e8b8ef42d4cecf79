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
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkLabelSelector, isEmptySelector } from "../shared/labels.ts";

type MaybeSelector = metav1.LabelSelector | null | undefined;

/** One that must be there and select something. */
export function checkRequiredSelector(selector: MaybeSelector, place: FaultPlace, kind: string): void {
  if (selector === undefined || selector === null) {
    place.required();
    return;
  }
  checkLabelSelector(selector, place);
  if (isEmptySelector(selector)) place.invalid(selector, `empty selector is invalid for ${kind}`);
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

export function checkLabelsMatch(selector: Selector, place: FaultPlace, template: corev1.PodTemplateSpec): void {
  const labels = template.metadata?.labels;
  if (matchesSelector(selector, labels ?? {})) return;
  place.at("metadata", "labels").invalid(labels ?? null, "`selector` does not match template `labels`");
}

export function checkAlwaysRestarted({ spec }: corev1.PodTemplateSpec, place: FaultPlace, kind: string): void {
  const { restartPolicy, activeDeadlineSeconds } = spec;
  if (restartPolicy !== "Always") place.at("spec", "restartPolicy").notSupported(restartPolicy ?? "", ["Always"]);
  if (activeDeadlineSeconds !== undefined) {
    place.at("spec", "activeDeadlineSeconds").forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

interface Selecting {
  readonly selector?: MaybeSelector;
  readonly template?: corev1.PodTemplateSpec;
}

/** Of ReplicaSets, and of Deployments, which make them. */
export function checkReplicaSetTemplate(spec: Selecting, place: FaultPlace, options: PodSpecOptions): void {
  checkRequiredSelector(spec.selector, place.at("selector"), "deployment");
  const selector = parsedSelector(spec.selector);
  if (selector === undefined) {
    place.at("selector").invalid(spec.selector, "invalid label selector");
    return;
  }
  const { template = { spec: { containers: [] } } } = spec;
  const templatePlace = place.at("template");
  if (selector.selects === "nothing" || selector.requirements.length > 0) {
    checkLabelsMatch(selector, templatePlace, template);
  }
  checkTemplate(template, templatePlace, options);
  checkAlwaysRestarted(template, templatePlace, "ReplicaSet");
}

/** As `/scale` shows it. */
export function scaleSelector(selector: MaybeSelector): string {
  return printSelector(parsedSelector(selector) ?? fromLabelSelector(undefined));
}
