// Registry: stores a new object that was decoded and defaulted, under its own name or one the server makes up.
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
import type { Draft } from "../../kinds/kind-rules.ts";
import type { StorageKey } from "../../storage/storage.ts";
import type { WriteOptions } from "../options/request-options.ts";
import { admissionAttributesOf } from "./admission-attributes.ts";
import { managerOf } from "./field-managers.ts";
import { inOrder } from "./guaranteed-update.ts";
import { dedupeOwners } from "./object-meta.ts";
import { fillSystemFields, prepareNew } from "./prepare-write.ts";
import { planReservations, type Reservation } from "./reservations.ts";
import { RetryBudget } from "./retry-budget.ts";
import { refuseTooLarge } from "./storage-limit.ts";
import { ruleContextOf, storageKeyOf, type WriteContext } from "./write-context.ts";

const generateAttempts = 8;

/** Stores a new object that was decoded and defaulted; also for updates and patches that may create. */
export async function createObject(
  context: WriteContext,
  draft: Draft<KubernetesObject>,
  options: WriteOptions,
): Promise<KubernetesObject> {
  const { isDryRun } = options;
  const { server, yieldBudget } = context;
  const ruleContext = ruleContextOf(context, isDryRun);
  const manager = managerOf(options.fieldManager, context.userAgent);
  const recording = server.fieldManagers.record({ context, draft, old: undefined, manager });
  if (recording !== undefined) await recording;
  if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
  const attributes = admissionAttributesOf(context, { operation: "CREATE", object: draft, options, isDryRun });
  await server.admission.admit(attributes);
  dedupeOwnerReferences(context, draft);
  await chooseName(context, draft);
  const pending = { context, operation: "CREATE", draft, old: undefined, isDryRun } as const;
  const reservation = await planReservations(pending);
  fillSystemFields(draft, { uid: server.newUid(), nowMs: ruleContext.nowMs });
  prepareNew(context, draft, ruleContext);
  // Where nothing is stored, nobody looks at it.
  if (!isDryRun) refuseVersion(draft);
  if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
  await server.admission.validate(attributes);
  return await storeNew(context, draft, reservation, isDryRun);
}

/** A name the server makes up is chosen before anything is made of it: preparation leaves traces of the name. Who is beaten to it may ask again. */
async function chooseName(context: WriteContext, draft: Draft<KubernetesObject>): Promise<void> {
  const { generateName: prefix = "", name = "" } = draft.metadata;
  if (prefix !== "" && name === "") draft.metadata.name = await freeName(context, prefix);
}

async function freeName(context: WriteContext, prefix: string): Promise<string> {
  const { served, server } = context;
  for (let attempt = 1; ; attempt++) {
    const name = generateName(prefix, server.random);
    // One that can be no name is refused later, with all else that is wrong.
    if (validatePathSegmentName(name).length > 0) return name;
    if ((await server.storage.get(storageKeyOf(context, name))) === undefined) return name;
    if (attempt === generateAttempts) {
      throw newGenerateNameConflict(served.groupResource, name, { retryAfterSeconds: 1 });
    }
  }
}

async function storeNew(
  context: WriteContext,
  draft: Draft<KubernetesObject>,
  reservation: Reservation,
  isDryRun: boolean,
): Promise<KubernetesObject> {
  const { storage } = context.server;
  const retries = new RetryBudget(context);
  for (;;) {
    await retries.next();
    const storageKey = storageKeyOf(context, draft.metadata.name ?? "");
    const existing = await storage.get(storageKey);
    if (existing !== undefined) throw existsAlready(context, existing);
    const extra = await reservation.writes();
    const object = inOrder(draft) as KubernetesObject;
    if (isDryRun) return object;
    await refuseTooLarge(object, context);
    const result = await storage.write([{ ...storageKey, expected: 0, object }, ...extra]);
    if (result.kind === "written") return result.objects[0] as KubernetesObject;
    // Somebody was quicker: with this object, or with what was to be reserved.
    if (isAt(result.storageKey, storageKey) && result.current !== undefined)
      throw existsAlready(context, result.current);
  }
}

const isAt = (a: StorageKey, b: StorageKey) => a.collection === b.collection && a.key === b.key;

function existsAlready({ served }: WriteContext, existing: KubernetesObject): StatusError {
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
export function matchNamespace({ served, namespace: given }: WriteContext, draft: Draft<KubernetesObject>): void {
  const expected = served.resource.namespaced ? given : "";
  const { namespace = "" } = draft.metadata;
  if (expected === "") delete draft.metadata.namespace;
  else if (namespace === "") draft.metadata.namespace = expected;
  else if (namespace !== expected) {
    throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

export function dedupeOwnerReferences({ warnings }: WriteContext, draft: Draft<KubernetesObject>): void {
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
