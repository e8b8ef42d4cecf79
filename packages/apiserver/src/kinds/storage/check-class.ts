// What classes of storage have in common: who makes the volumes, and with which parameters.
import { validateQualifiedName } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

const mostParameters = 512;
const largestParameters = 256 * 1024;

export function checkProvisioner(name: string | undefined, fldPath: ValidationPath): void {
  if (isAbsent(name)) {
    fldPath.required();
    return;
  }
  const lower = name.toLowerCase();
  fldPath.invalidFor(lower, validateQualifiedName(lower));
}

export function checkParameters(
  parameters: Readonly<Record<string, string>> | undefined,
  fldPath: ValidationPath,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): void {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > mostParameters) {
    fldPath.tooLong(mostParameters);
    return;
  }
  let size = 0;
  for (const [name, value] of entries) {
    if (name === "") fldPath.invalid(name, "field can not be empty.");
    size += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (size > largestParameters) fldPath.tooLong(largestParameters);
  if (!mayBeEmpty && entries.length === 0) fldPath.required("must contain at least one key/value pair");
}
