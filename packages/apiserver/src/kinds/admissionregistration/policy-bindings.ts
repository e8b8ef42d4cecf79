// ValidatingAdmissionPolicyBinding and MutatingAdmissionPolicyBinding: where a policy is in force, and with which parameters.
import { type admissionregistrationv1, type metav1, validateDns1123Subdomain } from "@kubeloop/core/api";
import { mutatingAdmissionPolicyBindings, validatingAdmissionPolicyBindings } from "@kubeloop/core/resources";
import type { KindRules, PrintContext } from "../kind-rules.ts";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkMatchResources, checkMutableOperations, checkParamRef, setMatchDefaults } from "./match-resources.ts";
import { printParamRef } from "./print-policy.ts";
import { staticNameWarnings } from "./static-names.ts";

type Validating = admissionregistrationv1.ValidatingAdmissionPolicyBinding;
type Mutating = admissionregistrationv1.MutatingAdmissionPolicyBinding;
type Spec = admissionregistrationv1.MutatingAdmissionPolicyBindingSpec;

export const validatingAdmissionPolicyBindingRules: KindRules<Validating> = {
  resource: validatingAdmissionPolicyBindings,
  metadataOnUpdate: ["whole"],
  finalizerNames: "any",
  needsVersionOnUpdate: true,
  generation: "spec",
  defaults: ({ spec }) => setMatchDefaults(spec?.matchResources),
  validate: ({ spec }) =>
    collectFaults("spec", (fldPath) => {
      checkBinding(spec, fldPath);
      checkActions(spec.validationActions ?? [], fldPath.at("validationActions"));
    }),
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  printRow,
};

export const mutatingAdmissionPolicyBindingRules: KindRules<Mutating> = {
  resource: mutatingAdmissionPolicyBindings,
  metadataOnUpdate: ["whole"],
  finalizerNames: "any",
  needsVersionOnUpdate: true,
  generation: "spec",
  defaults: ({ spec }) => setMatchDefaults(spec?.matchResources),
  validate: ({ spec = {} }) =>
    collectFaults("spec", (fldPath) => {
      checkBinding(spec, fldPath);
      checkMutableOperations(spec.matchResources, fldPath.at("matchResources"));
    }),
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  printRow,
};

function checkBinding({ policyName, paramRef, matchResources }: Spec, fldPath: ValidationPath): void {
  const namePath = fldPath.at("policyName");
  if (isAbsent(policyName)) namePath.required();
  else namePath.invalidFor(policyName, validateDns1123Subdomain(policyName));
  checkParamRef(paramRef, fldPath.at("paramRef"));
  checkMatchResources(matchResources, fldPath.at("matchResources"));
}

function checkActions(actions: readonly string[], fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    checkOptionalChoice(action, fldPath.item(i), ["Audit", "Deny", "Warn"]);
    if (seen.has(action)) fldPath.item(i).duplicate(action);
    seen.add(action);
  }
  if (seen.has("Deny") && seen.has("Warn")) {
    const reason =
      "repeating the same validation failure information in the API response and headers serves no purpose";
    fldPath.invalid(actions, `must not contain both Deny and Warn (${reason})`);
  }
  if (actions.length === 0) fldPath.required("at least one validation action is required");
}

function printRow(
  { metadata, spec }: { readonly metadata: metav1.ObjectMeta; readonly spec?: Spec },
  { nowMs }: PrintContext,
): unknown[] {
  const age = printAge(metadata.creationTimestamp, nowMs);
  return [metadata.name, spec?.policyName ?? "", printParamRef(spec?.paramRef), age];
}
