// ValidatingAdmissionPolicy: expressions that must hold of what is written. They are kept as they are: reading them comes with CEL.
import { type admissionregistrationv1, validateQualifiedName } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { validatingAdmissionPolicies } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkOptionalChoice } from "../shared/checks.ts";
import { checkConditions } from "../shared/conditions.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus, keepMetadata } from "../shared/status-metadata.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
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
      validateUpdate: ({ status }) => collectFaults("status", (fldPath) => checkStatus(status ?? {}, fldPath)),
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
  return collectFaults("spec", (fldPath) => {
    checkFailurePolicy(spec.failurePolicy, fldPath.at("failurePolicy"));
    checkParamKind(spec.paramKind, fldPath.at("paramKind"));
    checkMatchConstraints(spec.matchConstraints, fldPath.at("matchConstraints"));
    if (!hasSameConditions(spec, old?.spec)) checkMatchConditions(spec.matchConditions, fldPath.at("matchConditions"));
    checkVariables(spec.variables, fldPath.at("variables"));
    checkValidations(spec, fldPath, metadata.name ?? "");
  });
}

/** What was let in once may stay. */
function hasSameConditions(spec: Spec, old: Spec | undefined): boolean {
  if (old === undefined) return false;
  return deepEqual(spec.paramKind, old.paramKind) && deepEqual(spec.matchConditions ?? [], old.matchConditions ?? []);
}

function checkValidations(
  { validations = [], auditAnnotations = [] }: Spec,
  fldPath: ValidationPath,
  name: string,
): void {
  if (validations.length + auditAnnotations.length === 0) {
    const why = "validations or auditAnnotations must contain at least one item";
    for (const field of ["validations", "auditAnnotations"]) fldPath.at(field).required(why);
    return;
  }
  for (const [i, validation] of validations.entries()) checkValidation(validation, fldPath.at("validations").item(i));
  const annotationsPath = fldPath.at("auditAnnotations");
  if (auditAnnotations.length > mostAnnotations) {
    const internal = auditAnnotations.map(({ key, valueExpression }) => ({
      Key: key,
      ValueExpression: valueExpression,
    }));
    annotationsPath.invalid(internal, `must not have more than ${mostAnnotations} auditAnnotations`);
  }
  const seen = new Set<string>();
  for (const [i, { key, valueExpression }] of auditAnnotations.entries()) {
    const itemPath = annotationsPath.item(i);
    itemPath.at("key").invalidFor(`${name}/${key}`, validateQualifiedName(`${name}/${key}`));
    const expressionPath = itemPath.at("valueExpression");
    if (isBlank(valueExpression)) expressionPath.required("valueExpression is not specified");
    else if (Buffer.byteLength(valueExpression.trim()) > longestAnnotation) {
      expressionPath.required(`must not exceed ${longestAnnotation} bytes in length`);
    }
    if (seen.has(key)) itemPath.at("key").duplicate(key);
    seen.add(key);
  }
}

function checkValidation(
  { expression, message = "", messageExpression = "", reason }: admissionregistrationv1.Validation,
  fldPath: ValidationPath,
): void {
  if (isBlank(expression)) fldPath.at("expression").required("expression is not specified");
  if (messageExpression !== "" && isBlank(messageExpression)) {
    fldPath.at("messageExpression").invalid(messageExpression, "must be non-empty if specified");
  }
  if (message !== "" && isBlank(message)) fldPath.at("message").invalid(message, "must be non-empty if specified");
  else if (/[\n\r]/.test(message.trim())) fldPath.at("message").invalid(message, "must not contain line breaks");
  checkOptionalChoice(reason, fldPath.at("reason"), ["Forbidden", "Invalid", "RequestEntityTooLarge"]);
}

function checkStatus(status: admissionregistrationv1.ValidatingAdmissionPolicyStatus, fldPath: ValidationPath): void {
  const warningsPath = fldPath.at("typeChecking", "expressionWarnings");
  for (const [i, { warning, fieldRef }] of (status.typeChecking?.expressionWarnings ?? []).entries()) {
    if (warning === "") warningsPath.item(i).at("warning").required();
    if (isBlank(fieldRef)) warningsPath.item(i).at("fieldRef").required();
  }
  checkConditions(status.conditions, fldPath.at("conditions"));
}
