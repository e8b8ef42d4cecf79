// PUT: the whole object anew, on the version the sender has seen; or whatever there is, where its kind allows that and no version was
// given. Some kinds come into being this way.
import { isAlreadyExists, type KubernetesObject, newNotFound } from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { Answer } from "../../wire/answer.ts";
import { writeOptionsOf } from "../options/request-options.ts";
import { createObject, dedupeOwnerReferences, matchNamespace } from "../registry/create-object.ts";
import { guaranteedUpdate } from "../registry/guaranteed-update.ts";
import { checkUid, checkVersion, decideUpdate, matchName } from "../registry/update-object.ts";
import { storageKeyOf } from "../registry/write-context.ts";
import { readDrafts } from "./read-object.ts";
import type { RequestScope } from "./request-scope.ts";

export async function update(scope: RequestScope): Promise<Answer> {
  const { served, info } = scope;
  const options = writeOptionsOf(scope.request.query, "UpdateOptions");
  const read = await readDrafts(scope, options);
  const fresh = async () => {
    const draft = await read();
    matchNamespace(scope, draft);
    matchName(scope, draft);
    dedupeOwnerReferences(scope, draft);
    return draft;
  };
  // Each attempt has its own, for preparation changes it; few need a second.
  let unused: Draft<KubernetesObject> | undefined = await fresh();
  const storageKey = storageKeyOf(scope, info.name);
  const mayCreate = served.rules.createsOnUpdate === true && scope.subresource === undefined;
  let created: KubernetesObject | undefined;
  const changed = await guaranteedUpdate(
    scope,
    storageKey,
    async (current) => {
      const draft = unused ?? (await fresh());
      unused = undefined;
      if (current === undefined) {
        if (!mayCreate) throw newNotFound(served.groupResource, info.name);
        checkUid(scope, draft, undefined);
        // There is nothing it could be the version of.
        delete draft.metadata.resourceVersion;
        try {
          created = await createObject(scope, draft, options);
        } catch (error) {
          if (isAlreadyExists(error)) return { kind: "again" };
          throw error;
        }
        return { kind: "keep", answer: created };
      }
      checkUid(scope, draft, current);
      checkVersion(scope, draft, current);
      return await decideUpdate(scope, draft, current, options);
    },
    options,
  );
  const code = created === undefined ? 200 : 201;
  return { kind: "object", code, object: changed.object, presentation: served.presentation };
}
