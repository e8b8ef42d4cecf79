// Bindings of both kinds: which role is given, for ever, and to whom.
import { type rbacv1, validateDns1123Subdomain, validatePathSegmentName } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Draft } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import type { ObjectPlaces } from "../shared/object-faults.ts";

const group = "rbac.authorization.k8s.io";

interface Binding {
  readonly roleRef: rbacv1.RoleRef;
  readonly subjects?: readonly rbacv1.Subject[];
}

export interface BindingOptions {
  readonly isNamespaced: boolean;
}

export function setBindingDefaults({ roleRef, subjects }: Draft<Binding>): void {
  if (isAbsent(roleRef.apiGroup)) roleRef.apiGroup = group;
  for (const subject of subjects ?? []) {
    if (isAbsent(subject.apiGroup) && isPerson(subject)) subject.apiGroup = group;
  }
}

const isPerson = ({ kind }: rbacv1.Subject) => kind === "User" || kind === "Group";

export function checkBinding({ roleRef, subjects = [] }: Binding, at: ObjectPlaces, options: BindingOptions): void {
  checkRoleRef(roleRef, at("roleRef"), options);
  for (const [i, subject] of subjects.entries()) checkSubject(subject, at("subjects").item(i), options);
}

export function checkBindingUpdate(binding: Binding, old: Binding, at: ObjectPlaces, options: BindingOptions): void {
  checkBinding(binding, at, options);
  if (deepEqual(binding.roleRef, old.roleRef)) return;
  const { apiGroup = "", kind, name } = binding.roleRef;
  at("roleRef").invalid({ APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef");
}

function checkRoleRef(
  { apiGroup = "", kind, name }: rbacv1.RoleRef,
  place: FaultPlace,
  { isNamespaced }: BindingOptions,
): void {
  if (apiGroup !== group) place.at("apiGroup").notSupported(apiGroup, [group]);
  const kinds = isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(kind)) place.at("kind").notSupported(kind, kinds);
  if (isAbsent(name)) place.at("name").required();
  else place.at("name").invalidFor(name, validatePathSegmentName(name));
}

function checkSubject(subject: rbacv1.Subject, place: FaultPlace, { isNamespaced }: BindingOptions): void {
  const { kind, name, namespace, apiGroup = "" } = subject;
  if (isAbsent(name)) place.at("name").required();
  switch (kind) {
    case "ServiceAccount":
      if (!isAbsent(name)) place.at("name").invalidFor(name, validateDns1123Subdomain(name));
      if (apiGroup !== "") place.at("apiGroup").notSupported(apiGroup, [""]);
      if (!isNamespaced && isAbsent(namespace)) place.at("namespace").required();
      break;
    case "User":
    case "Group":
      if (apiGroup !== group) place.at("apiGroup").notSupported(apiGroup, [group]);
      break;
    default:
      place.at("kind").notSupported(kind, ["ServiceAccount", "User", "Group"]);
  }
}
