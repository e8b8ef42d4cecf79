// Conditions in the form all newer kinds share.
import type { metav1 } from "@kubeloop/core/api";
import { checkLabelName } from "./labels.ts";
import type { ValidationPath } from "./validation-path.ts";

const longestReason = 1024;
const longestMessage = 32 * 1024;
const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonText = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${reasonPattern}')`;

export function checkConditions(conditions: readonly metav1.Condition[] | undefined, fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const [i, condition] of (conditions ?? []).entries()) {
    const itemPath = fldPath.item(i);
    if (seen.has(condition.type)) itemPath.at("type").duplicate(condition.type);
    seen.add(condition.type);
    checkCondition(condition, itemPath);
  }
}

function checkCondition(condition: metav1.Condition, fldPath: ValidationPath): void {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  checkLabelName(type, fldPath.at("type"));
  const statuses = ["False", "True", "Unknown"];
  if (!statuses.includes(status)) fldPath.at("status").notSupported(status, statuses);
  if (observedGeneration < 0) {
    fldPath.at("observedGeneration").invalid(observedGeneration, "must be greater than or equal to zero");
  }
  if ((lastTransitionTime ?? null) === null) fldPath.at("lastTransitionTime").required();
  const reasonPath = fldPath.at("reason");
  if (reason === "") {
    reasonPath.required();
  } else {
    if (!new RegExp(`^${reasonPattern}$`).test(reason)) reasonPath.invalid(reason, reasonText);
    if (Buffer.byteLength(reason) > longestReason) reasonPath.tooLong(longestReason);
  }
  if (Buffer.byteLength(message) > longestMessage) fldPath.at("message").tooLong(longestMessage);
}
