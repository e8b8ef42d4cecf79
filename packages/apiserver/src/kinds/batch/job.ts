// Jobs: pods that end. Each finds its own by its uid; most of it is fixed when it is made; deleted, it leaves its pods behind unless
// told otherwise.
import { type batchv1, fieldPath, formatLabelSelector, validateDns1123Label } from "@kubeloop/core/api";
import { jobs } from "@kubeloop/core/resources";
import { checkLabelsMatch, parsedSelector } from "../apps/workload-template.ts";
import type { KindRules } from "../kind-rules.ts";
import { templateOptions } from "../pod-spec/check-template.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import type { PodSpecOptions } from "../pod-spec/options.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { nameWarnings, podNamesText } from "../pod-spec/warnings.ts";
import { checkLabelSelector, hasInvalidLabelValue } from "../shared/labels.ts";
import { printAge, printShortDuration } from "../shared/print-age.ts";
import { isSame } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { msOfTime } from "../shared/zero-time.ts";
import { setJobDefaults } from "./job-defaults.ts";
import { checkGeneratedSelector, generateSelector, hasPrefixedLabels } from "./job-selector.ts";
import { checkJobSpec } from "./job-spec.ts";
import { checkJobStatus } from "./job-status.ts";
import { checkChangedJob } from "./job-update.ts";
import { jobSpecWarnings } from "./job-warnings.ts";

type Job = batchv1.Job;

const hasChanged = (object: Job, old: Job) => !isSame(object.spec, old.spec, "io.k8s.api.batch.v1.JobSpec");

const orphanWarning =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

export const jobRules: KindRules<Job> = {
  resource: jobs,
  metadataOnUpdate: ["whole", "changes"],
  defaults(job) {
    const labels = job.spec.template.metadata?.labels;
    // The very map of the template: labels that preparation adds to the one are the other's too.
    if (labels !== undefined && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = labels;
    setJobDefaults(job.spec);
  },
  prepareCreate(job) {
    generateSelector(job);
    const labels = job.spec.template.metadata?.labels;
    if (labels !== undefined && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = labels;
    if (job.metadata.labels !== undefined) job.metadata.labels = { ...job.metadata.labels };
    dropDisabledFields(job.spec.template.spec);
  },
  prepareUpdate: ({ spec }, old) => dropDisabledFields(spec.template.spec, old.spec.template.spec),
  validate: (job) =>
    collectFaults("spec", (fldPath) => checkJob(job, fldPath, { ...templateOptions(), needsPrefixedLabels: true })),
  validateUpdate: (job, old) =>
    collectFaults("spec", (fldPath) => {
      const options = templateOptions(old.spec.template);
      const allowsInvalidSelectorValues =
        options.allowsInvalidSelectorValues || hasInvalidLabelValue(old.spec.selector);
      const jobOptions = { ...options, allowsInvalidSelectorValues, needsPrefixedLabels: hasPrefixedLabels(old) };
      checkJob(job, fldPath, jobOptions);
      // Said a second time, as upstream does: it looks at the spec of a changed Job twice.
      if (fldPath.faultCount > 0) checkWholeSpec(job.spec, fldPath, jobOptions);
      checkChangedJob(job, fldPath, old);
    }),
  warnings(job, old) {
    const ofName = old === undefined ? nameWarnings(job.metadata.name, podNamesText) : [];
    if (old !== undefined && !hasChanged(job, old)) return ofName;
    return [...ofName, ...jobSpecWarnings(job.spec, fieldPath("spec"))];
  },
  generation: hasChanged,
  deletion: {
    propagation: "Orphan",
    silenceWarning: orphanWarning,
  },
  selectableFields: {
    names: ["status.successful"],
    valuesOf: ({ status }) => ({ "status.successful": String(status?.succeeded ?? 0) }),
    unknownText: (name) => `field label "${name}" not supported for Job`,
  },
  printRow: (job, { nowMs }) => [
    job.metadata.name,
    printState(job),
    printCompletions(job),
    printDuration(job, nowMs),
    printAge(job.metadata.creationTimestamp, nowMs),
    ...printContainers(job.spec.template.spec),
    formatLabelSelector(job.spec.selector),
  ],
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        draft.spec = old.spec as typeof draft.spec;
      },
      validateUpdate: (job, old) => collectFaults("status", (fldPath) => checkJobStatus(job, fldPath, old)),
    },
  },
};

interface JobOptions extends PodSpecOptions {
  readonly needsPrefixedLabels: boolean;
}

function checkJob(job: Job, fldPath: ValidationPath, options: JobOptions): void {
  checkGeneratedSelector(job, fldPath, options);
  checkWholeSpec(job.spec, fldPath, options);
  checkLastHostname(job, fldPath.beside("metadata").at("name"));
}

function checkWholeSpec(spec: batchv1.JobSpec, fldPath: ValidationPath, options: PodSpecOptions): void {
  checkJobSpec(spec, fldPath, options);
  const { selector } = spec;
  if (selector === undefined || selector === null) fldPath.at("selector").required();
  const { allowsInvalidSelectorValues: allowsInvalidValues } = options;
  checkLabelSelector(selector, fldPath.at("selector"), { allowsInvalidValues });
  const parsed = parsedSelector(selector);
  if (parsed !== undefined) checkLabelsMatch(parsed, fldPath.at("template"), spec.template);
}

/** Pods of an indexed Job are named after it and their index. */
function checkLastHostname({ spec, metadata }: Job, fldPath: ValidationPath): void {
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== "Indexed" || completions <= 0) return;
  const hostname = `${metadata.name}-${completions - 1}`;
  if (validateDns1123Label(hostname).length === 0) return;
  fldPath.invalid(metadata.name, `will not able to create pod with invalid DNS label: ${hostname}`);
}

const stateConditions = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];

function printState({ metadata, status }: Job): string {
  const holds = (type: string) => status?.conditions?.find((each) => each.type === type)?.status === "True";
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return stateConditions.find(holds) ?? "Running";
}

function printCompletions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function printDuration({ status }: Job, nowMs: number): string {
  if (status?.startTime === undefined) return "";
  const endMs = status.completionTime === undefined ? nowMs : msOfTime(status.completionTime);
  return printShortDuration(endMs - msOfTime(status.startTime));
}
