// CronJobs: a Job each time a schedule comes round.
import { type batchv1, fieldPath, formatLabelSelector } from "@kubeloop/core/api";
import { cronJobs } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { templateOptions } from "../pod-spec/check-template.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { nameWarnings, podNamesText } from "../pod-spec/warnings.ts";
import { checkChoice, checkNonNegative, isAbsent } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";
import { isSame } from "../shared/same.ts";
import { keepAllButStatus } from "../shared/status-metadata.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { scheduleFault } from "./cron-schedule.ts";
import { setJobTemplateDefaults } from "./job-defaults.ts";
import { checkJobSpec } from "./job-spec.ts";
import { jobSpecWarnings } from "./job-warnings.ts";
import { isTimeZone } from "./time-zone.ts";

type CronJob = batchv1.CronJob;
type CronJobSpec = batchv1.CronJobSpec;

/** Its Jobs are named after it, with the time at the end. */
const longestName = 52;

const hasChanged = (object: CronJob, old: CronJob) => !isSame(object.spec, old.spec, "io.k8s.api.batch.v1.CronJobSpec");

export const cronJobRules: KindRules<CronJob> = {
  resource: cronJobs,
  subresources: { status: { metadataOnUpdate: [], prepareUpdate: keepAllButStatus } },
  defaults({ spec }) {
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    setJobTemplateDefaults(spec.jobTemplate.spec);
  },
  prepareCreate: ({ spec }) => dropDisabledFields(spec.jobTemplate.spec.template.spec),
  prepareUpdate: ({ spec }, old) =>
    dropDisabledFields(spec.jobTemplate.spec.template.spec, old.spec.jobTemplate.spec.template.spec),
  validate: ({ metadata, spec }) =>
    collectFaults("spec", (fldPath) => {
      checkSpec(spec, fldPath);
      if (Buffer.byteLength(metadata.name ?? "") <= longestName) return;
      fldPath.beside("metadata").at("name").invalid(metadata.name, `must be no more than ${longestName} characters`);
    }),
  validateUpdate: ({ spec }, old) => collectFaults("spec", (fldPath) => checkSpec(spec, fldPath, old.spec)),
  warnings(object, old) {
    const ofName = old === undefined ? nameWarnings(object.metadata.name, podNamesText) : [];
    const isNews = old === undefined || hasChanged(object, old);
    const { jobTemplate, schedule } = object.spec;
    const ofSpec = isNews ? jobSpecWarnings(jobTemplate.spec, fieldPath("spec", "jobTemplate", "spec")) : [];
    return [...ofName, ...ofSpec, ...(old !== undefined && schedule.includes("TZ") ? [zoneWarning] : [])];
  },
  generation: hasChanged,
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    spec.schedule,
    spec.timeZone ?? "<none>",
    spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
    (status?.active ?? []).length,
    status?.lastScheduleTime === undefined ? "<none>" : printAge(status.lastScheduleTime, nowMs),
    printAge(metadata.creationTimestamp, nowMs),
    ...printContainers(spec.jobTemplate.spec.template.spec),
    formatLabelSelector(spec.jobTemplate.spec.selector),
  ],
};

const zoneWarning =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

function checkSpec(spec: CronJobSpec, fldPath: ValidationPath, old?: CronJobSpec): void {
  checkSchedule(spec, fldPath.at("schedule"), old);
  checkNonNegative(spec.startingDeadlineSeconds, fldPath.at("startingDeadlineSeconds"));
  if (old === undefined || old.timeZone !== spec.timeZone) checkTimeZone(spec.timeZone, fldPath.at("timeZone"));
  checkChoice(spec.concurrencyPolicy, fldPath.at("concurrencyPolicy"), ["Allow", "Forbid", "Replace"]);
  checkJobTemplate(spec.jobTemplate, fldPath.at("jobTemplate", "spec"), old?.jobTemplate);
  checkNonNegative(spec.successfulJobsHistoryLimit, fldPath.at("successfulJobsHistoryLimit"));
  checkNonNegative(spec.failedJobsHistoryLimit, fldPath.at("failedJobsHistoryLimit"));
}

function checkSchedule(
  { schedule, timeZone }: CronJobSpec,
  fldPath: ValidationPath,
  old: CronJobSpec | undefined,
): void {
  if (isAbsent(schedule)) {
    fldPath.required();
    return;
  }
  const fault = scheduleFault(schedule);
  if (fault !== undefined) fldPath.invalid(schedule, fault);
  if (!schedule.includes("TZ")) return;
  // A zone in the schedule was never meant to work; where it is stored, it may stay.
  const mayStay = old?.schedule.includes("TZ") === true;
  if (!mayStay) fldPath.invalid(schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  else if (timeZone !== undefined) {
    fldPath.invalid(schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

function checkTimeZone(zone: string | undefined, fldPath: ValidationPath): void {
  if (zone === undefined) return;
  if (zone === "") {
    fldPath.invalid(zone, "timeZone must be nil or non-empty string");
    return;
  }
  const isName = (part: string) =>
    part !== "." && part !== ".." && !part.startsWith("-") && /^[A-Za-z.\-_0-9+]{1,14}$/.test(part);
  if (!zone.split("/").every(isName)) {
    fldPath.invalid(zone, `unknown time zone ${zone}`);
    return;
  }
  if (zone.toLowerCase() === "local") {
    fldPath.invalid(zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  if (!isTimeZone(zone)) fldPath.invalid(zone, `unknown time zone ${zone}`);
}

function checkJobTemplate(
  { spec }: batchv1.JobTemplateSpec,
  fldPath: ValidationPath,
  old: batchv1.JobTemplateSpec | undefined,
): void {
  checkJobSpec(spec, fldPath, templateOptions(old?.spec.template));
  if (spec.selector !== undefined) fldPath.at("selector").invalid(spec.selector, "`selector` will be auto-generated");
  if (spec.manualSelector === true) fldPath.at("manualSelector").notSupported(true, ["nil", "false"]);
}
