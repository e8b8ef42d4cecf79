import { expect, test } from "vitest";
import { printAge, printShortDuration } from "./age.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

for (const [ms, expected] of [
  [-2 * second, "<invalid>"],
  [-1999, "0s"],
  [0, "0s"],
  [119_999, "119s"],
  [2 * minute, "2m"],
  [2 * minute + second, "2m1s"],
  [9 * minute + 59 * second, "9m59s"],
  [10 * minute + 59 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 59 * minute, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [47 * hour, "47h"],
  [48 * hour, "2d"],
  [7 * day + 23 * hour, "7d23h"],
  [8 * day + 23 * hour, "8d"],
  [729 * day, "729d"],
  [730 * day, "2y"],
  [731 * day, "2y1d"],
  [8 * 365 * day + 40 * day, "8y"],
  [2000 * 365 * day, "292y"],
] as const) {
  test(`${ms} ms are shown as ${expected}`, () => expect(printShortDuration(ms)).toBe(expected));
}

test("an age is counted from the time given", () => {
  expect(printAge("2024-05-01T12:00:00Z", Date.UTC(2024, 4, 1, 12, 8, 26))).toBe("8m26s");
});

test("the age of what has no time is not known", () => {
  expect(printAge(undefined, 0)).toBe("<unknown>");
  expect(printAge(null, 0)).toBe("<unknown>");
});
