import { describe, expect, test } from "vitest";
import { newZone, takeToken, withRate } from "./model.ts";

const free = { rate: 0.1, freeAtMs: Number.NEGATIVE_INFINITY };
const empty = { rate: 0.1, freeAtMs: 5000 };
const stopped = { rate: 0, freeAtMs: Number.POSITIVE_INFINITY };

describe("the rate of a zone", () => {
  test("lets one through at once", () => expect(newZone(0.1).limiter).toEqual(free));
  test("then waits", () => expect(takeToken(free, 1000)).toEqual({ rate: 0.1, freeAtMs: 11_000 }));
  test.each([
    ["that stays the same changes nothing", empty, 0.1, empty],
    ["that becomes another one lets one through, if it would have", free, 0.01, { rate: 0.01, freeAtMs: 1000 }],
    ["that becomes another one does not, if it would not have", empty, 0.01, { rate: 0.01, freeAtMs: 101_000 }],
    ["that becomes faster makes whoever waits wait shorter", empty, 1, { rate: 1, freeAtMs: 2000 }],
    ["of 0 stops it", free, 0, stopped],
    ["of less than 0 stops it", free, -1, stopped],
    ["after a stop does not let one through at once", stopped, 0.1, { rate: 0.1, freeAtMs: 11_000 }],
  ])("%s", (_fact, before, rate, after) => expect(withRate(before, rate, 1000)).toEqual(after));
});
