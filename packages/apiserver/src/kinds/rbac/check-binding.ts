// Bindings of both kinds: which role is given, for ever, and to whom.
import { type rbacv1, validateDns1123Subdomain, validatePathSegmentName } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Draft } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import type { ObjectPaths } from "../shared/object-faults.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

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

export function checkBinding({ roleRef, subjects = [] }: Binding, at: ObjectPaths, options: BindingOptions): void {
  checkRoleRef(roleRef, at("roleRef"), options);
  for (const [i, subject] of subjects.entries()) checkSubject(subject, at("subjects").item(i), options);
}

export function checkBindingUpdate(binding: Binding, old: Binding, at: ObjectPaths, options: BindingOptions): void {
  checkBinding(binding, at, options);
  if (deepEqual(binding.roleRef, old.roleRef)) return;
  const { apiGroup = "", kind, name } = binding.roleRef;
  at("roleRef").invalid({ APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef");
}

function checkRoleRef(
  { apiGroup = "", kind, name }: rbacv1.RoleRef,
  fldPath: ValidationPath,
  { isNamespaced }: BindingOptions,
): void {
  if (apiGroup !== group) fldPath.at("apiGroup").notSupported(apiGroup, [group]);
  const kinds = isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(kind)) fldPath.at("kind").notSupported(kind, kinds);
  if (isAbsent(name)) fldPath.at("name").required();
  else fldPath.at("name").invalidFor(name, validatePathSegmentName(name));
}

function checkSubject(subject: rbacv1.Subject, fldPath: ValidationPath, { isNamespaced }: BindingOptions): void {
  const { kind, name, namespace, apiGroup = "" } = subject;
  if (isAbsent(name)) fldPath.at("name").required();
  switch (kind) {
    case "ServiceAccount":
      if (!isAbsent(name)) fldPath.at("name").invalidFor(name, validateDns1123Subdomain(name));
      if (apiGroup !== "") fldPath.at("apiGroup").notSupported(apiGroup, [""]);
      if (!isNamespaced && isAbsent(namespace)) fldPath.at("namespace").required();
      break;
    case "User":
    case "Group":
      if (apiGroup !== group) fldPath.at("apiGroup").notSupported(apiGroup, [group]);
      break;
    default:
      fldPath.at("kind").notSupported(kind, ["ServiceAccount", "User", "Group"]);
  }
}
