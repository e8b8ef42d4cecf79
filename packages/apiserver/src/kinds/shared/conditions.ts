// Conditions in the form all newer kinds share.
import type { metav1 } from "@kubeloop/core/api";
import type { FaultPlace } from "./fault-place.ts";
import { checkLabelName } from "./labels.ts";

const longestReason = 1024;
const longestMessage = 32 * 1024;
const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonText = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${reasonPattern}')`;

export function checkConditions(conditions: readonly metav1.Condition[] | undefined, place: FaultPlace): void {
  const seen = new Set<string>();
  for (const [i, condition] of (conditions ?? []).entries()) {
    const itemPlace = place.item(i);
    if (seen.has(condition.type)) itemPlace.at("type").duplicate(condition.type);
    seen.add(condition.type);
    checkCondition(condition, itemPlace);
  }
}

function checkCondition(condition: metav1.Condition, place: FaultPlace): void {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  checkLabelName(type, place.at("type"));
  const statuses = ["False", "True", "Unknown"];
  if (!statuses.includes(status)) place.at("status").notSupported(status, statuses);
  if (observedGeneration < 0) {
    place.at("observedGeneration").invalid(observedGeneration, "must be greater than or equal to zero");
  }
  if ((lastTransitionTime ?? null) === null) place.at("lastTransitionTime").required();
  const reasonPlace = place.at("reason");
  if (reason === "") {
    reasonPlace.required();
  } else {
    if (!new RegExp(`^${reasonPattern}$`).test(reason)) reasonPlace.invalid(reason, reasonText);
    if (Buffer.byteLength(reason) > longestReason) reasonPlace.tooLong(longestReason);
  }
  if (Buffer.byteLength(message) > longestMessage) place.at("message").tooLong(longestMessage);
}
