// IPAddress: an address that is taken, under its own name, and by whom.
import { type networkingv1, validateDns1123Subdomain, validatePathSegmentName } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { ipAddresses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkCanonicalIp } from "../shared/canonical-ip.ts";
import { isAbsent } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkPathSegment } from "./typed-reference.ts";

type ParentReference = networkingv1.ParentReference;

export const ipAddressRules: KindRules<networkingv1.IPAddress> = {
  resource: ipAddresses,
  metadataOnUpdate: ["whole", "changes"],
  checkName: (name) => collectFaults("", (fldPath) => checkCanonicalIp(name, fldPath)).map(({ detail }) => detail),
  validate: ({ spec }) => collectFaults("spec", (fldPath) => checkParent(spec?.parentRef, fldPath.at("parentRef"))),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) => {
      const parentPath = fldPath.at("parentRef");
      checkParent(spec?.parentRef, parentPath);
      if (deepEqual(spec?.parentRef, old.spec?.parentRef)) return;
      parentPath.invalid(spec?.parentRef === undefined ? null : internalParent(spec.parentRef), "field is immutable");
    }),
  printRow: ({ metadata, spec }, { nowMs }) => [
    metadata.name,
    spec?.parentRef === undefined ? "<none>" : printParent(spec.parentRef),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkParent(parent: ParentReference | undefined, fldPath: ValidationPath): void {
  if (parent === undefined) {
    fldPath.required();
    return;
  }
  const { group, resource, name, namespace } = parent;
  if (!isAbsent(group)) fldPath.at("group").invalidFor(group, validateDns1123Subdomain(group));
  checkPathSegment(resource, fldPath.at("resource"));
  checkPathSegment(name, fldPath.at("name"));
  if (!isAbsent(namespace)) fldPath.at("namespace").invalidFor(namespace, validatePathSegmentName(namespace));
}

function internalParent({ group = "", resource = "", namespace = "", name = "" }: ParentReference): unknown {
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

function printParent({ group = "", resource = "", namespace = "", name = "" }: ParentReference): string {
  const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return [kind, ...(namespace === "" ? [] : [namespace]), name].join("/");
}
