// IP addresses as specs and statuses hold them. Old fields accept what Go once parsed, but no longer spellings that others read
// differently: octets with leading zeros and IPv4 inside IPv6.
import { type FieldPath, printPath } from "@kubeloop/core/api";
import { isIpv4Mapped, parseIp, printIp } from "@kubeloop/core/rules";
import type { ValidationPath } from "./validation-path.ts";

export { type IpAddress, parseIp, printIp } from "@kubeloop/core/rules";

/** The rule of fields that are older than strict validation. */
export function checkLegacyIp(
  text: string,
  fldPath: ValidationPath,
  /** Those of the object as it was may stay, however spelled. */
  oldAddresses: readonly string[] = [],
): void {
  if (oldAddresses.includes(text)) return;
  const address = parseIp(text);
  if (address === undefined) {
    const why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    fldPath.invalid(text, why);
  } else if (address.hasLeadingZeros) {
    fldPath.invalid(text, "must not have leading 0s");
  } else if (address.family === "IPv6" && isIpv4Mapped(address.parts)) {
    fldPath.invalid(text, "must not be an IPv4-mapped IPv6 address");
  }
}

/** For addresses that are right, but spelled as they should not be. */
export function ipWarnings(text: string, path: FieldPath): string[] {
  const address = parseIp(text);
  if (address === undefined) return [];
  const best = printIp(address);
  if (address.hasLeadingZeros || (address.family === "IPv6" && isIpv4Mapped(address.parts))) {
    return [`${printPath(path)}: non-standard IP address "${text}" is invalid: use "${best}"`];
  }
  if (address.family === "IPv4" || best === text) return [];
  return [`${printPath(path)}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${best}")`];
}
