import { type Fault, printFault } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { checkLegacyCidr, cidrWarnings, parseCidr, printCidr } from "./cidr.ts";
import { checkEndpointIp } from "./endpoint-ip.ts";
import { ValidationPath } from "./validation-path.ts";

function faultsOf(check: (fldPath: ValidationPath) => void): string[] {
  const faults: Fault[] = [];
  check(new ValidationPath(faults, "at", {}));
  return faults.map(printFault);
}

for (const [text, expected] of [
  ["10.1.2.3/24", "10.1.2.0/24"],
  ["10.1.2.3/8", "10.0.0.0/8"],
  ["10.1.2.3/32", "10.1.2.3/32"],
  ["10.1.2.3/0", "0.0.0.0/0"],
  ["010.1.2.3/024", "10.1.2.0/24"],
  ["2001:DB8:1:2::3/40", "2001:db8::/40"],
  ["2001:db8::3/127", "2001:db8::2/127"],
  ["::/0", "::/0"],
] as const) {
  test(`${text} is in ${expected}`, () => {
    const cidr = parseCidr(text);
    expect(cidr && printCidr(cidr)).toBe(expected);
  });
}

for (const text of [
  "",
  "10.0.0.0",
  "10.0.0.0/",
  "10.0.0.0/33",
  "::/129",
  "x/8",
  "10.0.0.0/-1",
  "10.0.0.0/8/8",
  "1/8",
]) {
  test(`${JSON.stringify(text)} is no network`, () => expect(parseCidr(text)).toBeUndefined());
}

for (const [text, old, expected] of [
  ["10.1.0.0/16", [], []],
  ["FE80::/10", [], []],
  ["x", [], ['at: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']],
  ["10.1.0.0/016", [], ['at: Invalid value: "10.1.0.0/016": must not have leading 0s in IP or prefix length']],
  ["::ffff:1.2.3.0/120", [], ['at: Invalid value: "::ffff:1.2.3.0/120": must not have an IPv4-mapped IPv6 address']],
  ["10.1.0.1/16", [], ['at: Invalid value: "10.1.0.1/16": must not have bits set beyond the prefix length']],
  ["10.1.0.1/16", ["10.1.0.1/16"], []],
] as const) {
  test(`${text} with ${old.length} old ones has ${expected.length} faults`, () => {
    expect(faultsOf((fldPath) => checkLegacyCidr(text, fldPath, old))).toEqual(expected);
  });
}

for (const [text, expected] of [
  ["10.1.0.0/16", []],
  ["fe80::/10", []],
  [
    "10.1.0.1/16",
    ['at: CIDR value "10.1.0.1/16" is ambiguous in this context (should be "10.1.0.0/16" or "10.1.0.1/32"?)'],
  ],
  ["10.1.0.0/016", ['at: non-standard CIDR value "10.1.0.0/016" is invalid: use "10.1.0.0/16"']],
  ["FE80::/10", ['at: IPv6 CIDR value "FE80::/10" should be in RFC 5952 canonical format ("fe80::/10")']],
  ["x", []],
] as const) {
  test(`${text} gets ${expected.length} warnings`, () => {
    expect(cidrWarnings(text, new ValidationPath([], "at", {}))).toEqual(expected);
  });
}

for (const [ip, why] of [
  ["10.0.0.1", undefined],
  ["128.0.0.1", undefined],
  ["224.0.1.1", undefined],
  ["fec0::1", undefined],
  ["ff05::2", undefined],
  ["127.255.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["febf::1", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ["ff12::1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
  ["::", "may not be unspecified (::)"],
] as const) {
  test(`traffic ${why === undefined ? "may" : "may not"} be sent to ${ip}`, () => {
    const expected = why === undefined ? [] : [`at: Invalid value: "${ip}": ${why}`];
    expect(faultsOf((fldPath) => checkEndpointIp(ip, fldPath))).toEqual(expected);
  });
}
