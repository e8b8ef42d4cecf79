import { expect, test } from "vitest";
import { retryAfterHeaderMs } from "./retry-after.ts";

const nowMs = Date.parse("2030-01-01T00:00:00Z");

for (const [name, headers, expected] of [
  ["absent", {}, undefined],
  ["seconds", { "retry-after": "7" }, 7000],
  ["seconds among blanks", { "retry-after": " 7 " }, 7000],
  ["no seconds at all", { "retry-after": "0" }, 0],
  ["the first of several", { "retry-after": ["2", "3"] }, 2000],
  ["negative", { "retry-after": "-1" }, undefined],
  ["a fraction", { "retry-after": "1.5" }, undefined],
  ["more seconds than there are", { "retry-after": "99999999999999999999" }, undefined],
  ["empty", { "retry-after": "" }, undefined],
  ["a date ahead", { "retry-after": "Tue, 01 Jan 2030 00:01:00 GMT" }, 60_000],
  ["a date gone by", { "retry-after": "Mon, 31 Dec 2029 23:00:00 GMT" }, 0],
  [
    "a date by the server's own clock",
    {
      "retry-after": "Tue, 01 Jan 2030 09:00:03 GMT",
      date: "Tue, 01 Jan 2030 09:00:00 GMT",
    },
    3000,
  ],
  ["a date that is none", { "retry-after": "Tue, 99 Foo 2030 00:01:00 GMT" }, undefined],
  ["another way to write a date", { "retry-after": "2030-01-01T00:01:00Z" }, undefined],
] as const) {
  test(`Retry-After ${name}: ${expected}`, () => expect(retryAfterHeaderMs(headers, nowMs)).toBe(expected));
}
