// DELETE of one object, and of a collection.
import { isNotFound, type KubernetesObject, newForbidden, newNotFound } from "@kubeloop/core/api";
import { Breath } from "../storage/breath.ts";
import type { Answer } from "../wire/answer.ts";
import { type Change, changeObject } from "./change-object.ts";
import { checkPreconditions, decideDelete } from "./decide-delete.ts";
import { type DeleteOptions, deleteOptionsOf } from "./delete-options.ts";
import { selectObjects } from "./list.ts";
import { listOptionsOf } from "./request-options.ts";
import { placeOf, type RequestScope } from "./request-scope.ts";
import { completeThroughSteps } from "./run-steps.ts";

const neverAborted = new AbortController().signal;

export async function remove(scope: RequestScope): Promise<Answer> {
  const options = await deleteOptionsOf(scope);
  warnOfSilence(scope, options);
  const { object, isGone } = await removeObject(scope, scope.info.name, options);
  const { served } = scope;
  // Only who says that dependents are not to be orphaned hears that it is not over.
  const code = !isGone && options.orphanDependents === false ? 202 : 200;
  if (!isGone || served.rules.deletion?.answersWithObject === true) {
    return { kind: "object", code, object, presentation: served.presentation };
  }
  return { kind: "plain", code, object: goneStatus(scope, object) };
}

function warnOfSilence({ served, warnings }: RequestScope, options: DeleteOptions): void {
  const { silenceWarning } = served.rules.deletion ?? {};
  const isSilent = options.propagation === undefined && options.orphanDependents === undefined;
  if (silenceWarning !== undefined && isSilent) warnings.add(silenceWarning);
}

export interface Removed {
  readonly object: KubernetesObject;
  readonly isGone: boolean;
}

/** Deletes by the rules; throws 404, 409 and 403. */
export async function removeObject(scope: RequestScope, name: string, options: DeleteOptions): Promise<Removed> {
  const { served, server } = scope;
  const { deletion } = served.rules;
  // What the last decision came to: a pod is told in one version that it goes, and is gone in the next.
  const last: { outcome: "gone" | "told" | "stays" } = { outcome: "stays" };
  const decide = async (current: KubernetesObject | undefined): Promise<Change> => {
    if (current === undefined) throw newNotFound(served.groupResource, name);
    const forbidden = deletion?.forbids?.(current);
    if (forbidden !== undefined) throw newForbidden(served.groupResource, name, { detail: forbidden });
    checkPreconditions(current, options);
    const decision = decideDelete(current, options, { rules: deletion, nowMs: server.clock.now() });
    switch (decision.kind) {
      case "already":
        last.outcome = "stays";
        return { kind: "keep", answer: current };
      case "marked":
        last.outcome = "stays";
        return { kind: "write", draft: decision.draft };
      case "gone":
        last.outcome = decision.marked === undefined ? "gone" : "told";
        return decision.marked === undefined
          ? takeAway(scope, current, current, options)
          : { kind: "write", draft: decision.marked };
    }
  };
  const place = placeOf(scope, name);
  const { object } = await changeObject(scope, place, decide, options);
  if (last.outcome !== "told") return { object, isGone: last.outcome === "gone" };
  const finish = async (current: KubernetesObject | undefined): Promise<Change> =>
    // Somebody else may have been quicker, or have made a new one since.
    current === undefined || current.metadata.uid !== object.metadata.uid
      ? { kind: "keep", answer: object }
      : takeAway(scope, current, object, options);
  // Also for a client that has gone by now: a pod that was told would stay for ever, because nobody deletes it a second time.
  await changeObject({ ...scope, signal: neverAborted }, place, finish, options);
  return { object, isGone: true };
}

async function takeAway(
  scope: RequestScope,
  current: KubernetesObject,
  answer: KubernetesObject,
  { isDryRun }: DeleteOptions,
): Promise<Change> {
  const pending = { scope, operation: "DELETE", draft: undefined, old: current, isDryRun } as const;
  return { kind: "delete", answer, extra: await completeThroughSteps(pending) };
}

/** Everything that a list would show, one after the other; the answer is that list. What the options say holds for each. */
export async function removeCollection(scope: RequestScope): Promise<Answer> {
  const listing = listOptionsOf(scope.request.query, false);
  const options = await deleteOptionsOf(scope);
  warnOfSilence(scope, options);
  const list = await selectObjects(scope, listing);
  const breath = new Breath(scope.server.clock, scope.signal);
  for (const { metadata } of list.objects) {
    if (breath.isLongSince()) await breath.take();
    const { name = "", namespace = "" } = metadata;
    const one = { ...scope, info: { ...scope.info, namespace, name } };
    try {
      await removeObject(one, name, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return { kind: "list", list, presentation: scope.served.presentation };
}

function goneStatus({ served }: RequestScope, { metadata }: KubernetesObject): object {
  const { group, resource } = served.groupResource;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: metadata.name, ...(group === "" ? {} : { group }), kind: resource, uid: metadata.uid },
  };
}
