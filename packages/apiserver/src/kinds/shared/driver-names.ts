// Names of CSI drivers, wherever they stand: DNS names in any case, short enough for a label.
import { validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "./checks.ts";
import type { ValidationPath } from "./validation-path.ts";

const longestName = 63;

export function checkDriverName(name: string | undefined, fldPath: ValidationPath): void {
  if (isAbsent(name)) {
    fldPath.required();
    return;
  }
  if (Buffer.byteLength(name) > longestName) fldPath.tooLong(longestName);
  fldPath.invalidFor(name, validateDns1123Subdomain(name.toLowerCase()));
}
