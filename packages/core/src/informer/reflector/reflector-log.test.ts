import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newBadRequest } from "../../api/index.ts";
import { FakeClock, jsonLineLog, type Log, noLog } from "../../base/index.ts";
import { RecordingStore } from "./recording-store.fixture.ts";
import { Reflector } from "./reflector.ts";
import { minute, refused } from "./running-reflector.fixture.ts";
import { type Pod, ScriptedSource } from "./scripted-source.fixture.ts";

const stderr: string[] = [];
beforeEach(() => {
  stderr.length = 0;
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr.push(String(text));
    return true;
  });
});
afterEach(() => void vi.restoreAllMocks());

/** Ten minutes of a server that nobody reaches. */
async function tryFor(name: string, log?: Log) {
  const clock = new FakeClock();
  const source = new ScriptedSource(clock, { lists: [refused] });
  const options = { name, clock, random: { next: () => 0 }, ...(log === undefined ? {} : { log }) };
  const reflector = new Reflector<Pod>(source, new RecordingStore(), options);
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(10 * minute);
  stop.abort();
  await running;
  return source.asked.length;
}

describe("a reflector that cannot reach its server", () => {
  test("says so on stderr unless it is given a log, once for all attempts of a minute", async () => {
    expect(await tryFor("unreachable by default")).toBeGreaterThan(10);
    expect(stderr).toHaveLength(1);
    expect(stderr[0]).toMatch(/^\S+Z WARN reflector "unreachable by default": .* error="connect failed"\n$/);
  });

  test("says nothing with noLog", async () => {
    await tryFor("unreachable and silent", noLog);
    expect(stderr).toEqual([]);
  });

  test("tells the log it is given, every time, and nobody else", async () => {
    const lines: string[] = [];
    const asked = await tryFor(
      "unreachable and logged",
      jsonLineLog({ write: (line) => lines.push(line), now: () => 0 }),
    );
    expect([lines.length, stderr]).toEqual([asked, []]);
  });
});

test("a server that cannot stream lists is no trouble: nothing is said of it by default", async () => {
  const clock = new FakeClock();
  const source = new ScriptedSource(clock, { canWatchList: true, watches: [newBadRequest("no WatchList")] });
  const options = { name: "unstreamable by default", clock, random: { next: () => 0 } };
  const stop = new AbortController();
  const running = new Reflector<Pod>(source, new RecordingStore(), options).run(stop.signal);
  await clock.advance(minute);
  stop.abort();
  await running;
  expect([source.asked, stderr]).toEqual([["stream newest", "list 0 by 500", "watch 10"], []]);
});
