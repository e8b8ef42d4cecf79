// Which changes are worth looking at: predicates for a watch's `when`, and ways to combine them.
//
//   itself(foos, { when: or(generationChanged, labelChanged) })
//
// What is new and what is gone always passes, unless `not` turns it round: only updates have two states to compare. A predicate
// spares work; it saves no memory, because the cache holds what it drops. Selectors do.
import { type KubernetesObject, matchesSelector, parseSelector, type Selector } from "../api/index.ts";
import { deepEqual } from "../base/index.ts";
import type { Change } from "./watches.ts";

export type Predicate<T extends KubernetesObject = KubernetesObject> = (change: Change<T>) => boolean;

/** By the version of their spec: status and metadata do not count, nor a mere telling again. What has none always counts. */
export function generationChanged(change: Change): boolean {
  if (change.type !== "update") return true;
  const { generation } = change.object.metadata;
  return generation === undefined || generation !== change.before.metadata.generation;
}

/** Not a mere telling again. */
export function versionChanged(change: Change): boolean {
  return change.type !== "update" || change.before.metadata.resourceVersion !== change.object.metadata.resourceVersion;
}

export function labelChanged(change: Change): boolean {
  return change.type !== "update" || !isSameMap(change.before.metadata.labels, change.object.metadata.labels);
}

export function annotationChanged(change: Change): boolean {
  return change.type !== "update" || !isSameMap(change.before.metadata.annotations, change.object.metadata.annotations);
}

/** Nothing happened; the watch asked to be told again (`resyncMs`). */
export function isResync(change: Change): boolean {
  return change.cause === "resync";
}

/** Labels match, before or after: what leaves a selection is worth a look, too. */
export function labelled(selector: string | Selector): Predicate {
  const wanted = typeof selector === "string" ? parseSelector(selector) : selector;
  const matches = ({ metadata }: KubernetesObject) => matchesSelector(wanted, metadata.labels);
  return (change) => matches(change.object) || (change.type === "update" && matches(change.before));
}

export function and<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((passes) => passes(change));
}

export function or<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((passes) => passes(change));
}

export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}

type Entries = Readonly<Record<string, string>> | undefined;
const isSameMap = (left: Entries = {}, right: Entries = {}) => deepEqual(left, right);
