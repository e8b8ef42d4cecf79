// `managed-fields`: who set which field. Creates, updates and patches are recorded; server-side apply will build on the same sets.
import { type KubernetesObject, printGroupVersion } from "@kubeloop/core/api";
import type { Draft } from "../kinds/kind-rules.ts";
import { emptyObject } from "../resources/registry/decode-value.ts";
import type { FieldManagers } from "../resources/registry/field-managers.ts";
import { hasStatus } from "../resources/registry/prepare-write.ts";
import type { WriteContext } from "../resources/registry/write-context.ts";
import { type Comparison, compareObjects } from "./compare-objects.ts";
import { KeylessItem } from "./places.ts";
import { entriesFor, recordUpdate, type Update } from "./record-update.ts";

export const fieldManagers: FieldManagers = {
  record({ context, draft, old, manager }) {
    const { served, subresource, server } = context;
    const given = draft.metadata.managedFields;
    const entries = entriesFor(given, old?.metadata.managedFields, subresource !== undefined);
    delete draft.metadata.managedFields;
    // Once cleared, an object is not tracked again until somebody applies it.
    if (old !== undefined && entries.length === 0) return;
    const shown = served.presentation.toServed(draft as KubernetesObject);
    const recorded = recordedOrNobody({
      before: old === undefined ? emptyObject(served.codec) : served.presentation.toServed(old),
      after: shown,
      schema: served.codec.schema,
      compareIn: (apiVersion) => compareIn(apiVersion, { context, draft: draft as KubernetesObject, old }),
      entries,
      manager,
      apiVersion: served.resource.apiVersion,
      subresource: subresource?.name ?? "",
      ignored: ignoredPaths(context),
      // A real server keeps no time of who scaled.
      nowMs: subresource?.name === "scale" ? undefined : server.clock.now(),
    });
    if (recorded.length > 0) draft.metadata.managedFields = recorded as Draft<typeof recorded>;
  },
};

/** What cannot be told apart is nobody's, and neither is anything else in its object. */
function recordedOrNobody(update: Update): ReturnType<typeof recordUpdate> {
  try {
    return recordUpdate(update);
  } catch (error) {
    if (error instanceof KeylessItem) return [];
    throw error;
  }
}

/** Versions of one group are views of one object; another group's are not, whatever they show. */
function compareIn(
  apiVersion: string,
  { context, draft, old }: { context: WriteContext; draft: KubernetesObject; old: KubernetesObject | undefined },
): Comparison | undefined {
  const { group, plural } = context.served.resource;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  if (apiVersion !== printGroupVersion({ group, version })) return undefined;
  const other = context.server.catalogue.find({ group, version, plural });
  if (other === undefined) return undefined;
  const before = old === undefined ? emptyObject(other.codec) : other.presentation.toServed(old);
  return compareObjects(before, other.presentation.toServed(draft), other.codec.schema);
}

/** What writes through this subresource leave as it is. */
function ignoredPaths({ served, subresource }: WriteContext): readonly (readonly string[])[] {
  const through = subresource?.name ?? "";
  const own = served.rules.untouched?.[through];
  if (own !== undefined) return own.map((path) => path.map((name) => `f:${name}`));
  if (through === "") return hasStatus(served) ? [["f:status"]] : [];
  return through === "status" ? [["f:spec"]] : [];
}
