import { describe, expect, test } from "vitest";
import {
  busy,
  expired,
  inStream,
  internal,
  minute,
  outcome,
  refused,
  reset,
  second,
  setUp,
} from "./running-reflector.fixture.ts";
import { added, bookmark } from "./scripted-source.fixture.ts";

describe("a watch that ends", () => {
  test.each([
    ["in order, is opened again at once", { parts: [{ afterMs: 2 * second }], ending: "close" as const }, 2 * second],
    ["with a reset after events, is opened again at once", { parts: [[added("a", "11")]], ending: reset }, 0],
  ])("%s", async (_, script, atMs) => {
    const { source, asked } = await outcome({ watches: [script] }, 5 * second);
    expect(asked).toEqual(["list 0 by 500", "watch 10", `watch ${script.ending === reset ? 11 : 10}`]);
    expect(source.askedMs[2]).toBe(atMs);
  });

  test("with a reset before any event, is opened again after a pause, without a list", async () => {
    const { asked, source, errors } = await outcome({ watches: [reset] }, 5 * second);
    expect([asked, source.askedMs]).toEqual([
      ["list 0 by 500", "watch 10", "watch 10"],
      [0, 0, 800],
    ]);
    expect(errors).toEqual(["reset"]);
  });

  test.each([
    ["when it is opened", busy],
    ["in the stream", { parts: [[inStream(busy)]] }],
    ["by a refused connection", refused],
  ])("because nobody has time, %s, is opened again after a pause, without a list", async (_, script) => {
    const { asked, source, errors } = await outcome({ watches: [script, script, script, script] }, 20 * second);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "watch 10", "watch 10", "watch 10", "watch 10"]);
    const pauses = source.askedMs.slice(2).map((ms, i) => ms - (source.askedMs[i + 1] ?? 0));
    expect(pauses).toEqual(script === refused ? [800, 1600, 3200, 6400] : [1000, 1600, 3200, 6400]);
    expect(errors).toHaveLength(4);
  });

  test("because its version has expired, is followed by a list no older than it", async () => {
    const { asked, errors } = await outcome(
      { watches: [{ parts: [[added("a", "15")], [inStream(expired)]] }] },
      2 * second,
    );
    expect(asked).toEqual(["list 0 by 500", "watch 10", "list 15", "watch 10"]);
    expect(errors).toEqual(["too old resource version"]);
  });

  test("because it could not be opened at its version, is followed by a list", async () => {
    const { asked, errors } = await outcome({ watches: [expired] }, 2 * second);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "list 10", "watch 10"]);
    expect(errors).toEqual(["too old resource version"]);
  });

  test("at once, each time, is not asked for ten times in five seconds", async () => {
    const { asked, errors } = await outcome(
      { watches: Array.from({ length: 100 }, () => ({ ending: "close" as const })) },
      5 * second,
    );
    expect(asked.length).toBeLessThan(10);
    expect(new Set(errors)).toEqual(new Set(["watch ended within a second without an event"]));
  });

  test("at once, each time with an event, is not asked for ten times in five seconds either", async () => {
    const watches = Array.from({ length: 100 }, (_, i) => ({
      parts: [[added("a", String(20 + i))]],
      ending: "close" as const,
    }));
    const { asked } = await outcome({ watches }, 5 * second);
    expect(asked.length).toBeLessThan(10);
    expect(asked.slice(2)).not.toContain("list 10");
  });

  test.each([
    ["unless told otherwise, once", 0, 0],
    ["for as long as told", 30 * second, 31],
  ])("for an internal error is opened again %s", async (_, maxInternalErrorRetryMs, retries) => {
    const watches = Array.from({ length: 100 }, () => ({ parts: [{ afterMs: second }, [inStream(internal)]] }));
    const { asked } = await outcome({ watches }, 40 * second, { maxInternalErrorRetryMs });
    const untilList = asked.indexOf("list 10");
    expect(asked.slice(2, untilList)).toHaveLength(retries);
  });

  test("for an internal error counts anew after a quiet minute", async () => {
    const failing = { parts: [{ afterMs: second }, [inStream(internal)]] };
    const quiet = { parts: [{ afterMs: minute }, [inStream(internal)]] };
    const watches = [...Array(9).fill(failing), quiet, ...Array(100).fill(failing)];
    const { asked } = await outcome({ watches }, 150 * second, { maxInternalErrorRetryMs: 30 * second });
    expect(asked.indexOf("list 10") - 2).toBe(40);
  });

  test("not by itself but long after its time, with nothing heard, is cut and opened again", async () => {
    const { asked, source, errors } = await outcome({}, 7 * minute);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "watch 10"]);
    expect(source.askedMs[2]).toBe(5 * minute + 30 * second);
    expect(errors).toEqual(["watch exceeded its timeout and received nothing"]);
  });

  test("not by itself although its time is over is left alone while something is heard", async () => {
    const parts = Array.from({ length: 8 }, () => [{ afterMs: minute }, [bookmark("11")]]).flat();
    const { asked, source } = await outcome({ watches: [{ parts }] }, 10 * minute);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "watch 11"]);
    expect(source.askedMs[2]).toBe(9 * minute + 30 * second);
  });
});

test("a watch in which the server complains is let go of before anything else is asked for", async () => {
  const { run, stop, source } = setUp({ watches: [{ parts: [[inStream(internal), added("a", "11")]] }] });
  await run(500);
  expect([source.openWatches, source.asked.length]).toEqual([0, 2]);
  await stop();
});
