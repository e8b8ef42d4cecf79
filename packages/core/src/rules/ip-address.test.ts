import { expect, test } from "vitest";
import { canonicalIp } from "./ip-address.ts";

test.each([
  ["10.0.0.1", { ip: "10.0.0.1", family: "IPv4" }],
  ["010.000.000.001", { ip: "10.0.0.1", family: "IPv4" }],
  ["::ffff:10.0.0.1", { ip: "10.0.0.1", family: "IPv4" }],
  ["2001:DB8:0:0::1", { ip: "2001:db8::1", family: "IPv6" }],
  ["0:0:0:0:0:0:0:1", { ip: "::1", family: "IPv6" }],
  ["1::2::3", undefined],
  ["256.0.0.1", undefined],
  ["10.0.0", undefined],
  ["example.com", undefined],
  ["", undefined],
])("%s is %o", (text, expected) => expect(canonicalIp(text)).toEqual(expected));
