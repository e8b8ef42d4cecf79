import { parseInstant } from "@kubeloop/core/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findTimeFault } from "./time-fault.ts";

const as = (layout: string) => (text: string, rest: string, element: string) =>
  `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${element}"`;
const asTime = as("2006-01-02T15:04:05Z07:00");
const asMicroTime = as("2006-01-02T15:04:05.000000Z07:00");

describe("a time", () => {
  for (const text of [
    "2024-02-28T03:04:05Z",
    "2024-02-29T3:04:05Z",
    "2024-02-28T03:04:05.123456789123Z",
    "2024-02-28T03:04:05,5+24:60",
    "0000-01-01T00:00:00Z",
  ]) {
    test(`${text} is one`, () => expect(findTimeFault(text, "time")).toBeUndefined());
  }

  for (const [text, rest, element] of [
    ["", "", "2006"],
    ["x", "x", "2006"],
    ["202x-01-01T00:00:00Z", "202x-01-01T00:00:00Z", "2006"],
    ["2024", "", "-"],
    ["2024-1-02T03:04:05Z", "1-02T03:04:05Z", "01"],
    ["2024-xx-01T00:00:00Z", "xx-01T00:00:00Z", "01"],
    ["2024-02-28 03:04:05Z", " 03:04:05Z", "T"],
    ["2024-02-28t03:04:05Z", "t03:04:05Z", "T"],
    ["2024-02-28T03:4:05Z", "4:05Z", "04"],
    ["2024-02-28T03:04:5Z", "5Z", "05"],
    ["2024-02-28T03:04:05", "", "Z07:00"],
    ["2024-02-28T03:04:05z", "z", "Z07:00"],
    ["2024-02-28T03:04:05.Z", ".Z", "Z07:00"],
    ["2024-02-28T03:04:05+0200", "+0200", "Z07:00"],
  ] as const) {
    test(`${JSON.stringify(text)} ends at ${element}`, () => {
      expect(findTimeFault(text, "time")).toBe(asTime(text, rest, element));
    });
  }

  for (const [text, range] of [
    ["2024-13-02T03:04:05Z", "month out of range"],
    ["2024-00-01T00:00:00Z", "month out of range"],
    ["2024-02-30T03:04:05Z", "day out of range"],
    ["2024-02-00T00:00:00Z", "day out of range"],
    ["2024-02-28T25:04:05Z", "hour out of range"],
    ["2024-02-28T03:60:05Z", "minute out of range"],
    ["2024-02-28T03:04:65Z", "second out of range"],
    ["2024-02-28T03:04:05+25:00", "time zone offset hour out of range"],
    ["2024-02-28T03:04:05+02:61", "time zone offset minute out of range"],
    ["2024-02-28T03:04:05Zx", 'extra text: "x"'],
    ["2024-02-31T03:04:05+02:00x", 'extra text: "x"'],
  ] as const) {
    test(`${text}: ${range}`, () => expect(findTimeFault(text, "time")).toBe(`parsing time "${text}": ${range}`));
  }

  test("is quoted byte by byte", () => {
    expect(findTimeFault('"w"\u0001é', "time")).toBe(
      String.raw`parsing time "\"w\"\x01\xc3\xa9" as "2006-01-02T15:04:05Z07:00": cannot parse "\"w\"\x01\xc3\xa9" as "2006"`,
    );
  });
});

test("a long text is not shown whole", () => {
  const fault = findTimeFault("x".repeat(5000), "time");
  expect(fault).toBe(asTime(`${"x".repeat(1000)}...`, `${"x".repeat(1000)}...`, "2006"));
});

describe("a micro time", () => {
  test("has six digits", () => expect(findTimeFault("2024-02-28T03:04:05,123456Z", "micro-time")).toBeUndefined());
  for (const [text, rest, element] of [
    ["2024-02-28T03:04:05Z", "Z", ".000000"],
    ["2024-02-28T03:04:05.123Z", ".123Z", ".000000"],
    ["2024-02-28T03:04:05.1234567Z", "7Z", "Z07:00"],
  ] as const) {
    test(`${text} ends at ${element}`, () => {
      expect(findTimeFault(text, "micro-time")).toBe(asMicroTime(text, rest, element));
    });
  }
});

test("finds a fault exactly where core's reader does", () => {
  const digits = (length: number, max: number) =>
    fc.integer({ min: 0, max }).map((n) => String(n).padStart(length, "0"));
  const text = fc
    .tuple(digits(4, 9999), digits(2, 14), digits(2, 33), digits(2, 25), digits(2, 61), digits(2, 61))
    .chain(([year, month, day, hour, minute, second]) =>
      fc
        .constantFrom("Z", "+02:00", "-25:00", ".5Z", "", "z")
        .map((zone) => `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`),
    );
  const isTime = (candidate: string) => {
    try {
      parseInstant(candidate);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(text, (candidate) => {
      expect(findTimeFault(candidate, "time") === undefined).toBe(isTime(candidate));
    }),
  );
});
