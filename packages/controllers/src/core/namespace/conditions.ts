// The five conditions of a namespace that is being deleted: what was found after the last deletion, and what failed.
import type { corev1, Resource } from "@kubeloop/core/api";
import { pods } from "@kubeloop/core/resources";
import { type ConditionFacts, setPodCondition } from "../../domain/conditions.ts";
import type { Looked } from "./decide.ts";

/** The namespace with all five; `failed` has, by resource, the first failure to delete something of it. */
export function withConditions(looked: Looked, failed: ReadonlyMap<string, Error>, nowMs: number): corev1.Namespace {
  const { namespace } = looked;
  let { conditions } = namespace.status ?? {};
  for (const facts of conditionsOf(looked, failed)) conditions = setPodCondition(conditions, facts, nowMs);
  return { ...namespace, status: { ...namespace.status, ...(conditions === undefined ? {} : { conditions }) } };
}

function conditionsOf(looked: Looked, failed: ReadonlyMap<string, Error>): readonly ConditionFacts[] {
  const { undiscovered, unread, remaining = [] } = looked;
  // What could not be deleted is told as a failure, and not counted as well.
  const counted = remaining.filter(({ resource }) => !failed.has(idOf(resource)));
  const errors = [
    ...failed.values(),
    ...unread.map(({ error }) => error),
    ...counted.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
  ];
  // Upstream does not count while it waits for pods: both conditions say that nothing is left, until the rest is deleted, too.
  const isForPods = counted.some(({ resource }) => idOf(resource) === idOf(pods));
  const shown = isForPods ? [] : counted;
  const finalizers = new Map<string, number>();
  for (const each of shown) {
    for (const [finalizer, count] of each.finalizers)
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
  }
  return [
    undiscovered === undefined
      ? fine("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered")
      : wrong("NamespaceDeletionDiscoveryFailure", "DiscoveryFailed", undiscovered.message),
    // Discovery has parsed them: a version that it cannot parse is one that failed.
    fine(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    errors.length === 0
      ? fine(
          "NamespaceDeletionContentFailure",
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization",
        )
      : wrong(
          "NamespaceDeletionContentFailure",
          "ContentDeletionFailed",
          `Failed to delete all resource types, ${errors.length} remaining: ${inOneLine(errors.map(({ message }) => message))}`,
        ),
    shown.length === 0
      ? fine("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : wrong(
          "NamespaceContentRemaining",
          "SomeResourcesRemain",
          `Some resources are remaining: ${inOneLine(shown.map(({ resource, count }) => `${idOf(resource)} has ${count} resource instances`))}`,
        ),
    finalizers.size === 0
      ? fine("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
      : wrong(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${inOneLine([...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`))}`,
        ),
  ];
}

const fine = (type: string, reason: string, message: string): ConditionFacts => ({
  type,
  status: "False",
  reason,
  message,
});
const wrong = (type: string, reason: string, message: string): ConditionFacts => ({
  type,
  status: "True",
  reason,
  message,
});

/** Sorted, so that the same facts make the same text. */
const inOneLine = (parts: readonly string[]) => parts.toSorted().join(", ");

export const idOf = ({ plural, group }: Resource) => `${plural}.${group}`;
