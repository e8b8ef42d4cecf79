// What a flow schema may say: its place in line, and rules of who asks for what.
import { type flowcontrolv1, validateDns1123Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";

type Subject = flowcontrolv1.Subject;

const highestPrecedence = 10_000;
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

export function checkFlowSchemaSpec(spec: flowcontrolv1.FlowSchemaSpec, place: FaultPlace, name: string): void {
  checkPrecedence(spec.matchingPrecedence ?? 0, place.at("matchingPrecedence"), name);
  const { distinguisherMethod: method, priorityLevelConfiguration: level } = spec;
  const methods = ["ByNamespace", "ByUser"];
  if (method !== undefined && !methods.includes(method.type)) {
    place.at("distinguisherMethod", "type").notSupported({ Type: method.type }, methods);
  }
  const levelPlace = place.at("priorityLevelConfiguration", "name");
  if (isAbsent(level.name)) levelPlace.required("must reference a priority level");
  else levelPlace.invalidFor(level.name, validateDns1123Subdomain(level.name));
  for (const [i, rule] of (spec.rules ?? []).entries()) checkRule(rule, place.at("rules").item(i));
}

function checkPrecedence(precedence: number, place: FaultPlace, name: string): void {
  if (precedence <= 0) place.invalid(precedence, "must be a positive value");
  if (precedence > highestPrecedence) place.invalid(precedence, `must not be greater than ${highestPrecedence}`);
  if (precedence === 1 && name !== "exempt") {
    place.invalid(precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
}

function checkRule(rule: flowcontrolv1.PolicyRulesWithSubjects, place: FaultPlace): void {
  const subjects = rule.subjects ?? [];
  const subjectsPlace = place.at("subjects");
  if (subjects.length === 0) subjectsPlace.required("subjects must contain at least one value");
  for (const [i, subject] of subjects.entries()) checkSubject(subject, subjectsPlace.item(i));
  const { resourceRules = [], nonResourceRules = [] } = rule;
  if (resourceRules.length + nonResourceRules.length === 0) {
    place.required("at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (const [i, each] of resourceRules.entries()) checkResourceRule(each, place.at("resourceRules").item(i));
  for (const [i, each] of nonResourceRules.entries()) checkPathRule(each, place.at("nonResourceRules").item(i));
}

const holders = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;
type SubjectKind = keyof typeof holders;

function checkSubject(subject: Subject, place: FaultPlace): void {
  const { kind } = subject;
  if (!isSubjectKind(kind)) {
    place.at("kind").notSupported(kind, ["Group", "ServiceAccount", "User"]);
    return;
  }
  const field = holders[kind];
  const held = subject[field];
  if (held === undefined) place.at(field).required(`${field} is required when subject kind is '${kind}'`);
  else checkHolder(subject, kind, place.at(field));
  for (const [other, otherField] of Object.entries(holders)) {
    if (other !== kind && subject[otherField] !== undefined) {
      place.at(otherField).forbidden(`${otherField} is forbidden when subject kind is not '${other}'`);
    }
  }
}

const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(holders, kind);

function checkHolder(subject: Subject, kind: SubjectKind, place: FaultPlace): void {
  const { name = "" } = subject[holders[kind]] ?? {};
  if (name === "") place.at("name").required();
  if (kind !== "ServiceAccount") return;
  if (name !== "" && name !== "*") place.at("name").invalidFor(name, validateDns1123Subdomain(name));
  const { namespace } = subject.serviceAccount ?? {};
  if (isAbsent(namespace)) place.at("namespace").required("must specify namespace for service account");
  else place.at("namespace").invalidFor(namespace, validateDns1123Label(namespace));
}

function checkVerbs(given: readonly string[] | undefined, place: FaultPlace): void {
  const list = given ?? [];
  if (list.length === 0) place.required("verbs must contain at least one value");
  else if (list.includes("*")) checkAlone(list, place, "verbs");
  else if (!list.every((verb) => verbs.includes(verb))) place.notSupported(list, verbs);
}

function checkAlone(list: readonly string[], place: FaultPlace, what: string): void {
  if (list.length > 1 && list.includes("*")) {
    place.invalid(list, `if '*' is present, must not specify other ${what}`);
  }
}

function checkResourceRule(rule: flowcontrolv1.ResourcePolicyRule, place: FaultPlace): void {
  checkVerbs(rule.verbs, place.at("verbs"));
  const { apiGroups, resources, clusterScope = false } = rule;
  // Go prints a list that is not there as null.
  const namespaces = rule.namespaces ?? [];
  if ((apiGroups ?? []).length === 0) {
    place.at("apiGroups").required("resource rules must supply at least one api group");
  } else checkAlone(apiGroups, place.at("apiGroups"), "api groups");
  if ((resources ?? []).length === 0) {
    place.at("resources").required("resource rules must supply at least one resource");
  } else checkAlone(resources, place.at("resources"), "resources");
  const namespacesPlace = place.at("namespaces");
  if (namespaces.length === 0 && !clusterScope) {
    namespacesPlace.required("resource rules that are not cluster scoped must supply at least one namespace");
  } else if (namespaces.includes("*")) {
    checkAlone(namespaces, namespacesPlace, "namespaces");
  } else {
    for (const [i, namespace] of namespaces.entries()) {
      const reasons = validateDns1123Label(namespace);
      const intro = "each member of this list must be '*' or a DNS-1123 label; ";
      namespacesPlace.item(i).invalidFor(
        namespace,
        reasons.map((why) => intro + why),
      );
    }
  }
}

function checkPathRule(
  { verbs: given, nonResourceURLs }: flowcontrolv1.NonResourcePolicyRule,
  place: FaultPlace,
): void {
  checkVerbs(given, place.at("verbs"));
  const paths = nonResourceURLs ?? [];
  const pathsPlace = place.at("nonResourceURLs");
  if (paths.length === 0) pathsPlace.required("nonResourceURLs must contain at least one value");
  else if (paths.includes("*")) checkAlone(paths, pathsPlace, "non-resource URLs");
  else for (const [i, path] of paths.entries()) checkPath(path, pathsPlace.item(i));
}

function checkPath(path: string, place: FaultPlace): void {
  const fault = pathFault(path);
  if (fault !== undefined) place.invalid(path, fault);
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
