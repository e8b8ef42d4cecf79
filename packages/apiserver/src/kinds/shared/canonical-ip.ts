// Addresses and networks of newer fields, which have one spelling each.
import { quote } from "@kubeloop/core/api";
import { checkLegacyCidr, parseCidr, printCidr } from "./cidr.ts";
import type { FaultPlace } from "./fault-place.ts";
import { checkLegacyIp, parseIp, printIp } from "./ip-address.ts";

export function checkCanonicalIp(text: string, place: FaultPlace): void {
  const before = place.faultCount;
  checkLegacyIp(text, place);
  const address = parseIp(text);
  if (place.faultCount > before || address === undefined) return;
  const best = printIp(address);
  if (text !== best) place.invalid(text, `must be in canonical form (${quote(best)})`);
}

export function checkCanonicalCidr(text: string, place: FaultPlace): void {
  const before = place.faultCount;
  checkLegacyCidr(text, place);
  const cidr = parseCidr(text);
  if (place.faultCount > before || cidr === undefined) return;
  const best = printCidr(cidr);
  if (text !== best) place.invalid(text, `must be in canonical form (${quote(best)})`);
}
