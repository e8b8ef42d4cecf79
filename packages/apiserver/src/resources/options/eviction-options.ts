// How an eviction says that its pod is to be deleted: by options of its own, and by the query of the request.
import {
  childPath,
  fieldPath,
  invalidFault,
  newInvalid,
  newStatusError,
  type policyv1,
  type Query,
} from "@kubeloop/core/api";
import { type DeleteOptions, type OptionsBody, plainDeleteOptions } from "./delete-options.ts";

/** Not checked yet as options of a deletion. Throws 422 for what no eviction may ask for, 500 where the two contradict each other. */
export function evictionOptionsOf({ metadata, deleteOptions = {} }: policyv1.Eviction, query: Query): DeleteOptions {
  refuseReadErrors(metadata?.name ?? "", deleteOptions);
  const asked = query.filter(([name]) => name === "dryRun").map(([, value]) => value);
  const own = deleteOptions.dryRun ?? [];
  if (asked.length > 0 && own.length > 0 && asked.join() !== own.join()) {
    const lists = [asked, own].map((values) => `[${values.join(" ")}]`).join(" and ");
    const message = `Non-matching dry-run options in request and content: ${lists}`;
    throw newStatusError({ code: 500, reason: "", message });
  }
  const given = plainDeleteOptions(deleteOptions as OptionsBody);
  return { ...given, isDryRun: given.isDryRun || asked.length > 0 };
}

const unreadable = "ignoreStoreReadErrorWithClusterBreakingPotential";

function refuseReadErrors(name: string, deleteOptions: NonNullable<policyv1.Eviction["deleteOptions"]>): void {
  if (deleteOptions[unreadable] !== true) return;
  const path = childPath(fieldPath("deleteOptions"), unreadable);
  const faults = [invalidFault(path, true, "can not be set for pod eviction, try after removing the option")];
  throw newInvalid({ group: "policy", kind: "Eviction" }, name, { faults });
}
