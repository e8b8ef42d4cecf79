// What a flow schema may say: its place in line, and rules of who asks for what.
import { type flowcontrolv1, validateDns1123Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type Subject = flowcontrolv1.Subject;

const highestPrecedence = 10_000;
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

export function checkFlowSchemaSpec(spec: flowcontrolv1.FlowSchemaSpec, fldPath: ValidationPath, name: string): void {
  checkPrecedence(spec.matchingPrecedence ?? 0, fldPath.at("matchingPrecedence"), name);
  const { distinguisherMethod: method, priorityLevelConfiguration: level } = spec;
  const methods = ["ByNamespace", "ByUser"];
  if (method !== undefined && !methods.includes(method.type)) {
    fldPath.at("distinguisherMethod", "type").notSupported({ Type: method.type }, methods);
  }
  const levelPath = fldPath.at("priorityLevelConfiguration", "name");
  if (isAbsent(level.name)) levelPath.required("must reference a priority level");
  else levelPath.invalidFor(level.name, validateDns1123Subdomain(level.name));
  for (const [i, rule] of (spec.rules ?? []).entries()) checkRule(rule, fldPath.at("rules").item(i));
}

function checkPrecedence(precedence: number, fldPath: ValidationPath, name: string): void {
  if (precedence <= 0) fldPath.invalid(precedence, "must be a positive value");
  if (precedence > highestPrecedence) fldPath.invalid(precedence, `must not be greater than ${highestPrecedence}`);
  if (precedence === 1 && name !== "exempt") {
    fldPath.invalid(precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
}

function checkRule(rule: flowcontrolv1.PolicyRulesWithSubjects, fldPath: ValidationPath): void {
  const subjects = rule.subjects ?? [];
  const subjectsPath = fldPath.at("subjects");
  if (subjects.length === 0) subjectsPath.required("subjects must contain at least one value");
  for (const [i, subject] of subjects.entries()) checkSubject(subject, subjectsPath.item(i));
  const { resourceRules = [], nonResourceRules = [] } = rule;
  if (resourceRules.length + nonResourceRules.length === 0) {
    fldPath.required("at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (const [i, each] of resourceRules.entries()) checkResourceRule(each, fldPath.at("resourceRules").item(i));
  for (const [i, each] of nonResourceRules.entries()) checkPathRule(each, fldPath.at("nonResourceRules").item(i));
}

const holders = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;
type SubjectKind = keyof typeof holders;

function checkSubject(subject: Subject, fldPath: ValidationPath): void {
  const { kind } = subject;
  if (!isSubjectKind(kind)) {
    fldPath.at("kind").notSupported(kind, ["Group", "ServiceAccount", "User"]);
    return;
  }
  const field = holders[kind];
  const held = subject[field];
  if (held === undefined) fldPath.at(field).required(`${field} is required when subject kind is '${kind}'`);
  else checkHolder(subject, kind, fldPath.at(field));
  for (const [other, otherField] of Object.entries(holders)) {
    if (other !== kind && subject[otherField] !== undefined) {
      fldPath.at(otherField).forbidden(`${otherField} is forbidden when subject kind is not '${other}'`);
    }
  }
}

const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(holders, kind);

function checkHolder(subject: Subject, kind: SubjectKind, fldPath: ValidationPath): void {
  const { name = "" } = subject[holders[kind]] ?? {};
  if (name === "") fldPath.at("name").required();
  if (kind !== "ServiceAccount") return;
  if (name !== "" && name !== "*") fldPath.at("name").invalidFor(name, validateDns1123Subdomain(name));
  const { namespace } = subject.serviceAccount ?? {};
  if (isAbsent(namespace)) fldPath.at("namespace").required("must specify namespace for service account");
  else fldPath.at("namespace").invalidFor(namespace, validateDns1123Label(namespace));
}

function checkVerbs(given: readonly string[] | undefined, fldPath: ValidationPath): void {
  const list = given ?? [];
  if (list.length === 0) fldPath.required("verbs must contain at least one value");
  else if (list.includes("*")) checkAlone(list, fldPath, "verbs");
  else if (!list.every((verb) => verbs.includes(verb))) fldPath.notSupported(list, verbs);
}

function checkAlone(list: readonly string[], fldPath: ValidationPath, what: string): void {
  if (list.length > 1 && list.includes("*")) {
    fldPath.invalid(list, `if '*' is present, must not specify other ${what}`);
  }
}

function checkResourceRule(rule: flowcontrolv1.ResourcePolicyRule, fldPath: ValidationPath): void {
  checkVerbs(rule.verbs, fldPath.at("verbs"));
  const { apiGroups, resources, clusterScope = false } = rule;
  // Go prints a list that is not there as null.
  const namespaces = rule.namespaces ?? [];
  if ((apiGroups ?? []).length === 0) {
    fldPath.at("apiGroups").required("resource rules must supply at least one api group");
  } else checkAlone(apiGroups, fldPath.at("apiGroups"), "api groups");
  if ((resources ?? []).length === 0) {
    fldPath.at("resources").required("resource rules must supply at least one resource");
  } else checkAlone(resources, fldPath.at("resources"), "resources");
  const namespacesPath = fldPath.at("namespaces");
  if (namespaces.length === 0 && !clusterScope) {
    namespacesPath.required("resource rules that are not cluster scoped must supply at least one namespace");
  } else if (namespaces.includes("*")) {
    checkAlone(namespaces, namespacesPath, "namespaces");
  } else {
    for (const [i, namespace] of namespaces.entries()) {
      const reasons = validateDns1123Label(namespace);
      const intro = "each member of this list must be '*' or a DNS-1123 label; ";
      namespacesPath.item(i).invalidFor(
        namespace,
        reasons.map((why) => intro + why),
      );
    }
  }
}

function checkPathRule(
  { verbs: given, nonResourceURLs }: flowcontrolv1.NonResourcePolicyRule,
  fldPath: ValidationPath,
): void {
  checkVerbs(given, fldPath.at("verbs"));
  const paths = nonResourceURLs ?? [];
  const pathsFldPath = fldPath.at("nonResourceURLs");
  if (paths.length === 0) pathsFldPath.required("nonResourceURLs must contain at least one value");
  else if (paths.includes("*")) checkAlone(paths, pathsFldPath, "non-resource URLs");
  else for (const [i, path] of paths.entries()) checkPath(path, pathsFldPath.item(i));
}

function checkPath(path: string, fldPath: ValidationPath): void {
  const fault = pathFault(path);
  if (fault !== undefined) fldPath.invalid(path, fault);
}

function pathFault(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (path === "/") return undefined;
  if (!path.startsWith("/")) return "must start with slash";
  if (path.includes(" ")) return "must not contain white-space";
  if (path.includes("//")) return "must not contain double slash";
  const stars = path.split("*").length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith("/*")) ? "wildcard can only do suffix matching" : undefined;
}
