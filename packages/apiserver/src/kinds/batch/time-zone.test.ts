import { expect, test } from "vitest";
import { isTimeZone } from "./time-zone.ts";

for (const [name, expected] of [
  ["UTC", true],
  ["Europe/Berlin", true],
  ["America/Argentina/Buenos_Aires", true],
  ["Asia/Calcutta", true],
  ["Etc/GMT+5", true],
  ["EST5EDT", true],
  ["europe/berlin", false],
  ["Europe/berlin", false],
  ["EUROPE/BERLIN", false],
  ["Nowhere/City", false],
  ["+01:00", false],
  ["Europe/", false],
] as const) {
  test(`${name} ${expected ? "is" : "is no"} time zone`, () => expect(isTimeZone(name)).toBe(expected));
}
