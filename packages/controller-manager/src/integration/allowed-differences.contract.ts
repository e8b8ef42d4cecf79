// In which fields what our manager leaves may differ from what upstream's leaves: a list with reasons, in allowed-differences.facts.json. What users
// and other controllers act on may not: spec, status, owner references, finalizers, and the reasons of events.
import { isDeepStrictEqual } from "node:util";
import type { NormalForm } from "./normal-form.contract.ts";

export interface AllowedDifference {
  /** As in the normal form: "pods", "replicasets.apps". */
  readonly resource: string;
  /** Names joined by dots: "metadata.annotations". */
  readonly field: string;
  readonly reason: string;
}

const neverAllowed = ["spec", "status", "metadata.ownerReferences", "metadata.finalizers"];

/** What is wrong with a list, as sentences. */
export function faultsOf(allowed: readonly AllowedDifference[]): readonly string[] {
  return allowed.flatMap(({ resource, field, reason }) => {
    const isWithin = (other: string) =>
      field === other || field.startsWith(`${other}.`) || other.startsWith(`${field}.`);
    const what = `${resource} ${field}`;
    return [
      ...(neverAllowed.some(isWithin) ? [`${what} may not differ`] : []),
      ...(resource === "events" && field !== "message" ? [`${what}: only messages of events may differ`] : []),
      ...(reason.trim() === "" ? [`${what} has no reason`] : []),
    ];
  });
}

/** The form without the fields in which it may differ. */
export function withoutAllowed(form: NormalForm, allowed: readonly AllowedDifference[]): NormalForm {
  return Object.fromEntries(
    Object.entries(form).map(([resource, objects]) => {
      const fields = allowed.filter((each) => each.resource === resource).map(({ field }) => field.split("."));
      return [resource, objects.map((object) => fields.reduce<Json>(withoutField, object))];
    }),
  );
}

/** Those without which these two would differ. */
export function neededOf(
  allowed: readonly AllowedDifference[],
  mine: NormalForm,
  theirs: NormalForm,
): readonly AllowedDifference[] {
  return allowed.filter((each) => {
    const others = allowed.filter((other) => other !== each);
    return !isDeepStrictEqual(withoutAllowed(mine, others), withoutAllowed(theirs, others));
  });
}

type Json = { readonly [field: string]: unknown };

function withoutField(object: Json, [first = "", ...rest]: readonly string[]): Json {
  const { [first]: value, ...others } = object;
  if (rest.length === 0 || typeof value !== "object" || value === null) return rest.length === 0 ? others : object;
  return { ...others, [first]: withoutField(value as Json, rest) };
}
