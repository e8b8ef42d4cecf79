import { fieldPath, printFault } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { checkLegacyIp, ipWarnings, parseIp, printIp } from "./ip-address.ts";
import { collectFaults } from "./validation-path.ts";

const path = fieldPath("spec", "ip");

describe("is printed in its shortest form", () => {
  for (const [text, expected] of [
    ["10.0.0.1", "10.0.0.1"],
    ["010.000.0.1", "10.0.0.1"],
    ["2001:DB8::0:1", "2001:db8::1"],
    ["fe80:0:0:1:0:0:0:1", "fe80:0:0:1::1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["::", "::"],
    ["::1", "::1"],
    ["1::", "1::"],
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
  ] as const) {
    test(text, () => {
      const address = parseIp(text);
      expect(address && printIp(address)).toBe(expected);
    });
  }
});

describe("is no address", () => {
  for (const text of [
    "",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "1.2.3.x",
    "1..2.3",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "12345::",
    "fe80::1%eth0",
    "1.2.3.4::",
    "::1.2.3",
    ":1",
    "1:",
  ]) {
    test(JSON.stringify(text), () => expect(parseIp(text)).toBeUndefined());
  }
});

for (const [text, old, expected] of [
  ["10.9.8.7", [], []],
  ["FE80:0::0abc", [], []],
  ["x", [], ['spec.ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
  ["010.0.0.1", [], ['spec.ip: Invalid value: "010.0.0.1": must not have leading 0s']],
  ["::ffff:1.2.3.4", [], ['spec.ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address']],
  ["010.0.0.1", ["010.0.0.1"], []],
] as const) {
  test(`${text} with ${old.length} old addresses has ${expected.length} faults`, () => {
    const faults = collectFaults("spec", (spec) => checkLegacyIp(text, spec.at("ip"), old));
    expect(faults.map(printFault)).toEqual(expected);
  });
}

for (const [text, expected] of [
  ["10.9.8.7", []],
  ["010.9.8.7", ['spec.ip: non-standard IP address "010.9.8.7" is invalid: use "10.9.8.7"']],
  ["::ffff:1.2.3.4", ['spec.ip: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"']],
  ["fe80:0::1", ['spec.ip: IPv6 address "fe80:0::1" should be in RFC 5952 canonical format ("fe80::1")']],
  ["fe80::1", []],
] as const) {
  test(`${text} gets ${expected.length} warnings`, () => expect(ipWarnings(text, path)).toEqual(expected));
}
