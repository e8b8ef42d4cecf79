import { expect, test } from "vitest";
import { scheduleFault } from "./cron-schedule.ts";

// Rows that a real server was asked about are in `pod-spec/facts/cron-jobs.facts.json`.
for (const [schedule, expected] of [
  ["0 0 * * *", undefined],
  ["0,15,30 1-5 */2 JAN-mar sun", undefined],
  ["5/15 * * * *", undefined],
  ["  0   0 *\t* * ", undefined],
  [",, * * * *", undefined],
  ["@every 1h30m", undefined],
  ["CRON_TZ=Europe/Berlin 0 0 * * *", undefined],
  ["", "expected exactly 5 fields, found 0: []"],
  ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
  ["0 24 * * *", "end of range (24) above maximum (23): 24"],
  ["0 0 32 * *", "end of range (32) above maximum (31): 32"],
  ["0 0 * 0 *", "beginning of range (0) below minimum (1): 0"],
  ["0 0 * * mon-sun", "beginning of range (1) beyond end of range (0): mon-sun"],
  ["0 0 * * noday", 'failed to parse int from noday: strconv.Atoi: parsing "noday": invalid syntax'],
  ["*/x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["1-x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  [
    "99999999999999999999 * * * *",
    'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
  ],
  ["@every", "unrecognized descriptor: @every"],
  ["@every 1", 'failed to parse duration @every 1: time: missing unit in duration "1"'],
] as const) {
  test(`${JSON.stringify(schedule)} ${expected === undefined ? "is a schedule" : `fails: ${expected}`}`, () =>
    expect(scheduleFault(schedule)).toBe(expected));
}
