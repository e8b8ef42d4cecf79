// How a Job finds its pods: by its own uid, unless it says otherwise. Labels of two generations are kept.
import { type batchv1, matchesSelector } from "@kubeloop/core/api";
import { parsedSelector } from "../apps/workload-template.ts";
import type { Draft } from "../kind-rules.ts";
import { own } from "../shared/own.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type Job = batchv1.Job;

const uidLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"] as const;
const nameLabels = ["job-name", "batch.kubernetes.io/job-name"] as const;
const selectedLabel = "batch.kubernetes.io/controller-uid";

/** What is given already stays, to be refused if it is wrong. */
export function generateSelector(job: Draft<Job>): void {
  const { spec, metadata } = job;
  if (spec.manualSelector === true) return;
  spec.template.metadata ??= {};
  spec.template.metadata.labels ??= {};
  // In fldPath: where the Job's own labels are the template's, they are this very map.
  const { labels } = spec.template.metadata;
  for (const label of nameLabels) labels[label] ??= metadata.name ?? "";
  for (const label of uidLabels) labels[label] ??= metadata.uid ?? "";
  sortInPlace(labels);
  const matchLabels = spec.selector?.matchLabels ?? {};
  if (own(matchLabels, selectedLabel) !== undefined) return;
  const { matchExpressions } = spec.selector ?? {};
  const selected = { ...matchLabels, [selectedLabel]: metadata.uid ?? "" };
  sortInPlace(selected);
  spec.selector = {
    matchLabels: selected,
    ...(matchExpressions === undefined ? {} : { matchExpressions }),
  };
}

/** Maps stand in the order of their keys. */
function sortInPlace(labels: Record<string, string>): void {
  const entries = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [label] of entries) delete labels[label];
  for (const [label, value] of entries) labels[label] = value;
}

export interface GeneratedSelectorOptions {
  /** Jobs that are older than the labels with a prefix need not have them. */
  readonly needsPrefixedLabels: boolean;
}

/** Whether the template has the old prefixed labels; what is made now always has. */
export function hasPrefixedLabels({ spec }: Job): boolean {
  const labels = spec.template.metadata?.labels ?? {};
  return Object.hasOwn(labels, nameLabels[1]) && Object.hasOwn(labels, uidLabels[1]);
}

export function checkGeneratedSelector(
  { metadata, spec }: Job,
  fldPath: ValidationPath,
  { needsPrefixedLabels }: GeneratedSelectorOptions,
): void {
  const { selector } = spec;
  if (spec.manualSelector === true || selector === undefined || selector === null) return;
  const { uid = "", name = "" } = metadata;
  if (uid === "") fldPath.beside("metadata").at("uid").required();
  const generations = needsPrefixedLabels ? [0, 1] : [0];
  const expected: Record<string, string> = {};
  for (const generation of generations) {
    expected[uidLabels[generation] ?? ""] = uid;
    expected[nameLabels[generation] ?? ""] = name;
  }
  const labels = spec.template.metadata?.labels ?? {};
  const labelsPath = fldPath.at("template", "metadata", "labels");
  for (const [label, value] of Object.entries(expected)) {
    const held = own(labels, label);
    if (held === undefined) labelsPath.item(label).required(`must be '${value}'`);
    else if (held !== value) labelsPath.item(label).invalid(labels, `must be '${value}'`);
  }
  const parsed = parsedSelector(selector);
  if (parsed !== undefined && !matchesSelector(parsed, expected)) {
    fldPath.at("selector").invalid(selector, "`selector` not auto-generated");
  }
}
