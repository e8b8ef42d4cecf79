// DELETE of one object, and of a collection.
import { isNotFound, type KubernetesObject } from "@kubeloop/core/api";
import { RequestYieldBudget } from "../../storage/request-yield-budget.ts";
import type { Answer } from "../../wire/answer.ts";
import { type DeleteOptions, deleteOptionsOf, type OptionsBody } from "../options/delete-options.ts";
import { listOptionsOf } from "../options/request-options.ts";
import { deleteObject } from "../registry/delete-object.ts";
import { readOptionsBody } from "./read-object.ts";
import type { RequestScope } from "./request-scope.ts";
import { selectObjects } from "./select-objects.ts";

export async function remove(scope: RequestScope): Promise<Answer> {
  const options = await readDeleteOptions(scope);
  warnOfSilence(scope, options);
  const { object, isGone } = await deleteObject(scope, scope.info.name, options);
  const { served } = scope;
  // Only who says that dependents are not to be orphaned hears that it is not over.
  const code = !isGone && options.orphanDependents === false ? 202 : 200;
  if (!isGone || served.rules.deletion?.answersWithObject === true) {
    return { kind: "object", code, object, presentation: served.presentation };
  }
  return { kind: "plain", code, object: goneStatus(scope, object) };
}

async function readDeleteOptions(scope: RequestScope): Promise<DeleteOptions> {
  const body = (await readOptionsBody(scope)) as OptionsBody | undefined;
  return deleteOptionsOf(body, scope.request.query);
}

function warnOfSilence({ served, warnings }: RequestScope, options: DeleteOptions): void {
  const { silenceWarning } = served.rules.deletion ?? {};
  const isSilent = options.propagation === undefined && options.orphanDependents === undefined;
  if (silenceWarning !== undefined && isSilent) warnings.add(silenceWarning);
}

/** Everything that a list would show, one after the other; the answer is that list. What the options say holds for each. */
export async function removeCollection(scope: RequestScope): Promise<Answer> {
  const listing = listOptionsOf(scope.request.query, false);
  const options = await readDeleteOptions(scope);
  warnOfSilence(scope, options);
  const list = await selectObjects(scope, listing);
  const yieldBudget = new RequestYieldBudget(scope.server.clock, scope.signal);
  for (const { metadata } of list.objects) {
    if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
    const { name = "", namespace = "" } = metadata;
    try {
      await deleteObject({ ...scope, namespace }, name, options);
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
