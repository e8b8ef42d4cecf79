// ValidatingAdmissionPolicy: expressions that must hold of what is written. They are kept as they are: reading them comes with CEL.
import { type admissionregistrationv1, validateQualifiedName } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { validatingAdmissionPolicies } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkOptionalChoice } from "../shared/checks.ts";
import { checkConditions } from "../shared/conditions.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus, keepMetadata } from "../shared/status-metadata.ts";
import { checkMatchConditions, checkVariables, isBlank } from "./check-expressions.ts";
import { checkFailurePolicy, checkMatchConstraints, checkParamKind, setMatchDefaults } from "./match-resources.ts";
import { printParamKind } from "./print-policy.ts";
import { staticNameWarnings } from "./static-names.ts";

type Policy = admissionregistrationv1.ValidatingAdmissionPolicy;
type Spec = admissionregistrationv1.ValidatingAdmissionPolicySpec;

const mostAnnotations = 20;
const longestAnnotation = 5 * 1024;

export const validatingAdmissionPolicyRules: KindRules<Policy> = {
  resource: validatingAdmissionPolicies,
  metadataOnUpdate: ["whole"],
  finalizerNames: "any",
  untouched: { status: [["spec"], ["metadata"]] },
  needsVersionOnUpdate: true,
  generation: "spec",
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.failurePolicy ??= "Fail";
    setMatchDefaults(spec.matchConstraints);
  },
  validate: (policy) => faultsOf(policy),
  validateUpdate: (policy, old) => faultsOf(policy, old),
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  subresources: {
    status: {
      metadataOnUpdate: ["whole"],
      prepareUpdate(draft, old) {
        keepAllButStatus(draft, old);
        keepMetadata(draft.metadata, old.metadata);
      },
      validateUpdate: ({ status }) => collectFaults("status", (place) => checkStatus(status ?? {}, place)),
    },
  },
  printRow: ({ metadata, spec }, { nowMs }) => [
    metadata.name,
    (spec?.validations ?? []).length,
    printParamKind(spec?.paramKind),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function faultsOf({ metadata, spec = {} }: Policy, old?: Policy) {
  return collectFaults("spec", (place) => {
    checkFailurePolicy(spec.failurePolicy, place.at("failurePolicy"));
    checkParamKind(spec.paramKind, place.at("paramKind"));
    checkMatchConstraints(spec.matchConstraints, place.at("matchConstraints"));
    if (!hasSameConditions(spec, old?.spec)) checkMatchConditions(spec.matchConditions, place.at("matchConditions"));
    checkVariables(spec.variables, place.at("variables"));
    checkValidations(spec, place, metadata.name ?? "");
  });
}

/** What was let in once may stay. */
function hasSameConditions(spec: Spec, old: Spec | undefined): boolean {
  if (old === undefined) return false;
  return deepEqual(spec.paramKind, old.paramKind) && deepEqual(spec.matchConditions ?? [], old.matchConditions ?? []);
}

function checkValidations({ validations = [], auditAnnotations = [] }: Spec, place: FaultPlace, name: string): void {
  if (validations.length + auditAnnotations.length === 0) {
    const why = "validations or auditAnnotations must contain at least one item";
    for (const field of ["validations", "auditAnnotations"]) place.at(field).required(why);
    return;
  }
  for (const [i, validation] of validations.entries()) checkValidation(validation, place.at("validations").item(i));
  const annotationsPlace = place.at("auditAnnotations");
  if (auditAnnotations.length > mostAnnotations) {
    const internal = auditAnnotations.map(({ key, valueExpression }) => ({
      Key: key,
      ValueExpression: valueExpression,
    }));
    annotationsPlace.invalid(internal, `must not have more than ${mostAnnotations} auditAnnotations`);
  }
  const seen = new Set<string>();
  for (const [i, { key, valueExpression }] of auditAnnotations.entries()) {
    const itemPlace = annotationsPlace.item(i);
    itemPlace.at("key").invalidFor(`${name}/${key}`, validateQualifiedName(`${name}/${key}`));
    const expressionPlace = itemPlace.at("valueExpression");
    if (isBlank(valueExpression)) expressionPlace.required("valueExpression is not specified");
    else if (Buffer.byteLength(valueExpression.trim()) > longestAnnotation) {
      expressionPlace.required(`must not exceed ${longestAnnotation} bytes in length`);
    }
    if (seen.has(key)) itemPlace.at("key").duplicate(key);
    seen.add(key);
  }
}

function checkValidation(
  { expression, message = "", messageExpression = "", reason }: admissionregistrationv1.Validation,
  place: FaultPlace,
): void {
  if (isBlank(expression)) place.at("expression").required("expression is not specified");
  if (messageExpression !== "" && isBlank(messageExpression)) {
    place.at("messageExpression").invalid(messageExpression, "must be non-empty if specified");
  }
  if (message !== "" && isBlank(message)) place.at("message").invalid(message, "must be non-empty if specified");
  else if (/[\n\r]/.test(message.trim())) place.at("message").invalid(message, "must not contain line breaks");
  checkOptionalChoice(reason, place.at("reason"), ["Forbidden", "Invalid", "RequestEntityTooLarge"]);
}

function checkStatus(status: admissionregistrationv1.ValidatingAdmissionPolicyStatus, place: FaultPlace): void {
  const warningsPlace = place.at("typeChecking", "expressionWarnings");
  for (const [i, { warning, fieldRef }] of (status.typeChecking?.expressionWarnings ?? []).entries()) {
    if (warning === "") warningsPlace.item(i).at("warning").required();
    if (isBlank(fieldRef)) warningsPlace.item(i).at("fieldRef").required();
  }
  checkConditions(status.conditions, place.at("conditions"));
}
