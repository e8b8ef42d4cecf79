// Which changes count: predicates for a watch's `when`. They are plain functions, so `&&`, `||` and `!` combine them.
//
//   itself(foos, { when: (change) => generationChanged(change) || labelChanged(change) })
//
// `generationChanged`, `versionChanged`, `labelChanged` and `annotationChanged` compare the two states of an update and pass every addition and
// deletion; `labelled` and `isResync` look at every change. A predicate saves work but no memory, because the cache holds what it
// drops; selectors save both.
import { type KubernetesObject, matchesSelector, parseSelector, type Selector } from "../api/index.ts";
import { deepEqual } from "../base/index.ts";
import type { Change } from "./watches.ts";

export type Predicate<T extends KubernetesObject = KubernetesObject> = (change: Change<T>) => boolean;

/** `metadata.generation` changed: the server raises it for changes of the spec and when deletion starts. Objects without one pass. */
export function generationChanged(change: Change): boolean {
  if (change.type !== "update") return true;
  const { generation } = change.object.metadata;
  return generation === undefined || generation !== change.before.metadata.generation;
}

/** `metadata.resourceVersion` changed: everything but a resync. */
export function versionChanged(change: Change): boolean {
  return change.type !== "update" || change.before.metadata.resourceVersion !== change.object.metadata.resourceVersion;
}

export function labelChanged(change: Change): boolean {
  return change.type !== "update" || !isSameMap(change.before.metadata.labels, change.object.metadata.labels);
}

export function annotationChanged(change: Change): boolean {
  return change.type !== "update" || !isSameMap(change.before.metadata.annotations, change.object.metadata.annotations);
}

/** Nothing changed: the watch's `resyncMs` has passed. */
export function isResync(change: Change): boolean {
  return change.cause === "resync";
}

/** The labels match before or after the change, so that an object that leaves the selection passes, too. */
export function labelled(selector: string | Selector): Predicate {
  const wanted = typeof selector === "string" ? parseSelector(selector) : selector;
  const matches = ({ metadata }: KubernetesObject) => matchesSelector(wanted, metadata.labels);
  return (change) => matches(change.object) || (change.type === "update" && matches(change.before));
}

type Entries = Readonly<Record<string, string>> | undefined;
const isSameMap = (left: Entries = {}, right: Entries = {}) => deepEqual(left, right);
