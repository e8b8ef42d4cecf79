// Which requests webhooks and policies are asked about: operations on resources of groups and versions, with "*" for all.
import { type admissionregistrationv1, validatePathSegmentName } from "@kubeloop/core/api";
import { checkOptionalChoice } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";

export type Rule = admissionregistrationv1.RuleWithOperations;
type NamedRule = admissionregistrationv1.NamedRuleWithOperations;

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

export function checkRules(rules: readonly Rule[] | undefined, place: FaultPlace): void {
  for (const [i, rule] of (rules ?? []).entries()) checkRule(rule, place.item(i));
}

export function checkNamedRules(rules: readonly NamedRule[] | undefined, place: FaultPlace): void {
  for (const [i, rule] of (rules ?? []).entries()) {
    const seen = new Set<string>();
    for (const [j, name] of (rule.resourceNames ?? []).entries()) {
      const namePlace = place.item(i).at("resourceNames").item(j);
      namePlace.invalidFor(name, validatePathSegmentName(name));
      if (seen.has(name)) namePlace.duplicate(name);
      seen.add(name);
    }
    checkRule(rule, place.item(i));
  }
}

function checkRule(
  { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope }: Rule,
  place: FaultPlace,
): void {
  checkList(given, place.at("operations"), "operations");
  for (const [i, operation] of given.entries()) {
    checkOptionalChoice(operation, place.at("operations").item(i), operations);
  }
  checkList(apiGroups, place.at("apiGroups"), "API groups");
  checkList(apiVersions, place.at("apiVersions"), "API versions");
  for (const [i, version] of apiVersions.entries()) {
    if (version === "") place.at("apiVersions").item(i).required();
  }
  checkResources(resources, place.at("resources"));
  checkOptionalChoice(scope, place.at("scope"), ["*", "Cluster", "Namespaced"]);
}

function checkList(list: readonly string[], place: FaultPlace, what: string): void {
  if (list.length === 0) place.required();
  if (list.length > 1 && list.includes("*")) {
    place.invalid(list, `if '*' is present, must not specify other ${what}`);
  }
}

function checkResources(resources: readonly string[], place: FaultPlace): void {
  if (resources.length === 0) place.required();
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let isLastPlain = false;
  for (const [i, resource] of resources.entries()) {
    if (resource === "") {
      place.item(i).required();
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash === -1) {
      // Upstream's oddity: only the last one counts.
      isLastPlain = resource !== "*";
      continue;
    }
    const [name, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (wholeResources.has(name)) {
      place.item(i).invalid(resource, `if '${name}/*' is present, must not specify ${resource}`);
    }
    if (wholeSubresources.has(sub)) {
      place.item(i).invalid(resource, `if '*/${sub}' is present, must not specify ${resource}`);
    }
    if (sub === "*") wholeResources.add(name);
    if (name === "*") wholeSubresources.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    place.invalid(resources, "if '*/*' is present, must not specify other resources");
  }
  if (resources.includes("*") && isLastPlain) {
    place.invalid(resources, "if '*' is present, must not specify other resources without subresources");
  }
}
