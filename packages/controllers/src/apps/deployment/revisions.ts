// Revisions: the annotations by which the sets of a deployment are told apart, and which of them are kept.
//
//   deployment.kubernetes.io/revision           of a set: one more than the highest of the others, when it becomes the newest one; of a
//                                               deployment: that of its newest set
//   deployment.kubernetes.io/revision-history   of a set: the revisions it had before
//   deployment.kubernetes.io/desired-replicas   of a set: how many pods the deployment wanted when the set was scaled
//   deployment.kubernetes.io/max-replicas       of a set: how many pods all sets together might have then
//
// All other annotations of a deployment are copied to its newest set, but for what kubectl applied and for a rollback that is asked for.
import { type appsv1, compareTimes } from "@kubeloop/core/api";
import { maxSurgeOf, replicasOf } from "./sizes.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
/** Where a rollback is asked for, by its revision; 0 is the last one before this. */
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

type Annotations = Readonly<Record<string, string>>;
type Set = appsv1.ReplicaSet;

const ownAnnotations: ReadonlySet<string> = new globalThis.Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation,
]);

/** Those that a deployment and its newest set have in common. */
export function sharedAnnotations(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !ownAnnotations.has(key)));
}

/** Those that a deployment keeps when it is rolled back to another template. */
export function keptAnnotations(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => ownAnnotations.has(key)));
}

/** Any integer of 64 bits. 0 for a set without one; undefined for one that is no such number. */
export function revisionOf({ metadata }: Set): bigint | undefined {
  const text = metadata.annotations?.[revisionAnnotation];
  return text === undefined ? 0n : parseInteger(text);
}

export function maxRevision(sets: readonly Set[]): bigint {
  return sets.reduce((max, set) => larger(max, revisionOf(set) ?? 0n), 0n);
}

/** The second highest one; 0 if there is none. */
export function lastRevision(sets: readonly Set[]): bigint {
  const [, last = 0n] = sets.map((set) => revisionOf(set) ?? 0n).toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  return larger(last, 0n);
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

/** How long a history may become, in characters: a hundred revisions or more. */
const longestHistory = 2000;

/** The annotations of the newest set, with the deployment's and with its revision; undefined if they are as they should be. */
export function newestAnnotations(
  deployment: appsv1.Deployment,
  set: Set,
  others: readonly Set[],
): Annotations | undefined {
  const before = set.metadata.annotations ?? {};
  const copied = { ...before, ...sharedAnnotations(deployment.metadata.annotations) };
  const own = before[revisionAnnotation];
  const current = own === undefined || own === "" ? 0n : parseInteger(own);
  const revision = maxRevision(others) + 1n;
  // One that somebody has made unreadable stays as it is.
  if (current === undefined || current >= revision) return isEqual(before, copied) ? undefined : copied;
  const renumbered = { ...copied, [revisionAnnotation]: String(revision) };
  if (own === undefined) return renumbered;
  const history = appendToHistory(before[revisionHistoryAnnotation] ?? "", own);
  return history === undefined ? renumbered : { ...renumbered, [revisionHistoryAnnotation]: history };
}

/** The oldest ones go when it becomes too long; undefined if there is no room at all. */
function appendToHistory(history: string, revision: string): string | undefined {
  const revisions = history.split(",");
  if (revisions[0] === "") return revision;
  let length = history.length + revision.length + 1;
  let first = 0;
  for (; length > longestHistory && first < revisions.length; first++) length -= (revisions[first] ?? "").length + 1;
  return length <= longestHistory ? [...revisions.slice(first), revision].join(",") : undefined;
}

/** What says for which size of the deployment a set was scaled. */
export function sizeAnnotations(deployment: appsv1.Deployment): Annotations {
  const replicas = replicasOf(deployment);
  return {
    [desiredReplicasAnnotation]: String(replicas),
    [maxReplicasAnnotation]: String(replicas + maxSurgeOf(deployment)),
  };
}

/** Undefined where there is none, or none that could be right. */
export function sizeAnnotationOf({ metadata }: Set, key: string): number | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
  const size = Number(text);
  return size < 2 ** 31 ? size : undefined;
}

/** The revision to roll back to; undefined if none is asked for, or none that can be read. */
export function rollbackRevisionOf({ metadata }: appsv1.Deployment): bigint | undefined {
  const text = metadata.annotations?.[rollbackAnnotation];
  return text === undefined || text === "" ? undefined : parseInteger(text);
}

/** Undefined also for a number that is too large for 64 bits. */
function parseInteger(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const number = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

function isEqual(a: Annotations, b: Annotations): boolean {
  const keys = Object.keys(b);
  return keys.length === Object.keys(a).length && keys.every((key) => a[key] === b[key]);
}

/** Older first; those of one second by name. */
export function compareAge({ metadata: a }: Set, { metadata: b }: Set): number {
  const [one, other] = [a.creationTimestamp, b.creationTimestamp];
  if (one !== other) {
    const byTime = one === undefined || other === undefined ? compareAbsent(one, other) : compareCreation(one, other);
    if (byTime !== 0) return byTime;
  }
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}

/** As a server prints them, times have the order of their texts. */
function compareCreation(one: string, other: string): number {
  const isPrinted = one.length === 20 && other.length === 20 && one.endsWith("Z") && other.endsWith("Z");
  return isPrinted ? (one < other ? -1 : 1) : compareTimes(one, other);
}

/** A time that is not there is before all others. */
const compareAbsent = (one: string | undefined, other: string | undefined) =>
  one === other ? 0 : one === undefined ? -1 : 1;

/** Lower revisions first; those that are equal or cannot be read by age. */
export function compareRevision(one: Set, other: Set): number {
  const [a, b] = [revisionOf(one), revisionOf(other)];
  return a === undefined || b === undefined || a === b ? compareAge(one, other) : a < b ? -1 : 1;
}
