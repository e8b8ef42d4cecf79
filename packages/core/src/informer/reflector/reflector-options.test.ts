import { describe, expect, test } from "vitest";
import { settingsOf } from "./reflector-options.ts";

describe("whether lists are streamed", () => {
  test.each([
    ["not where the environment says no, whatever the source can", { canWatchList: true }, {}, "false", false],
    ["where source and environment allow it", { canWatchList: true }, {}, "true", true],
    ["not where the source cannot", { canWatchList: false }, {}, "true", false],
    ["where the source says nothing", {}, {}, undefined, true],
    ["not where the user does not want it", {}, { watchListEnabled: false }, undefined, false],
    ["where the user wants it, whatever the environment says", {}, { watchListEnabled: true }, "false", true],
  ])("%s", (_, source, options, gate, expected) => {
    const { rules } = settingsOf(options, source, { KUBE_FEATURE_WatchListClient: gate });
    expect(rules.canStream).toBe(expected);
  });
});

describe("whether streamed lists are compared with lists", () => {
  test.each([
    ["not unless asked for", undefined, {}, false],
    ["where the environment asks for it", "true", {}, true],
    ["where it asks in short", "1", {}, true],
    ["not where it says no", "false", {}, false],
    ["as the user says", "true", { detectInconsistency: false }, false],
  ])("%s", (_, variable, options, expected) => {
    const environment = { KUBE_WATCHLIST_INCONSISTENCY_DETECTOR: variable };
    expect(settingsOf(options, {}, environment).detectInconsistency).toBe(expected);
  });
});

test("a back-off of one's own still begins anew after two minutes unless it says otherwise", () => {
  const backoff = { initialMs: 1, factor: 3, maxMs: 10, jitter: 0 };
  expect(settingsOf({ backoff }, {}, {}).rules.backoff).toEqual({ ...backoff, resetAfterMs: 120_000 });
  expect(settingsOf({ backoff: { ...backoff, resetAfterMs: 5 } }, {}, {}).rules.backoff.resetAfterMs).toBe(5);
});
