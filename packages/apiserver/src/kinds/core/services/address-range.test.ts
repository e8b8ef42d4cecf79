import { type Random, seededRandom } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { type AddressRange, addressesToTry, addressRangeOf, canonicalIp, isInRange } from "./address-range.ts";
import { isNodePort, nodePortsToTry, placeholderPort } from "./node-port-range.ts";

const lowest: Random = { next: () => 0 };
const highest: Random = { next: () => 1 - 2 ** -53 };
const range = (text: string) => addressRangeOf(text) as AddressRange;
function firstOf<T>(candidates: Iterable<T>): T | undefined {
  for (const candidate of candidates) return candidate;
  return undefined;
}

describe("whoever names no address is given one of the upper part", () => {
  for (const [text, from, to] of [
    ["10.0.0.0/16", "10.0.1.1", "10.0.255.254"],
    ["10.0.0.0/24", "10.0.0.17", "10.0.0.254"],
    ["10.0.0.0/27", "10.0.0.17", "10.0.0.30"],
    ["10.0.0.0/28", "10.0.0.1", "10.0.0.14"],
    ["10.0.0.0/30", "10.0.0.1", "10.0.0.2"],
    ["2001:db8::/120", "2001:db8::11", "2001:db8::ff"],
    ["2001:db8::/64", "2001:db8::101", "2001:db8::ffff:ffff:ffff:f800"],
  ] as const) {
    test(`${text}: ${from} to ${to}`, () => {
      expect(firstOf(addressesToTry(range(text), lowest))).toBe(from);
      expect(firstOf(addressesToTry(range(text), highest))).toBe(to);
    });
  }
});

test("every address is tried once, those of the lower part last", () => {
  const tried = [...addressesToTry(range("10.0.0.0/26"), seededRandom(1))];
  expect(new Set(tried).size).toBe(62);
  expect(tried).toHaveLength(62);
  const lower = tried.slice(46).map((ip) => Number(ip.split(".")[3]));
  expect(lower.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
});

for (const text of ["x", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/31", "10.0.0.0/32", "2001:db8::/128", "2001:db8::/63"]) {
  test(`${text} has nothing to give`, () => expect(addressRangeOf(text)).toBeUndefined());
}

for (const [ip, expected] of [
  ["10.0.0.1", true],
  ["10.0.255.254", true],
  ["10.0.0.0", false],
  ["10.0.255.255", false],
  ["10.1.0.1", false],
  ["2001:db8::1", false],
  ["x", false],
] as const) {
  test(`${ip} ${expected ? "can" : "cannot"} be had in 10.0.0.0/16`, () => {
    expect(isInRange(range("10.0.0.0/16"), ip)).toBe(expected);
  });
}

test("the last address of an IPv6 network can be had", () => {
  expect(isInRange(range("2001:db8::/120"), "2001:db8::ff")).toBe(true);
  expect(isInRange(range("2001:db8::/120"), "2001:db8::")).toBe(false);
});

test("an address is the same however it is spelled", () => {
  expect(canonicalIp("2001:DB8:0::1")).toBe("2001:db8::1");
  expect(canonicalIp("none of the kind")).toBe("none of the kind");
});

describe("ports on nodes", () => {
  test("are given from 30086 on, and only then below", () => {
    expect(firstOf(nodePortsToTry(lowest))).toBe(30_086);
    expect(firstOf(nodePortsToTry(highest))).toBe(32_767);
    const tried = [...nodePortsToTry(seededRandom(2))];
    expect(tried).toHaveLength(2768);
    expect(new Set(tried).size).toBe(2768);
    expect(Math.min(...tried.slice(0, -86))).toBe(30_086);
    expect(tried.every(isNodePort)).toBe(true);
  });

  test("end at both ends", () => {
    expect([29_999, 30_000, 32_767, 32_768].map(isNodePort)).toEqual([false, true, true, false]);
  });

  test("have placeholders in a dry run", () => {
    expect(placeholderPort(new Set())).toBe(32_769);
    expect(placeholderPort(new Set([32_769, 32_770]))).toBe(32_771);
    expect(placeholderPort(new Set([30_080]))).toBe(30_081);
  });
});
