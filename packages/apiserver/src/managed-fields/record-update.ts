// Who manages which fields after a create, an update or a patch, as `metadata.managedFields` says it. Whoever changes or adds a field has it
// from then on, and it is taken from all others; what was removed nobody has. (Server-side apply will bring the rest.)
import { type metav1, printTime, type TypeSchema } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { type Comparison, compareObjects } from "./compare-objects.ts";
import { createdFields } from "./created-fields.ts";
import { FieldSet, type FieldsV1, isFields } from "./field-set.ts";

type Entry = metav1.ManagedFieldsEntry;

export interface Update {
  readonly isNew: boolean;
  /** What it was; where it is new, an object of its kind that holds nothing, the same one each time. */
  readonly before: object;
  readonly after: object;
  readonly schema: TypeSchema | undefined;
  /** The same change as another version shows it; undefined for one that nobody knows. */
  compareIn(apiVersion: string): Comparison | undefined;
  /** As they were before this write, or as the writer put them. */
  readonly entries: readonly Entry[];
  readonly manager: string;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Paths that this subresource does not write, whatever was sent: `["f:status"]`. */
  readonly ignored: readonly (readonly string[])[];
  /** Undefined where no time is kept. */
  readonly nowMs: number | undefined;
}

const maxUpdaters = 10;

/** Of which nobody is the manager. */
const unmanaged = [
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", `f:${name}`]),
];

const unmanagedSet = unmanaged.reduce((set, path) => set.union(FieldSet.ofPath(path)), FieldSet.nothing);

export function recordUpdate(update: Update): readonly Entry[] {
  if (update.isNew && update.entries.length === 0) return recordCreate(update);
  const { manager, apiVersion, subresource, ignored, nowMs } = update;
  const comparison = ignoring(compareObjects(update.before, update.after, update.schema), ignored);
  const comparisons = new Map<string | undefined, Comparison | undefined>([[apiVersion, comparison]]);
  const comparisonIn = (version: string | undefined): Comparison | undefined => {
    if (!comparisons.has(version)) {
      const other = update.compareIn(version ?? "");
      comparisons.set(version, other === undefined ? undefined : ignoring(other, ignored));
    }
    return comparisons.get(version);
  };
  const changed = comparison.added.union(comparison.modified);
  const taken = changed.difference(unmanagedSet);
  const isMine = (entry: Entry) =>
    entry.operation === "Update" &&
    entry.manager === manager &&
    entry.apiVersion === apiVersion &&
    (entry.subresource ?? "") === subresource;
  const mine = update.entries.find(isMine);
  const others = update.entries.flatMap((entry) => {
    const held = FieldSet.from(entry.fieldsV1 as FieldsV1 | undefined);
    const seen = comparisonIn(entry.apiVersion);
    // What was written in words that nobody understands any more is nobody's.
    if (seen === undefined) return [];
    const others = seen === comparison ? changed : seen.added.union(seen.modified);
    const left = held.difference(others).difference(seen.removed);
    // What this very writer had before is joined with what it took now.
    if (entry === mine && !taken.isEmpty) return [withFields(entry, left.union(taken), nowMs)];
    // As it was stored, and so in order.
    if (left === held && Object.isFrozen(entry)) return [entry];
    return left.isEmpty ? [] : [{ ...entry, fieldsV1: left.toFields() ?? {} } as Entry];
  });
  if (mine === undefined && !taken.isEmpty) others.push(newEntry(update, taken));
  return capped(others).toSorted(byAge);
}

/** There is nobody to take anything from. */
function recordCreate(update: Update): readonly Entry[] {
  const { before, after, schema, ignored } = update;
  const taken = createdFields({ empty: before, object: after, schema }, ignored.join(), (changed) =>
    withoutPaths(changed, ignored).difference(unmanagedSet),
  );
  return taken.isEmpty ? [] : [newEntry(update, taken)];
}

function newEntry({ manager, apiVersion, subresource, nowMs }: Update, fields: FieldSet): Entry {
  const entry = { manager, operation: "Update", apiVersion, fieldsType: "FieldsV1" } as Entry;
  return withFields(subresource === "" ? entry : { ...entry, subresource }, fields, nowMs);
}

function withFields(entry: Entry, fields: FieldSet, nowMs: number | undefined): Entry {
  const { manager, operation, apiVersion, subresource } = entry;
  return {
    manager,
    operation,
    apiVersion,
    ...(nowMs === undefined ? {} : { time: printTime(nowMs) }),
    fieldsType: "FieldsV1",
    fieldsV1: fields.toFields() ?? {},
    ...(subresource === undefined ? {} : { subresource }),
  } as Entry;
}

function ignoring(comparison: Comparison, paths: readonly (readonly string[])[]): Comparison {
  return {
    added: withoutPaths(comparison.added, paths),
    modified: withoutPaths(comparison.modified, paths),
    removed: withoutPaths(comparison.removed, paths),
  };
}

const withoutPaths = (set: FieldSet, paths: readonly (readonly string[])[]) =>
  paths.reduce((left, path) => left.without(path), set);

/** Not more than ten writers: the oldest are put together under one name. */
function capped(entries: readonly Entry[]): readonly Entry[] {
  const updaters = entries.filter(({ operation }) => operation === "Update").toSorted(byAge);
  let surplus = updaters.length - maxUpdaters;
  if (surplus <= 0) return entries;
  const buckets = new Map<string, Entry[]>();
  const replaced = new Set<Entry>();
  for (const entry of updaters) {
    if (surplus <= 0) break;
    const version = entry.apiVersion ?? "";
    const bucket = buckets.get(version);
    replaced.add(entry);
    if (bucket === undefined) buckets.set(version, [entry]);
    else {
      bucket.push(entry);
      surplus--;
    }
  }
  return [...entries.filter((entry) => !replaced.has(entry)), ...[...buckets.values()].map(ancient)];
}

/** One of them stays as it is. */
function ancient(entries: readonly Entry[]): Entry {
  const last = entries.at(-1) as Entry;
  if (entries.length === 1) return last;
  const joined = unionOf(entries.map(({ fieldsV1 }) => FieldSet.from(fieldsV1 as FieldsV1 | undefined)));
  const { time, apiVersion } = last;
  return {
    manager: "ancient-changes",
    operation: "Update",
    apiVersion: apiVersion ?? "",
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: joined.toFields() ?? {},
  } as Entry;
}

/** By halves: each set is copied a few times, however many there are. */
function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length <= 1) return sets[0] ?? FieldSet.nothing;
  const half = sets.length >> 1;
  return unionOf(sets.slice(0, half)).union(unionOf(sets.slice(half)));
}

function byAge(a: Entry, b: Entry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * What the writer put there counts, unless it says nothing, or something nobody can read: then what was there before does. An empty list,
 * or one empty entry, means: forget all.
 */
export function entriesFor(
  given: readonly Entry[] | undefined,
  held: readonly Entry[] | undefined,
  isSubresource: boolean,
): readonly Entry[] {
  if (isSubresource || given === undefined) return held ?? [];
  const isReset = given.length === 0 || (given.length === 1 && Object.keys(given[0] ?? {}).length === 0);
  if (isReset) return [];
  if (held === undefined) return given.every(isReadable) ? given : [];
  // Most send back what they read, and of what is stored all is known already.
  const entries = given.map((entry, i) => (deepEqual(entry, held[i]) ? (held[i] as Entry) : entry));
  return entries.every((entry, i) => entry === held[i] || isReadable(entry)) ? entries : held;
}

function isReadable({ operation = "", apiVersion = "", fieldsType, fieldsV1 }: Entry): boolean {
  if (!["Apply", "Update"].includes(operation) || apiVersion === "" || fieldsType !== "FieldsV1") return false;
  return fieldsV1 === undefined || isFields(fieldsV1);
}
