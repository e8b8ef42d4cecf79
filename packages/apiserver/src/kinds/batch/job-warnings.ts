// What is accepted in a Job's spec and probably not meant.
import { type batchv1, childPath, type FieldPath, printPath } from "@kubeloop/core/api";
import { templateWarnings } from "../pod-spec/warnings.ts";

const manyCompletions = 100_000;
const manyParallel = 10_000;

export function jobSpecWarnings(spec: batchv1.JobSpec, path: FieldPath): string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  const isHuge = completionMode === "Indexed" && completions > manyCompletions && parallelism > manyParallel;
  const text =
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
  return [
    ...(isHuge ? [`${printPath(path)}: ${text}`] : []),
    ...templateWarnings(spec.template, childPath(path, "template")),
  ];
}
