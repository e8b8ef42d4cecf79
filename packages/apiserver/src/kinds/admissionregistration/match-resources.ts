// What policies look at, and which parameters they get: the same in policies and bindings of both kinds.
import {
  type admissionregistrationv1,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkLabelSelector } from "../shared/labels.ts";
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

export function checkMatchResources(match: MatchResources | undefined, place: FaultPlace): void {
  if (match === undefined) return;
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  if (matchPolicy === undefined) place.at("matchPolicy").required();
  else checkOptionalChoice(matchPolicy, place.at("matchPolicy"), ["Equivalent", "Exact"]);
  if (namespaceSelector === undefined) place.at("namespaceSelector").required();
  else checkLabelSelector(namespaceSelector, place.at("namespaceSelector"));
  if (objectSelector === undefined) place.at("objectSelector").required();
  else checkLabelSelector(objectSelector, place.at("objectSelector"));
  checkNamedRules(match.resourceRules, place.at("resourceRules"));
  checkNamedRules(match.excludeResourceRules, place.at("excludeResourceRules"));
}

/** What a policy is for must be said. */
export function checkMatchConstraints(match: MatchResources | undefined, place: FaultPlace): void {
  if (match === undefined) {
    place.required();
    return;
  }
  checkMatchResources(match, place);
  if ((match.resourceRules ?? []).length === 0) place.at("resourceRules").required();
}

/** What is deleted cannot be changed. */
export function checkMutableOperations(match: MatchResources | undefined, place: FaultPlace): void {
  for (const { operations } of match?.resourceRules ?? []) {
    for (const operation of operations ?? []) {
      checkOptionalChoice(operation, place.at("resourceRules", "operations"), mutableOperations);
    }
  }
}

export function checkFailurePolicy(policy: string | undefined, place: FaultPlace): void {
  if (policy === undefined) place.required();
  else checkOptionalChoice(policy, place, ["Fail", "Ignore"]);
}

export function checkParamKind(kind: admissionregistrationv1.ParamKind | undefined, place: FaultPlace): void {
  if (kind === undefined) return;
  checkVersion(kind.apiVersion ?? "", place.at("apiVersion"));
  const name = kind.kind ?? "";
  const kindPlace = place.at("kind");
  if (name === "") {
    kindPlace.required();
    return;
  }
  const reasons = validateDns1035Label(name.toLowerCase());
  if (reasons.length > 0) {
    kindPlace.invalid(name, `may have mixed case, but should otherwise match: ${reasons.join(",")}`);
  }
}

function checkVersion(apiVersion: string, place: FaultPlace): void {
  if (apiVersion === "") {
    place.required();
    return;
  }
  const parts = apiVersion === "/" ? [""] : apiVersion.split("/");
  if (parts.length > 2) {
    place.invalid(apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
    return;
  }
  const [group = "", version = ""] = parts.length === 2 ? parts : ["", ...parts];
  const groupReasons = group === "" ? [] : validateDns1123Subdomain(group);
  if (groupReasons.length > 0) place.invalid(group, groupReasons.join(","));
  const versionReasons = validateDns1035Label(version);
  if (version === "") place.invalid(apiVersion, "version must be specified");
  else if (versionReasons.length > 0) place.invalid(version, versionReasons.join(","));
}

export function checkParamRef(reference: admissionregistrationv1.ParamRef | undefined, place: FaultPlace): void {
  if (reference === undefined) return;
  const { name = "", selector, parameterNotFoundAction: action } = reference;
  const both = "name and selector are mutually exclusive";
  if (name !== "") {
    place.at("name").invalidFor(name, validatePathSegmentName(name));
    if (selector !== undefined) place.at("name").forbidden(both);
  }
  if (selector !== undefined) {
    checkLabelSelector(selector, place.at("selector"));
    if (name !== "") place.at("selector").forbidden(both);
  }
  if (name === "" && selector === undefined) place.required("one of name or selector must be specified");
  if (isAbsent(action)) place.at("parameterNotFoundAction").required();
  else checkOptionalChoice(action, place.at("parameterNotFoundAction"), ["Deny", "Allow"]);
}
