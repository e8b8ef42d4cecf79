// PATCH: a change to what there is, applied to the newest version as often as others get in between. A version inside the patch is a
// condition like that of an update. Only an apply patch may create; that comes with server-side apply.
import { newNotFound } from "@kubeloop/core/api";
import type { Answer } from "../../wire/answer.ts";
import { writeOptionsOf } from "../options/request-options.ts";
import { dedupeOwnerReferences, matchNamespace } from "../registry/create-object.ts";
import { guaranteedUpdate } from "../registry/guaranteed-update.ts";
import { checkVersion, decideUpdate, matchName } from "../registry/update-object.ts";
import { storageKeyOf } from "../registry/write-context.ts";
import { parsePatch, patchedDraft, patchKindOf } from "./apply-patch.ts";
import type { RequestScope } from "./request-scope.ts";

export async function patch(scope: RequestScope): Promise<Answer> {
  const { served, info, yieldBudget } = scope;
  const kind = patchKindOf(scope);
  const options = writeOptionsOf(scope.request.query, "PatchOptions");
  const parsed = await parsePatch(scope, kind);
  const changed = await guaranteedUpdate(
    scope,
    storageKeyOf(scope, info.name),
    async (current) => {
      if (current === undefined) throw newNotFound(served.groupResource, info.name);
      const draft = await patchedDraft(scope, parsed, current, options);
      if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
      matchNamespace(scope, draft);
      matchName(scope, draft);
      dedupeOwnerReferences(scope, draft);
      checkVersion(scope, draft, current);
      return decideUpdate(scope, draft, current, options);
    },
    options,
  );
  return { kind: "object", code: 200, object: changed.object, presentation: served.presentation };
}
