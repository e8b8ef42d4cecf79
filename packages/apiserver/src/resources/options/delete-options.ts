// How an object is to be deleted, from the body or the query, checked.
import { type Fault, fieldPath, invalidFault, notSupportedFault, type Query, queryValue } from "@kubeloop/core/api";
import type { Propagation } from "../../kinds/kind-rules.ts";
import { dryRunFaults, readBoolean, readInteger, refuse } from "./request-options.ts";

export interface DeleteOptions {
  readonly graceSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagation: Propagation | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly isDryRun: boolean;
}

/** The shape a body may have: DeleteOptions of meta/v1. */
export interface OptionsBody {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly dryRun?: readonly string[];
}

/** `body` is undefined where the request has none. Throws 422. */
export function deleteOptionsOf(body: OptionsBody | undefined, query: Query): DeleteOptions {
  return toDeleteOptions(body ?? queryOptions(query));
}

/** Throws 422. */
function toDeleteOptions(given: OptionsBody): DeleteOptions {
  checkDeleteOptions(given);
  return plainDeleteOptions(given);
}

/** Throws 422. */
export function checkDeleteOptions(given: OptionsBody): void {
  refuse("DeleteOptions", faultsOf(given));
}

export function plainDeleteOptions(given: OptionsBody): DeleteOptions {
  const { preconditions, propagationPolicy, orphanDependents, dryRun = [] } = given;
  const { gracePeriodSeconds: asked } = given;
  return {
    graceSeconds: asked !== undefined && asked < 0 ? 1 : asked,
    uid: preconditions?.uid,
    resourceVersion: preconditions?.resourceVersion,
    propagation: propagationPolicy as Propagation | undefined,
    orphanDependents,
    isDryRun: dryRun.length > 0,
  };
}

function faultsOf({ propagationPolicy, orphanDependents, dryRun = [] }: OptionsBody): Fault[] {
  const faults: Fault[] = [];
  const path = fieldPath("propagationPolicy");
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    faults.push(invalidFault(path, propagationPolicy, why));
  }
  const known = ["Foreground", "Background", "Orphan"];
  if (propagationPolicy !== undefined && !known.includes(propagationPolicy)) {
    faults.push(notSupportedFault(path, propagationPolicy, [...known, "nil"]));
  }
  return [...faults, ...dryRunFaults(dryRun)];
}

function queryOptions(query: Query): OptionsBody {
  const grace = readInteger(query, "gracePeriodSeconds");
  const orphanDependents = readBoolean(query, "orphanDependents");
  const policy = queryValue(query, "propagationPolicy");
  const uid = queryValue(query, "uid") ?? "";
  const resourceVersion = queryValue(query, "resourceVersion") ?? "";
  const preconditions = {
    ...(uid === "" ? {} : { uid }),
    ...(resourceVersion === "" ? {} : { resourceVersion }),
  };
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    preconditions,
    dryRun: query.filter(([name]) => name === "dryRun").map(([, value]) => value),
  };
}
