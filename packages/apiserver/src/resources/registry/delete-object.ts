// Registry: deletes an object by the rules of its kind: at once, or by marking it and leaving the rest to those who hold it.
import { type KubernetesObject, newForbidden, newNotFound } from "@kubeloop/core/api";
import type { DeleteOptions } from "../options/delete-options.ts";
import { admitAndValidate } from "./admission-attributes.ts";
import { checkPreconditions, decideDelete } from "./decide-delete.ts";
import { type Change, guaranteedUpdate } from "./guaranteed-update.ts";
import { planReservations } from "./reservations.ts";
import { storageKeyOf, type WriteContext } from "./write-context.ts";

const neverAborted = new AbortController().signal;

export interface Removed {
  readonly object: KubernetesObject;
  readonly isGone: boolean;
}

/** Deletes by the rules; throws 404, 409 and 403. */
export async function deleteObject(context: WriteContext, name: string, options: DeleteOptions): Promise<Removed> {
  const { served, server } = context;
  const { deletion } = served.rules;
  // What the last decision came to: a pod is marked for deletion in one version, and is gone in the next.
  const last: { outcome: "gone" | "marked" | "stays" } = { outcome: "stays" };
  const decide = async (current: KubernetesObject | undefined): Promise<Change> => {
    if (current === undefined) throw newNotFound(served.groupResource, name);
    const forbidden = deletion?.forbids?.(current);
    if (forbidden !== undefined) throw newForbidden(served.groupResource, name, { detail: forbidden });
    checkPreconditions(current, options);
    const decision = decideDelete(current, options, { rules: deletion, nowMs: server.clock.now() });
    if (decision.kind !== "already") await admitDeletion(context, current, options);
    switch (decision.kind) {
      case "already":
        last.outcome = "stays";
        return { kind: "keep", answer: current };
      case "marked":
        last.outcome = "stays";
        return { kind: "write", draft: decision.draft };
      case "gone":
        last.outcome = decision.marked === undefined ? "gone" : "marked";
        return decision.marked === undefined
          ? takeAway(context, current, current, options)
          : { kind: "write", draft: decision.marked };
    }
  };
  const storageKey = storageKeyOf(context, name);
  const { object } = await guaranteedUpdate(context, storageKey, decide, options);
  if (last.outcome !== "marked") return { object, isGone: last.outcome === "gone" };
  const finish = async (current: KubernetesObject | undefined): Promise<Change> =>
    // Somebody else may have been quicker, or have made a new one since.
    current === undefined || current.metadata.uid !== object.metadata.uid
      ? { kind: "keep", answer: object }
      : takeAway(context, current, object, options);
  // Also for a client that has gone by now: a pod that was marked would stay for ever, because nobody deletes it a second time.
  await guaranteedUpdate({ ...context, signal: neverAborted }, storageKey, finish, options);
  return { object, isGone: true };
}

/** Whether it goes at once or is only marked. The attributes have the name of the request: none where a collection is deleted. */
async function admitDeletion(context: WriteContext, current: KubernetesObject, options: DeleteOptions): Promise<void> {
  const { isDryRun } = options;
  await admitAndValidate(context, { operation: "DELETE", oldObject: current, options, isDryRun });
}

async function takeAway(
  context: WriteContext,
  current: KubernetesObject,
  answer: KubernetesObject,
  { isDryRun }: DeleteOptions,
): Promise<Change> {
  const pending = { context, operation: "DELETE", draft: undefined, old: current, isDryRun } as const;
  return { kind: "delete", answer, reservation: await planReservations(pending) };
}
