// `describe cronjob`.
import type { batchv1 } from "@kubeloop/core/api";
import { Description, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { printJobSelector } from "./job.ts";
import { writePodTemplate } from "./pod-template.ts";
import { printLocalTime } from "./times.ts";

export function describeCronJob(cron: batchv1.CronJob, events: ShownEvents, nowMs: number): string {
  const { metadata, spec, status = {} } = cron;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  if (spec !== undefined) writeSpec(to, spec);
  const last = status.lastScheduleTime;
  to.line(0, "Last Schedule Time:", last === undefined ? "<unset>" : printLocalTime(last));
  to.line(0, "Active Jobs:", (status.active ?? []).map(({ name }) => name ?? "").join(", ") || "<none>");
  writeEvents(to, events, nowMs);
  return to.toString();
}

function writeSpec(to: Description, spec: batchv1.CronJobSpec): void {
  const { suspend, startingDeadlineSeconds: deadline } = spec;
  to.line(0, "Schedule:", spec.schedule);
  to.line(0, "Concurrency Policy:", spec.concurrencyPolicy);
  to.line(0, "Suspend:", suspend === undefined ? "<unset>" : suspend ? "True" : "False");
  to.line(0, "Time Zone:", spec.timeZone ?? "<unset>");
  to.line(0, "Successful Job History Limit:", spec.successfulJobsHistoryLimit ?? "<unset>");
  to.line(0, "Failed Job History Limit:", spec.failedJobsHistoryLimit ?? "<unset>");
  to.line(0, "Starting Deadline Seconds:", deadline === undefined ? "<unset>" : `${deadline}s`);
  const { selector, parallelism, completions, activeDeadlineSeconds, template } = spec.jobTemplate.spec ?? {};
  to.line(0, "Selector:", selector === undefined ? "<unset>" : printJobSelector(selector));
  to.line(0, "Parallelism:", parallelism ?? "<unset>");
  to.line(0, "Completions:", completions ?? "<unset>");
  if (activeDeadlineSeconds !== undefined) to.line(0, "Active Deadline Seconds:", `${activeDeadlineSeconds}s`);
  writePodTemplate(to, template);
}
