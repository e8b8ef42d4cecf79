// Predicates for the option `when` of a watch: a change adds keys only if `when` is true. They are functions, so combine them with `&&`, `||`, `!`.
//
//   itself(foos, { when: (change) => generationChanged(change) || labelChanged(change) })
//
// `generationChanged`, `versionChanged`, `labelChanged` and `annotationChanged` compare the two states of an update, and are true for every add
// and every delete. `labelled` and `isResync` evaluate every change. A predicate saves reconciles but no memory, because the cache also has
// the objects for which it is false. A selector saves both.
import { type KubernetesObject, matchesSelector, parseSelector, type Selector } from "../api/index.ts";
import { deepEqual } from "../base/index.ts";
import type { Change } from "./watches.ts";

export type Predicate<T extends KubernetesObject = KubernetesObject> = (change: Change<T>) => boolean;

/**
 * Whether `metadata.generation` changed. The server increments it when the spec changes and when
 * deletion starts. True for objects without a generation.
 */
export function generationChanged(change: Change): boolean {
  if (change.type !== "update") return true;
  const { generation } = change.object.metadata;
  return generation === undefined || generation !== change.before.metadata.generation;
}

/** Whether `metadata.resourceVersion` changed. True for every change except a resync. */
export function versionChanged(change: Change): boolean {
  return change.type !== "update" || change.before.metadata.resourceVersion !== change.object.metadata.resourceVersion;
}

export function labelChanged(change: Change): boolean {
  return change.type !== "update" || !isSameMap(change.before.metadata.labels, change.object.metadata.labels);
}

export function annotationChanged(change: Change): boolean {
  return change.type !== "update" || !isSameMap(change.before.metadata.annotations, change.object.metadata.annotations);
}

/** Whether the change is a resync: no object has changed, but `resyncMs` of the watch has passed. */
export function isResync(change: Change): boolean {
  return change.cause === "resync";
}

/** Whether the labels match before or after the change. So it is also true for an update after which the object no longer matches. */
export function labelled(selector: string | Selector): Predicate {
  const wanted = typeof selector === "string" ? parseSelector(selector) : selector;
  const matches = ({ metadata }: KubernetesObject) => matchesSelector(wanted, metadata.labels);
  return (change) => matches(change.object) || (change.type === "update" && matches(change.before));
}

type Entries = Readonly<Record<string, string>> | undefined;
const isSameMap = (left: Entries = {}, right: Entries = {}) => deepEqual(left, right);
