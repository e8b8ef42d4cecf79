// Names of CSI drivers, wherever they stand: DNS names in any case, short enough for a label.
import { validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "./checks.ts";
import type { FaultPlace } from "./fault-place.ts";

const longestName = 63;

export function checkDriverName(name: string | undefined, place: FaultPlace): void {
  if (isAbsent(name)) {
    place.required();
    return;
  }
  if (Buffer.byteLength(name) > longestName) place.tooLong(longestName);
  place.invalidFor(name, validateDns1123Subdomain(name.toLowerCase()));
}
