// CronJobs: a Job each time a schedule comes round.
import { type batchv1, fieldPath, formatLabelSelector } from "@kubeloop/core/api";
import { cronJobs } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { templateOptions } from "../pod-spec/check-template.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { nameWarnings, podNamesText } from "../pod-spec/warnings.ts";
import { checkChoice, checkNonNegative, isAbsent } from "../shared/checks.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { printAge } from "../shared/print-age.ts";
import { isSame } from "../shared/same.ts";
import { keepAllButStatus } from "../shared/status-metadata.ts";
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
    collectFaults("spec", (place) => {
      checkSpec(spec, place);
      if (Buffer.byteLength(metadata.name ?? "") <= longestName) return;
      place.beside("metadata").at("name").invalid(metadata.name, `must be no more than ${longestName} characters`);
    }),
  validateUpdate: ({ spec }, old) => collectFaults("spec", (place) => checkSpec(spec, place, old.spec)),
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

function checkSpec(spec: CronJobSpec, place: FaultPlace, old?: CronJobSpec): void {
  checkSchedule(spec, place.at("schedule"), old);
  checkNonNegative(spec.startingDeadlineSeconds, place.at("startingDeadlineSeconds"));
  if (old === undefined || old.timeZone !== spec.timeZone) checkTimeZone(spec.timeZone, place.at("timeZone"));
  checkChoice(spec.concurrencyPolicy, place.at("concurrencyPolicy"), ["Allow", "Forbid", "Replace"]);
  checkJobTemplate(spec.jobTemplate, place.at("jobTemplate", "spec"), old?.jobTemplate);
  checkNonNegative(spec.successfulJobsHistoryLimit, place.at("successfulJobsHistoryLimit"));
  checkNonNegative(spec.failedJobsHistoryLimit, place.at("failedJobsHistoryLimit"));
}

function checkSchedule({ schedule, timeZone }: CronJobSpec, place: FaultPlace, old: CronJobSpec | undefined): void {
  if (isAbsent(schedule)) {
    place.required();
    return;
  }
  const fault = scheduleFault(schedule);
  if (fault !== undefined) place.invalid(schedule, fault);
  if (!schedule.includes("TZ")) return;
  // A zone in the schedule was never meant to work; where it is stored, it may stay.
  const mayStay = old?.schedule.includes("TZ") === true;
  if (!mayStay) place.invalid(schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  else if (timeZone !== undefined) {
    place.invalid(schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

function checkTimeZone(zone: string | undefined, place: FaultPlace): void {
  if (zone === undefined) return;
  if (zone === "") {
    place.invalid(zone, "timeZone must be nil or non-empty string");
    return;
  }
  const isName = (part: string) =>
    part !== "." && part !== ".." && !part.startsWith("-") && /^[A-Za-z.\-_0-9+]{1,14}$/.test(part);
  if (!zone.split("/").every(isName)) {
    place.invalid(zone, `unknown time zone ${zone}`);
    return;
  }
  if (zone.toLowerCase() === "local") {
    place.invalid(zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  if (!isTimeZone(zone)) place.invalid(zone, `unknown time zone ${zone}`);
}

function checkJobTemplate(
  { spec }: batchv1.JobTemplateSpec,
  place: FaultPlace,
  old: batchv1.JobTemplateSpec | undefined,
): void {
  checkJobSpec(spec, place, templateOptions(old?.spec.template));
  if (spec.selector !== undefined) place.at("selector").invalid(spec.selector, "`selector` will be auto-generated");
  if (spec.manualSelector === true) place.at("manualSelector").notSupported(true, ["nil", "false"]);
}
