import { describe, expect, test } from "vitest";
import { normalBase64, normalDuration, normalMicroTime, normalQuantity, normalTime } from "./scalars.ts";

describe("one spelling of", () => {
  for (const [fact, actual, expected] of [
    ["a quantity", normalQuantity("1024Mi"), "1Gi"],
    ["a quantity, asked for again", [normalQuantity("0.5"), normalQuantity("0.5")], ["500m", "500m"]],
    ["a time as programs print it", normalTime("2024-02-28T03:04:05Z"), "2024-02-28T03:04:05Z"],
    ["a leap day", normalTime("2024-02-29T23:59:59Z"), "2024-02-29T23:59:59Z"],
    ["a time elsewhere", normalTime("2024-02-28T03:04:05.9-01:30"), "2024-02-28T04:34:05Z"],
    ["a time before 1970", normalTime("1969-12-31T23:59:59.9Z"), "1969-12-31T23:59:59Z"],
    ["the zero time", normalTime("0001-01-01T00:00:00Z"), null],
    ["a micro time elsewhere", normalMicroTime("2024-02-28T03:04:05.123456+02:00"), "2024-02-28T01:04:05.123456Z"],
    ["a micro time before 1970", normalMicroTime("1969-12-31T23:59:59.999999Z"), "1969-12-31T23:59:59.999999Z"],
    ["the zero micro time", normalMicroTime("0001-01-01T00:00:00.000000Z"), null],
    ["a duration", normalDuration("90s"), "1m30s"],
  ] as const) {
    test(fact, () => expect(actual).toEqual(expected));
  }
});

describe("refuses", () => {
  for (const [fact, read, message] of [
    ["a quantity", () => normalQuantity("1x"), "quantities must match"],
    ["a quantity of many digits", () => normalQuantity("1".repeat(1001)), "unable to parse numeric part of quantity"],
    ["a day that is not in its month", () => normalTime("2023-02-29T00:00:00Z"), "day out of range"],
    ["a time beyond the calendar", () => normalTime("9999-12-31T23:59:59-01:00"), "outside the years"],
    ["a duration", () => normalDuration("x"), 'time: invalid duration "x"'],
  ] as const) {
    test(fact, () => expect(read).toThrow(message));
  }
});

describe("bytes", () => {
  for (const [text, expected] of [
    ["", { text: "" }],
    ["YWJj", { text: "YWJj" }],
    ["YQ==", { text: "YQ==" }],
    ["YR==", { text: "YQ==" }],
    ["YWK=", { text: "YWI=" }],
    ["Y\r\nQ\n==\n", { text: "YQ==" }],
    ["\n", { text: "" }],
    ["!!", { faultAt: 0 }],
    ["YQ", { faultAt: 0 }],
    ["YWJjY", { faultAt: 4 }],
    ["YWJj!", { faultAt: 4 }],
    ["YQ=", { faultAt: 3 }],
    ["YQ=a", { faultAt: 2 }],
    ["=", { faultAt: 0 }],
    ["Y===", { faultAt: 1 }],
    ["YQ==YQ==", { faultAt: 4 }],
    ["YWI=x", { faultAt: 4 }],
    ["é", { faultAt: 0 }],
    ["YWJjYWJjYé==", { faultAt: 9 }],
    ["YWJj\nYWJ", { faultAt: 5 }],
    ["YWJjYWJ", { faultAt: 4 }],
    ["a-_b", { faultAt: 1 }],
  ] as const) {
    test(`${JSON.stringify(text)} → ${JSON.stringify(expected)}`, () => expect(normalBase64(text)).toEqual(expected));
  }
});
