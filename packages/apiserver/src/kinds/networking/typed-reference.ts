// References to objects of any kind: a group, and a kind and name that a path can hold.
import { validateDns1123Subdomain, validatePathSegmentName } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";

interface TypedReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export function checkTypedReference({ apiGroup, kind, name }: TypedReference, place: FaultPlace): void {
  // Go prints a group that is not there as null.
  const group = apiGroup ?? undefined;
  if (group !== undefined) place.at("apiGroup").invalidFor(group, validateDns1123Subdomain(group));
  checkPathSegment(kind, place.at("kind"));
  checkPathSegment(name, place.at("name"));
}

export function checkPathSegment(text: string | undefined, place: FaultPlace): void {
  if (isAbsent(text)) place.required();
  else place.invalidFor(text, validatePathSegmentName(text));
}
