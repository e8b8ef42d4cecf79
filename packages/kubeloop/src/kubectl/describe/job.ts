// `describe job`.
import type { batchv1, metav1 } from "@kubeloop/core/api";
import {
  controllerOf,
  fromLabelSelector,
  parseTime,
  printSelector,
  printShortDuration,
  SelectorError,
} from "@kubeloop/core/api";
import { Description, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { writePodTemplate } from "./pod-template.ts";
import { printLocalTime } from "./times.ts";

const noSpec: batchv1.JobSpec = { template: { spec: { containers: [] } } };

export function describeJob(job: batchv1.Job, events: ShownEvents, nowMs: number): string {
  const { metadata, spec = noSpec, status = {} } = job;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  to.line(0, "Selector:", printJobSelector(spec.selector));
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  const owner = controllerOf(job);
  if (owner !== undefined) to.line(0, "Controlled By:", `${owner.kind}/${owner.name}`);
  writeWishes(to, spec);
  writeTimes(to, status);
  if (spec.activeDeadlineSeconds !== undefined)
    to.line(0, "Active Deadline Seconds:", `${spec.activeDeadlineSeconds}s`);
  const { active = 0, ready, succeeded = 0, failed = 0 } = status;
  const activePods = ready === undefined ? `${active} Active` : `${active} Active (${ready} Ready)`;
  to.line(0, "Pods Statuses:", `${activePods} / ${succeeded} Succeeded / ${failed} Failed`);
  if (spec.completionMode === "Indexed") to.line(0, "Completed Indexes:", printIndexes(status.completedIndexes));
  writePodTemplate(to, spec.template);
  writeEvents(to, events, nowMs);
  return to.toString();
}

function writeWishes(to: Description, spec: batchv1.JobSpec): void {
  const { parallelism, completions, completionMode, suspend, backoffLimit, ttlSecondsAfterFinished } = spec;
  if (parallelism !== undefined) to.line(0, "Parallelism:", parallelism);
  to.line(0, "Completions:", completions ?? "<unset>");
  if (completionMode !== undefined) to.line(0, "Completion Mode:", completionMode);
  if (suspend !== undefined) to.line(0, "Suspend:", suspend);
  if (backoffLimit !== undefined) to.line(0, "Backoff Limit:", backoffLimit);
  if (ttlSecondsAfterFinished !== undefined) to.line(0, "TTL Seconds After Finished:", ttlSecondsAfterFinished);
}

function writeTimes(to: Description, { startTime, completionTime }: batchv1.JobStatus): void {
  if (startTime !== undefined) to.line(0, "Start Time:", printLocalTime(startTime));
  if (completionTime !== undefined) to.line(0, "Completed At:", printLocalTime(completionTime));
  if (startTime === undefined || completionTime === undefined) return;
  to.line(0, "Duration:", printShortDuration(parseTime(completionTime) - parseTime(startTime)));
}

export function printJobSelector(selector: metav1.LabelSelector | undefined): string {
  try {
    return printSelector(fromLabelSelector(selector));
  } catch (error) {
    if (error instanceof SelectorError) return `Failed to get selector: ${error.message}`;
    throw error;
  }
}

const mostIndexes = 50;

/** Cut after the first comma behind so many characters. */
export function printIndexes(indexes = ""): string {
  if (indexes === "") return "<none>";
  const end = indexes.indexOf(",", mostIndexes);
  return end < 0 ? indexes : `${indexes.slice(0, end + 1)}...`;
}
