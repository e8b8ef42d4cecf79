// Registry: what becomes of an object when another version is to replace it, whole or through a subresource; and the conditions that a version or
// uid in the new one are.
import {
  childPath,
  fieldPath,
  invalidFault,
  type KubernetesObject,
  newBadRequest,
  newConflict,
  newInvalid,
  newStatusError,
} from "@kubeloop/core/api";
import type { Draft, SubresourceRules } from "../../kinds/kind-rules.ts";
import { unsignedFault, type WriteOptions } from "../options/request-options.ts";
import { admissionAttributesOf } from "./admission-attributes.ts";
import { managerOf } from "./field-managers.ts";
import { type Change, staleVersion, storageFault } from "./guaranteed-update.ts";
import { sameButForTimes } from "./managed-times.ts";
import { hasStatus, plainStatusRules, prepareChanged, prepareThroughSubresource } from "./prepare-write.ts";
import { planReservations } from "./reservations.ts";
import { ruleContextOf, storageKeyOf, type WriteContext } from "./write-context.ts";

/** What becomes of an object when this is to replace it. The draft has the current version. */
export async function decideUpdate(
  context: WriteContext,
  draft: Draft<KubernetesObject>,
  current: KubernetesObject,
  options: WriteOptions,
): Promise<Change> {
  const { server, yieldBudget } = context;
  const { isDryRun } = options;
  const ruleContext = ruleContextOf(context, isDryRun);
  const manager = managerOf(options.fieldManager, context.userAgent);
  const recording = server.fieldManagers.record({ context, draft, old: current, manager });
  if (recording !== undefined) await recording;
  if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
  const admitted = { operation: "UPDATE", object: draft, oldObject: current, options, isDryRun } as const;
  const attributes = admissionAttributesOf(context, admitted);
  await server.admission.admit(attributes);
  const reservation = await planReservations({ context, operation: "UPDATE", draft, old: current, isDryRun });
  const through = subresourceRules(context);
  if (through === undefined) prepareChanged(context, draft, current, ruleContext);
  else prepareThroughSubresource(context, { draft, old: current, rules: through }, ruleContext);
  if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
  await server.admission.validate(attributes);
  // The last finalizer is gone, perhaps by an earlier write, and deletion was asked for before.
  const isEnd = endsHere(draft, current) && context.served.rules.deletion?.isHeld?.(draft) !== true;
  if (!isEnd && sameButForTimes(draft, current)) return { kind: "keep", answer: current };
  if (isEnd) return { kind: "delete", answer: draft, reservation };
  return { kind: "write", draft, reservation };
}

/** Undefined for the object itself. */
function subresourceRules({ served, subresource }: WriteContext): SubresourceRules<KubernetesObject> | undefined {
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

export function matchName({ name: asked }: WriteContext, draft: Identified): void {
  const { name = "" } = draft.metadata;
  if (name === "") {
    throw newBadRequest(`the name of the object (${asked} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== asked) {
    throw newBadRequest(`the name of the object (${name}) does not match the name on the URL (${asked})`);
  }
}

/** A uid in the body is a precondition. */
export function checkUid(context: WriteContext, { metadata }: Identified, current: KubernetesObject | undefined): void {
  const { served, name } = context;
  const { uid = "" } = metadata;
  const held = current?.metadata.uid ?? "";
  if (uid === "" || uid === held) return;
  throw newConflict(served.groupResource, name, {
    detail: storageFault(storageKeyOf(context, name), `UID in precondition: ${uid}, UID in object meta: ${held}`),
  });
}

/** Gives the draft the version it replaces. */
export function checkVersion(
  context: WriteContext,
  { metadata }: Draft<KubernetesObject>,
  current: KubernetesObject,
): void {
  const { served, name } = context;
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
    throw newInvalid({ group, kind: resource }, name, { faults });
  }
  if (given !== held) throw staleVersion(context, name);
}
