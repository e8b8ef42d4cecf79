// MutatingAdmissionPolicy: expressions that change what is written. They are kept as they are: reading them comes with CEL.
import type { admissionregistrationv1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { mutatingAdmissionPolicies } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkMatchConditions, checkVariables, isBlank } from "./check-expressions.ts";
import {
  checkFailurePolicy,
  checkMatchConstraints,
  checkMutableOperations,
  checkParamKind,
  setMatchDefaults,
} from "./match-resources.ts";
import { printParamKind } from "./print-policy.ts";
import { staticNameWarnings } from "./static-names.ts";

type Policy = admissionregistrationv1.MutatingAdmissionPolicy;
type Spec = admissionregistrationv1.MutatingAdmissionPolicySpec;

export const mutatingAdmissionPolicyRules: KindRules<Policy> = {
  resource: mutatingAdmissionPolicies,
  metadataOnUpdate: ["whole"],
  finalizerNames: "any",
  needsVersionOnUpdate: true,
  generation: "spec",
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.failurePolicy ??= "Fail";
    setMatchDefaults(spec.matchConstraints);
  },
  validate: ({ spec = {} }) => faultsOf(spec),
  validateUpdate: ({ spec = {} }, old) => faultsOf(spec, old.spec ?? {}),
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  printRow: ({ metadata, spec }, { nowMs }) => [
    metadata.name,
    (spec?.mutations ?? []).length,
    printParamKind(spec?.paramKind),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function faultsOf(spec: Spec, old?: Spec) {
  return collectFaults("spec", (fldPath) => {
    checkFailurePolicy(spec.failurePolicy, fldPath.at("failurePolicy"));
    checkParamKind(spec.paramKind, fldPath.at("paramKind"));
    checkMatchConstraints(spec.matchConstraints, fldPath.at("matchConstraints"));
    checkMutableOperations(spec.matchConstraints, fldPath.at("matchConstraints"));
    const isSame =
      old !== undefined &&
      deepEqual(spec.paramKind, old.paramKind) &&
      deepEqual(spec.matchConditions ?? [], old.matchConditions ?? []);
    if (!isSame) checkMatchConditions(spec.matchConditions, fldPath.at("matchConditions"));
    checkVariables(spec.variables, fldPath.at("variables"));
    const { mutations = [], reinvocationPolicy } = spec;
    if (mutations.length === 0) fldPath.at("mutations").required("mutations must contain at least one item");
    for (const [i, mutation] of mutations.entries()) checkMutation(mutation, fldPath.at("mutations").item(i));
    const reinvocationPath = fldPath.at("reinvocationPolicy");
    if (isAbsent(reinvocationPolicy)) reinvocationPath.required();
    else checkOptionalChoice(reinvocationPolicy, reinvocationPath, ["IfNeeded", "Never"]);
  });
}

const fields = { JSONPatch: "jsonPatch", ApplyConfiguration: "applyConfiguration" } as const;

function checkMutation(mutation: admissionregistrationv1.Mutation, fldPath: ValidationPath): void {
  const { patchType } = mutation;
  if (isAbsent(patchType)) {
    fldPath.at("patchType").required();
    return;
  }
  if (patchType !== "JSONPatch" && patchType !== "ApplyConfiguration") {
    fldPath.at("patchType").notSupported(patchType, ["ApplyConfiguration", "JSONPatch"]);
    return;
  }
  const field = fields[patchType];
  const other = fields[patchType === "JSONPatch" ? "ApplyConfiguration" : "JSONPatch"];
  const given = mutation[field];
  if (given === undefined) fldPath.at(field).required(`must be specified when patchType is ${patchType}`);
  else if (isBlank(given.expression)) fldPath.at(field, "expression").required();
  if (mutation[other] !== undefined) {
    fldPath.at(other).invalid(`{${other}}`, `must not be specified when patchType is ${patchType}`);
  }
}
