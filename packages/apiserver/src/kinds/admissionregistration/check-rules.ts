// Which requests webhooks and policies are asked about: operations on resources of groups and versions, with "*" for all.
import { type admissionregistrationv1, validatePathSegmentName } from "@kubeloop/core/api";
import { checkOptionalChoice } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

export type Rule = admissionregistrationv1.RuleWithOperations;
type NamedRule = admissionregistrationv1.NamedRuleWithOperations;

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

export function checkRules(rules: readonly Rule[] | undefined, fldPath: ValidationPath): void {
  for (const [i, rule] of (rules ?? []).entries()) checkRule(rule, fldPath.item(i));
}

export function checkNamedRules(rules: readonly NamedRule[] | undefined, fldPath: ValidationPath): void {
  for (const [i, rule] of (rules ?? []).entries()) {
    const seen = new Set<string>();
    for (const [j, name] of (rule.resourceNames ?? []).entries()) {
      const namePath = fldPath.item(i).at("resourceNames").item(j);
      namePath.invalidFor(name, validatePathSegmentName(name));
      if (seen.has(name)) namePath.duplicate(name);
      seen.add(name);
    }
    checkRule(rule, fldPath.item(i));
  }
}

function checkRule(
  { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope }: Rule,
  fldPath: ValidationPath,
): void {
  checkList(given, fldPath.at("operations"), "operations");
  for (const [i, operation] of given.entries()) {
    checkOptionalChoice(operation, fldPath.at("operations").item(i), operations);
  }
  checkList(apiGroups, fldPath.at("apiGroups"), "API groups");
  checkList(apiVersions, fldPath.at("apiVersions"), "API versions");
  for (const [i, version] of apiVersions.entries()) {
    if (version === "") fldPath.at("apiVersions").item(i).required();
  }
  checkResources(resources, fldPath.at("resources"));
  checkOptionalChoice(scope, fldPath.at("scope"), ["*", "Cluster", "Namespaced"]);
}

function checkList(list: readonly string[], fldPath: ValidationPath, what: string): void {
  if (list.length === 0) fldPath.required();
  if (list.length > 1 && list.includes("*")) {
    fldPath.invalid(list, `if '*' is present, must not specify other ${what}`);
  }
}

function checkResources(resources: readonly string[], fldPath: ValidationPath): void {
  if (resources.length === 0) fldPath.required();
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let isLastPlain = false;
  for (const [i, resource] of resources.entries()) {
    if (resource === "") {
      fldPath.item(i).required();
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
      fldPath.item(i).invalid(resource, `if '${name}/*' is present, must not specify ${resource}`);
    }
    if (wholeSubresources.has(sub)) {
      fldPath.item(i).invalid(resource, `if '*/${sub}' is present, must not specify ${resource}`);
    }
    if (sub === "*") wholeResources.add(name);
    if (name === "*") wholeSubresources.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    fldPath.invalid(resources, "if '*/*' is present, must not specify other resources");
  }
  if (resources.includes("*") && isLastPlain) {
    fldPath.invalid(resources, "if '*' is present, must not specify other resources without subresources");
  }
}
