// Addresses and networks of newer fields, which have one spelling each.
import { quote } from "@kubeloop/core/api";
import { checkLegacyCidr, parseCidr, printCidr } from "./cidr.ts";
import { checkLegacyIp, parseIp, printIp } from "./ip-address.ts";
import type { ValidationPath } from "./validation-path.ts";

export function checkCanonicalIp(text: string, fldPath: ValidationPath): void {
  const before = fldPath.faultCount;
  checkLegacyIp(text, fldPath);
  const address = parseIp(text);
  if (fldPath.faultCount > before || address === undefined) return;
  const best = printIp(address);
  if (text !== best) fldPath.invalid(text, `must be in canonical form (${quote(best)})`);
}

export function checkCanonicalCidr(text: string, fldPath: ValidationPath): void {
  const before = fldPath.faultCount;
  checkLegacyCidr(text, fldPath);
  const cidr = parseCidr(text);
  if (fldPath.faultCount > before || cidr === undefined) return;
  const best = printCidr(cidr);
  if (text !== best) fldPath.invalid(text, `must be in canonical form (${quote(best)})`);
}
