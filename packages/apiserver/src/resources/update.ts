// PUT: the whole object anew, on the version the sender has seen; or whatever there is, where its kind allows that and no version was
// given. Some kinds come into being this way.
import {
  childPath,
  fieldPath,
  invalidFault,
  type KubernetesObject,
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
  newStatusError,
} from "@kubeloop/core/api";
import type { Draft, SubresourceRules } from "../kinds/kind-rules.ts";
import type { Answer } from "../wire/answer.ts";
import { type Change, changeObject, staleVersion, storageFault } from "./change-object.ts";
import { createObject, dedupe, matchNamespace } from "./create.ts";
import { managerOf } from "./field-managers.ts";
import { sameButForTimes } from "./managed-times.ts";
import { hasStatus, plainStatusRules, prepareChanged, prepareThroughSubresource } from "./prepare-write.ts";
import { readDrafts } from "./read-object.ts";
import { unsignedFault, type WriteOptions, writeOptionsOf } from "./request-options.ts";
import { placeOf, type RequestScope, ruleContextOf } from "./request-scope.ts";
import { completeThroughSteps, mutateThroughSteps } from "./run-steps.ts";

export async function update(scope: RequestScope): Promise<Answer> {
  const { served, info } = scope;
  const options = writeOptionsOf(scope.request.query, "UpdateOptions");
  const read = await readDrafts(scope, options);
  const fresh = async () => {
    const draft = await read();
    matchNamespace(scope, draft);
    matchName(scope, draft);
    dedupe(scope, draft);
    return draft;
  };
  // Each attempt has its own, for preparation changes it; few need a second.
  let unused: Draft<KubernetesObject> | undefined = await fresh();
  const place = placeOf(scope, info.name);
  const mayCreate = served.rules.createsOnUpdate === true && scope.subresource === undefined;
  let created: KubernetesObject | undefined;
  const changed = await changeObject(
    scope,
    place,
    async (current) => {
      const draft = unused ?? (await fresh());
      unused = undefined;
      if (current === undefined) {
        if (!mayCreate) throw newNotFound(served.groupResource, info.name);
        checkUid(scope, draft, undefined);
        // There is nothing it could be the version of.
        delete draft.metadata.resourceVersion;
        created = await createObject(scope, draft, options);
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

/** What becomes of an object when this is to replace it. The draft has the current version. */
export async function decideUpdate(
  scope: RequestScope,
  draft: Draft<KubernetesObject>,
  current: KubernetesObject,
  options: WriteOptions,
): Promise<Change> {
  const { server, breath } = scope;
  const context = ruleContextOf(scope, options.isDryRun);
  const manager = managerOf(options.fieldManager, scope.request);
  server.fieldManagers.record({ scope, draft, old: current, manager });
  if (breath.isLongSince()) await breath.take();
  const pending = { scope, operation: "UPDATE", draft, old: current, isDryRun: options.isDryRun } as const;
  await mutateThroughSteps(pending);
  const through = subresourceRules(scope);
  if (through === undefined) prepareChanged(scope, draft, current, context);
  else prepareThroughSubresource(scope, { draft, old: current, rules: through }, context);
  if (breath.isLongSince()) await breath.take();
  // The last finalizer is gone, perhaps by an earlier write, and deletion was asked for before.
  const isEnd = endsHere(draft, current) && scope.served.rules.deletion?.isHeld?.(draft) !== true;
  if (!isEnd && sameButForTimes(draft, current)) return { kind: "keep", answer: current };
  const extra = await completeThroughSteps(pending);
  if (isEnd) return { kind: "delete", answer: draft, extra };
  return { kind: "write", draft, extra };
}

/** Undefined for the object itself. */
function subresourceRules({ served, subresource }: RequestScope): SubresourceRules<KubernetesObject> | undefined {
  if (subresource === undefined) return undefined;
  const own = served.rules.subresources?.[subresource.name];
  if (own !== undefined) return own;
  if (subresource.name === "status" && hasStatus(served)) return plainStatusRules;
  throw newStatusError({ code: 405, reason: "MethodNotAllowed", message: `no rules for ${subresource.name}` });
}

function endsHere(draft: Draft<KubernetesObject>, { metadata }: KubernetesObject): boolean {
  if ((draft.metadata.finalizers ?? []).length > 0 || metadata.deletionTimestamp === undefined) return false;
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

type Identified = { readonly metadata: Pick<KubernetesObject["metadata"], "name" | "uid"> };

export function matchName({ info }: RequestScope, draft: Identified): void {
  const { name = "" } = draft.metadata;
  if (name === "") {
    throw newBadRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== info.name) {
    throw newBadRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
}

/** A uid in the body is a precondition. */
export function checkUid(scope: RequestScope, { metadata }: Identified, current: KubernetesObject | undefined): void {
  const { served, info } = scope;
  const { uid = "" } = metadata;
  const held = current?.metadata.uid ?? "";
  if (uid === "" || uid === held) return;
  throw newConflict(served.groupResource, info.name, {
    detail: storageFault(placeOf(scope, info.name), `UID in precondition: ${uid}, UID in object meta: ${held}`),
  });
}

/** Gives the draft the version it replaces. */
export function checkVersion(
  scope: RequestScope,
  { metadata }: Draft<KubernetesObject>,
  current: KubernetesObject,
): void {
  const { served, info } = scope;
  const held = current.metadata.resourceVersion as string;
  const given = metadata.resourceVersion ?? "";
  const fault = given === "" ? undefined : unsignedFault(given);
  if (fault !== undefined) throw newStatusError({ code: 500, reason: "", message: fault });
  const isGiven = given !== "" && Number(given) !== 0;
  if (!isGiven) {
    if (served.rules.needsVersionOnUpdate !== true) {
      metadata.resourceVersion = held;
      return;
    }
    const path = childPath(fieldPath("metadata"), "resourceVersion");
    const faults = [invalidFault(path, 0, "must be specified for an update")];
    // Upstream's oddity: the resource stands where the kind should.
    const { group, resource } = served.groupResource;
    throw newInvalid({ group, kind: resource }, info.name, { faults });
  }
  if (given !== held) throw staleVersion(scope, info.name);
}
