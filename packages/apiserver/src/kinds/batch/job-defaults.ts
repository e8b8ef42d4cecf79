// What a Job's spec gets where nothing is said: in Jobs everything, in a CronJob's template only what templates get.
import type { batchv1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { setTemplateDefaults } from "../pod-spec/defaults.ts";

type JobSpec = Draft<batchv1.JobSpec>;

const maxInt32 = 2 ** 31 - 1;

export function setJobTemplateDefaults(spec: JobSpec): void {
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
  setTemplateDefaults(spec.template);
}

export function setJobDefaults(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
  setJobTemplateDefaults(spec);
}
