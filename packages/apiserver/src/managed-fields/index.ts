// `managed-fields`: who set which field. Creates, updates and patches are recorded; server-side apply will build on the same sets.
import { type KubernetesObject, type metav1, printGroupVersion } from "@kubeloop/core/api";
import type { Draft } from "../kinds/kind-rules.ts";
import { emptyObject } from "../resources/registry/decode-value.ts";
import type { FieldManagers, RecordedWrite } from "../resources/registry/field-managers.ts";
import { hasStatus } from "../resources/registry/prepare-write.ts";
import type { ServedResource } from "../resources/registry/served-resource.ts";
import type { WriteContext } from "../resources/registry/write-context.ts";
import { type Comparison, compareObjects } from "./compare-objects.ts";
import { KeylessItem } from "./object-paths.ts";
import { entriesFor, recordUpdate, type Update } from "./record-update.ts";

export const fieldManagers: FieldManagers = {
  record(write) {
    const tracked = trackedWrite(write);
    if (tracked === undefined) return undefined;
    const converting = convertAll(tracked);
    if (converting === undefined) {
      recordNow(tracked);
      return undefined;
    }
    return converting.then(() => recordNow(tracked));
  },

  recordBuiltIn(write) {
    const tracked = trackedWrite(write);
    if (tracked !== undefined) recordNow(tracked);
  },
};

interface TrackedWrite extends RecordedWrite {
  /** As they were before. */
  readonly entries: readonly metav1.ManagedFieldsEntry[];
  /** The draft; apart where it is converted, because a conversion is kept beside the object it is of, and the draft will still change. */
  readonly after: KubernetesObject;
  /** By apiVersion: the resource as it is served under the other versions in which somebody manages fields. */
  readonly others: ReadonlyMap<string, ServedResource>;
}

const noOthers: ReadonlyMap<string, ServedResource> = new Map();

/** Takes the managers off the draft. Undefined where the object is not tracked. */
function trackedWrite(write: RecordedWrite): TrackedWrite | undefined {
  const { context, draft, old } = write;
  const given = draft.metadata.managedFields;
  const entries = entriesFor(given, old?.metadata.managedFields, context.subresource !== undefined);
  delete draft.metadata.managedFields;
  // Once cleared, an object is not tracked again until somebody applies it.
  if (old !== undefined && entries.length === 0) return undefined;
  const others = otherVersions(entries, context);
  const isConverted = context.served.conversion.kind !== "none" || others.size > 0;
  return { ...write, entries, after: (isConverted ? { ...draft } : draft) as KubernetesObject, others };
}

function otherVersions(entries: TrackedWrite["entries"], context: WriteContext): TrackedWrite["others"] {
  let others: Map<string, ServedResource> | undefined;
  for (const { apiVersion = "" } of entries) {
    if (apiVersion === context.served.resource.apiVersion || others?.has(apiVersion) === true) continue;
    const other = otherVersion(apiVersion, context);
    if (other === undefined) continue;
    others ??= new Map();
    others.set(apiVersion, other);
  }
  return others ?? noOthers;
}

/** Undefined where no conversion answers later. */
function convertAll({ context, old, after, others }: TrackedWrite): Promise<unknown> | undefined {
  if (context.served.conversion.kind === "none" && others.size === 0) return undefined;
  const objects = old === undefined ? [after] : [old, after];
  const converting: Promise<void>[] = [];
  for (const { presentation } of [context.served, ...others.values()]) {
    const each = presentation.convertAll?.(objects, context.signal);
    if (each !== undefined) converting.push(each);
  }
  return converting.length === 0 ? undefined : Promise.all(converting);
}

function recordNow(write: TrackedWrite): void {
  const { context, draft, old, after, entries, manager } = write;
  const { served, subresource, server } = context;
  const recorded = recordedOrNobody({
    isNew: old === undefined,
    before: old === undefined ? emptyObject(served.codec) : served.presentation.toServed(old),
    after: served.presentation.toServed(after),
    schema: served.codec.schema,
    compareIn: (apiVersion) => compareIn(apiVersion, write),
    entries,
    manager,
    apiVersion: served.resource.apiVersion,
    subresource: subresource?.name ?? "",
    ignored: ignoredPaths(context),
    // A real server keeps no time of who scaled.
    nowMs: subresource?.name === "scale" ? undefined : server.clock.now(),
  });
  if (recorded.length > 0) draft.metadata.managedFields = recorded as Draft<typeof recorded>;
}

/** What cannot be told apart is nobody's, and neither is anything else in its object. */
function recordedOrNobody(update: Update): ReturnType<typeof recordUpdate> {
  try {
    return recordUpdate(update);
  } catch (error) {
    if (error instanceof KeylessItem) return [];
    throw error;
  }
}

function compareIn(apiVersion: string, { others, after, old }: TrackedWrite): Comparison | undefined {
  const other = others.get(apiVersion);
  if (other === undefined) return undefined;
  const before = old === undefined ? emptyObject(other.codec) : other.presentation.toServed(old);
  return compareObjects(before, other.presentation.toServed(after), other.codec.schema);
}

/** Versions of one group are views of one object; another group's are not, whatever they show. */
function otherVersion(apiVersion: string, { served, server }: WriteContext): ServedResource | undefined {
  const { group, plural } = served.resource;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  if (apiVersion !== printGroupVersion({ group, version })) return undefined;
  return server.catalogue.find({ group, version, plural });
}

/** What writes through this subresource leave as it is. */
function ignoredPaths({ served, subresource }: WriteContext): readonly (readonly string[])[] {
  const through = subresource?.name ?? "";
  const own = served.rules.untouched?.[through];
  if (own !== undefined) return own.map((path) => path.map((name) => `f:${name}`));
  if (through === "") return hasStatus(served) ? [["f:status"]] : [];
  return through === "status" ? [["f:spec"]] : [];
}
