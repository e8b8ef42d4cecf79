// References to objects of any kind: a group, and a kind and name that a path can hold.
import { validateDns1123Subdomain, validatePathSegmentName } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

interface TypedReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export function checkTypedReference({ apiGroup, kind, name }: TypedReference, fldPath: ValidationPath): void {
  // Go prints a group that is not there as null.
  const group = apiGroup ?? undefined;
  if (group !== undefined) fldPath.at("apiGroup").invalidFor(group, validateDns1123Subdomain(group));
  checkPathSegment(kind, fldPath.at("kind"));
  checkPathSegment(name, fldPath.at("name"));
}

export function checkPathSegment(text: string | undefined, fldPath: ValidationPath): void {
  if (isAbsent(text)) fldPath.required();
  else fldPath.invalidFor(text, validatePathSegmentName(text));
}
