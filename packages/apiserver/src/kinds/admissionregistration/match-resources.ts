// What policies look at, and which parameters they get: the same in policies and bindings of both kinds.
import {
  type admissionregistrationv1,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { checkLabelSelector } from "../shared/labels.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkNamedRules } from "./check-rules.ts";

type MatchResources = admissionregistrationv1.MatchResources;

const mutableOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

export function setMatchDefaults(match: Draft<MatchResources> | undefined): void {
  if (match === undefined) return;
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= "*";
}

export function checkMatchResources(match: MatchResources | undefined, fldPath: ValidationPath): void {
  if (match === undefined) return;
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  if (matchPolicy === undefined) fldPath.at("matchPolicy").required();
  else checkOptionalChoice(matchPolicy, fldPath.at("matchPolicy"), ["Equivalent", "Exact"]);
  if (namespaceSelector === undefined) fldPath.at("namespaceSelector").required();
  else checkLabelSelector(namespaceSelector, fldPath.at("namespaceSelector"));
  if (objectSelector === undefined) fldPath.at("objectSelector").required();
  else checkLabelSelector(objectSelector, fldPath.at("objectSelector"));
  checkNamedRules(match.resourceRules, fldPath.at("resourceRules"));
  checkNamedRules(match.excludeResourceRules, fldPath.at("excludeResourceRules"));
}

/** What a policy is for must be said. */
export function checkMatchConstraints(match: MatchResources | undefined, fldPath: ValidationPath): void {
  if (match === undefined) {
    fldPath.required();
    return;
  }
  checkMatchResources(match, fldPath);
  if ((match.resourceRules ?? []).length === 0) fldPath.at("resourceRules").required();
}

/** What is deleted cannot be changed. */
export function checkMutableOperations(match: MatchResources | undefined, fldPath: ValidationPath): void {
  for (const { operations } of match?.resourceRules ?? []) {
    for (const operation of operations ?? []) {
      checkOptionalChoice(operation, fldPath.at("resourceRules", "operations"), mutableOperations);
    }
  }
}

export function checkFailurePolicy(policy: string | undefined, fldPath: ValidationPath): void {
  if (policy === undefined) fldPath.required();
  else checkOptionalChoice(policy, fldPath, ["Fail", "Ignore"]);
}

export function checkParamKind(kind: admissionregistrationv1.ParamKind | undefined, fldPath: ValidationPath): void {
  if (kind === undefined) return;
  checkVersion(kind.apiVersion ?? "", fldPath.at("apiVersion"));
  const name = kind.kind ?? "";
  const kindPath = fldPath.at("kind");
  if (name === "") {
    kindPath.required();
    return;
  }
  const reasons = validateDns1035Label(name.toLowerCase());
  if (reasons.length > 0) {
    kindPath.invalid(name, `may have mixed case, but should otherwise match: ${reasons.join(",")}`);
  }
}

function checkVersion(apiVersion: string, fldPath: ValidationPath): void {
  if (apiVersion === "") {
    fldPath.required();
    return;
  }
  const parts = apiVersion === "/" ? [""] : apiVersion.split("/");
  if (parts.length > 2) {
    fldPath.invalid(apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
    return;
  }
  const [group = "", version = ""] = parts.length === 2 ? parts : ["", ...parts];
  const groupReasons = group === "" ? [] : validateDns1123Subdomain(group);
  if (groupReasons.length > 0) fldPath.invalid(group, groupReasons.join(","));
  const versionReasons = validateDns1035Label(version);
  if (version === "") fldPath.invalid(apiVersion, "version must be specified");
  else if (versionReasons.length > 0) fldPath.invalid(version, versionReasons.join(","));
}

export function checkParamRef(reference: admissionregistrationv1.ParamRef | undefined, fldPath: ValidationPath): void {
  if (reference === undefined) return;
  const { name = "", selector, parameterNotFoundAction: action } = reference;
  const both = "name and selector are mutually exclusive";
  if (name !== "") {
    fldPath.at("name").invalidFor(name, validatePathSegmentName(name));
    if (selector !== undefined) fldPath.at("name").forbidden(both);
  }
  if (selector !== undefined) {
    checkLabelSelector(selector, fldPath.at("selector"));
    if (name !== "") fldPath.at("selector").forbidden(both);
  }
  if (name === "" && selector === undefined) fldPath.required("one of name or selector must be specified");
  if (isAbsent(action)) fldPath.at("parameterNotFoundAction").required();
  else checkOptionalChoice(action, fldPath.at("parameterNotFoundAction"), ["Deny", "Allow"]);
}
