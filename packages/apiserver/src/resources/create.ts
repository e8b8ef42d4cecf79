// POST: a new object, under its own name or one the server makes up.
import {
  generateName,
  type KubernetesObject,
  newAlreadyExists,
  newBadRequest,
  newGenerateNameConflict,
  newStatusError,
  StatusError,
  validatePathSegmentName,
} from "@kubeloop/core/api";
import type { Draft } from "../kinds/kind-rules.ts";
import type { Place } from "../storage/storage.ts";
import type { Answer } from "../wire/answer.ts";
import { inOrder } from "./change-object.ts";
import { managerOf } from "./field-managers.ts";
import { dedupeOwners } from "./object-meta.ts";
import { fillSystemFields, prepareNew, wipeSystemFields } from "./prepare-write.ts";
import { readObject } from "./read-object.ts";
import { type WriteOptions, writeOptionsOf } from "./request-options.ts";
import { placeOf, type RequestScope, ruleContextOf } from "./request-scope.ts";
import { completeThroughSteps, mutateThroughSteps } from "./run-steps.ts";
import { refuseTooLarge } from "./storage-limit.ts";

const generateAttempts = 8;

export async function create(scope: RequestScope): Promise<Answer> {
  const options = writeOptionsOf(scope.request.query, "CreateOptions");
  const draft = await readObject(scope, options);
  wipeSystemFields(draft);
  matchNamespace(scope, draft);
  dedupe(scope, draft);
  const object = await createObject(scope, draft, options);
  return { kind: "object", code: 201, object, presentation: scope.served.presentation };
}

/** Stores a new object that was decoded and defaulted; also for updates and patches that may create. */
export async function createObject(
  scope: RequestScope,
  draft: Draft<KubernetesObject>,
  options: WriteOptions,
): Promise<KubernetesObject> {
  const { generateName: prefix = "", name = "" } = draft.metadata;
  if (prefix === "" || name !== "") return await tryCreate(scope, draft, options);
  draft.metadata.name = await freeName(scope, prefix);
  return await tryCreate(scope, draft, options);
}

/** Chosen before anything is made of it: preparation leaves traces of the name. Who is beaten to it may well ask again. */
async function freeName(scope: RequestScope, prefix: string): Promise<string> {
  const { served, server } = scope;
  for (let attempt = 1; ; attempt++) {
    const name = generateName(prefix, server.random);
    // One that can be no name is refused later, with all else that is wrong.
    if (validatePathSegmentName(name).length > 0) return name;
    if ((await server.storage.get(placeOf(scope, name))) === undefined) return name;
    if (attempt === generateAttempts) {
      throw newGenerateNameConflict(served.groupResource, name, { retryAfterSeconds: 1 });
    }
  }
}

async function tryCreate(
  scope: RequestScope,
  draft: Draft<KubernetesObject>,
  options: WriteOptions,
): Promise<KubernetesObject> {
  const { isDryRun } = options;
  const { server, breath } = scope;
  const context = ruleContextOf(scope, isDryRun);
  const manager = managerOf(options.fieldManager, scope.request);
  server.fieldManagers.record({ scope, draft, old: undefined, manager });
  if (breath.isLongSince()) await breath.take();
  const pending = { scope, operation: "CREATE", draft, old: undefined, isDryRun } as const;
  await mutateThroughSteps(pending);
  fillSystemFields(draft, { uid: server.newUid(), nowMs: context.nowMs });
  prepareNew(scope, draft, context);
  // Where nothing is stored, nobody looks at it.
  if (!isDryRun) refuseVersion(draft);
  if (breath.isLongSince()) await breath.take();
  for (;;) {
    scope.signal.throwIfAborted();
    const place = placeOf(scope, draft.metadata.name ?? "");
    const existing = await server.storage.get(place);
    if (existing !== undefined) throw existsAlready(scope, existing);
    const extra = await completeThroughSteps(pending);
    const object = inOrder(draft) as KubernetesObject;
    if (isDryRun) return object;
    await refuseTooLarge(object, scope);
    const result = await server.storage.write([{ ...place, expected: 0, object }, ...extra]);
    if (result.kind === "written") return result.objects[0] as KubernetesObject;
    // Somebody was quicker: with this object, or with what one of the steps wanted to write.
    if (isAt(result.place, place) && result.current !== undefined) throw existsAlready(scope, result.current);
  }
}

const isAt = (a: Place, b: Place) => a.collection === b.collection && a.key === b.key;

function existsAlready({ served }: RequestScope, existing: KubernetesObject): StatusError {
  const name = existing.metadata.name ?? "";
  const error = newAlreadyExists(served.groupResource, name);
  if (existing.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.status.message ?? ""}` });
}

/** A version means that the sender believes it exists. What is no number, or 0, is passed over. */
function refuseVersion({ metadata }: Draft<KubernetesObject>): void {
  const { resourceVersion = "" } = metadata;
  if (/^\d+$/.test(resourceVersion) && Number(resourceVersion) !== 0) {
    throw newStatusError({
      code: 500,
      reason: "",
      message: "resourceVersion should not be set on objects to be created",
    });
  }
  delete metadata.resourceVersion;
}

/** The object's namespace is the request's; what lives in none loses one that was given. */
export function matchNamespace({ served, info }: RequestScope, draft: Draft<KubernetesObject>): void {
  const expected = served.resource.namespaced ? info.namespace : "";
  const { namespace = "" } = draft.metadata;
  if (expected === "") delete draft.metadata.namespace;
  else if (namespace === "") draft.metadata.namespace = expected;
  else if (namespace !== expected) {
    throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

export function dedupe({ warnings }: RequestScope, draft: Draft<KubernetesObject>): void {
  const { ownerReferences } = draft.metadata;
  if (ownerReferences === undefined) return;
  const kept = dedupeOwners(ownerReferences);
  if (kept === ownerReferences) return;
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { uid } of ownerReferences) (seen.has(uid) ? twice : seen).add(uid);
  const uids = [...twice].join(", ");
  warnings.add(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
  draft.metadata.ownerReferences = [...kept];
}
