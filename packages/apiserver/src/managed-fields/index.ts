// `managed-fields`: who set which field. Creates, updates and patches are recorded; server-side apply will build on the same sets.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Draft } from "../kinds/kind-rules.ts";
import type { FieldManagers } from "../resources/field-managers.ts";
import { hasStatus } from "../resources/prepare-write.ts";
import { emptyObject } from "../resources/read-object.ts";
import type { RequestScope } from "../resources/request-scope.ts";
import { entriesFor, recordUpdate } from "./record-update.ts";

export const fieldManagers: FieldManagers = {
  record({ scope, draft, old, manager }) {
    const { served, subresource, server } = scope;
    const given = draft.metadata.managedFields;
    const entries = entriesFor(given, old?.metadata.managedFields, subresource !== undefined);
    delete draft.metadata.managedFields;
    // Once cleared, an object is not tracked again until somebody applies it.
    if (old !== undefined && entries.length === 0) return;
    const shown = served.presentation.toServed(draft as KubernetesObject);
    const recorded = recordUpdate({
      before: old === undefined ? emptyObject(served) : served.presentation.toServed(old),
      after: shown,
      schema: served.schema,
      entries,
      manager,
      apiVersion: served.resource.apiVersion,
      subresource: subresource?.name ?? "",
      ignored: ignoredPaths(scope),
      // A real server keeps no time of who scaled.
      nowMs: subresource?.name === "scale" ? undefined : server.clock.now(),
    });
    if (recorded.length > 0) draft.metadata.managedFields = recorded as Draft<typeof recorded>;
  },
};

/** What this door does not write. */
function ignoredPaths({ served, subresource }: RequestScope): readonly (readonly string[])[] {
  if (subresource === undefined) return hasStatus(served) ? [["f:status"]] : [];
  return subresource.name === "status" ? [["f:spec"]] : [];
}
