// What classes of storage have in common: who makes the volumes, and with which parameters.
import { validateQualifiedName } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";

const mostParameters = 512;
const largestParameters = 256 * 1024;

export function checkProvisioner(name: string | undefined, place: FaultPlace): void {
  if (isAbsent(name)) {
    place.required();
    return;
  }
  const lower = name.toLowerCase();
  place.invalidFor(lower, validateQualifiedName(lower));
}

export function checkParameters(
  parameters: Readonly<Record<string, string>> | undefined,
  place: FaultPlace,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): void {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > mostParameters) {
    place.tooLong(mostParameters);
    return;
  }
  let size = 0;
  for (const [name, value] of entries) {
    if (name === "") place.invalid(name, "field can not be empty.");
    size += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (size > largestParameters) place.tooLong(largestParameters);
  if (!mayBeEmpty && entries.length === 0) place.required("must contain at least one key/value pair");
}
