import { describe, expect, test } from "vitest";
import { lastOf, overlaps, parseCidr, printCidr } from "./cidr.ts";

const parse = (text: string) => {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`${text} is no network`);
  return cidr;
};

describe("a network", () => {
  test.each([
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["255.255.255.255/32", "255.255.255.255/32"],
    ["010.001.0.0/16", "10.1.0.0/16"],
    [" 10.0.0.0/8 ", "10.0.0.0/8"],
    ["fd00:10:244::/48", "fd00:10:244::/48"],
    ["FD00::1/64", "fd00::/64"],
    ["::/0", "::/0"],
    ["::1/128", "::1/128"],
    ["1::/16", "1::/16"],
    ["2001:db8:0:0:1:0:0:1/128", "2001:db8::1:0:0:1/128"],
    ["2001:db8:0:1:1:1:1:1/128", "2001:db8:0:1:1:1:1:1/128"],
    ["2001:0db8:1234::/50", "2001:db8:1234::/50"],
    ["::ffff:10.0.0.1/128", "::ffff:a00:1/128"],
  ])("%s is %s", (text, printed) => expect(printCidr(parse(text))).toBe(printed));

  test.each([
    "",
    "10.0.0.0",
    "10.0.0/8",
    "10.0.0.256/8",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/x",
    "1:2:3/16",
    "::1::/64",
    "1:2:3:4:5:6:7:8:9/64",
    "1:2:3:4:5:6:7:8::/64",
    "g::/64",
    "::/129",
    "::10.0.0/96",
    "12345::/16",
  ])("%j is none", (text) => expect(parseCidr(text)).toBeUndefined());

  test.each([
    ["10.0.0.0/8", "10.255.255.255/32"],
    ["fd00::/64", "fd00::ffff:ffff:ffff:ffff/128"],
    ["10.0.0.7/32", "10.0.0.7/32"],
  ])("%s ends with %s", (text, last) => expect(lastOf(parse(text))).toBe(parse(last).first));

  test.each([
    ["10.0.0.0/8", "10.1.0.0/16", true],
    ["10.1.0.0/16", "10.0.0.0/8", true],
    ["10.1.0.0/16", "10.1.0.0/16", true],
    ["10.1.0.0/16", "10.2.0.0/16", false],
    ["0.0.0.0/0", "::/0", false],
    ["fd00::/8", "fd00:1::/32", true],
  ])("%s and %s overlap: %s", (one, other, expected) => expect(overlaps(parse(one), parse(other))).toBe(expected));
});
