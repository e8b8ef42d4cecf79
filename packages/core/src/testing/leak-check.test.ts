import { expect, test } from "vitest";
import { FakeClock, onAbort } from "../base/index.ts";
import { assertNoLeaks, findLeaks } from "./leak-check.ts";

const quiet = { clock: new FakeClock(), signals: [new AbortController().signal], servers: [{ openWatches: 0 }] };

test("finds nothing where nothing was left", () => {
  expect(findLeaks(quiet)).toEqual([]);
  expect(() => assertNoLeaks(quiet)).not.toThrow();
});

test("names timers and what is in flight", () => {
  const clock = new FakeClock();
  clock.labelled({ kind: "background", name: "resync" }).after(5, () => {});
  clock.after(7, () => {});
  clock.hold("a request");
  expect(findLeaks({ clock })).toEqual([
    "a background timer resync is due in 5 ms",
    "a work timer (unnamed) is due in 7 ms",
    "a request is in flight",
  ]);
});

test("counts listeners on a signal that can still tell them", () => {
  const stop = new AbortController();
  stop.signal.addEventListener("abort", () => {});
  onAbort(stop.signal, () => {});
  expect(findLeaks({ signals: [stop.signal] })).toEqual(["2 listeners on a signal"]);
  stop.abort();
  expect(findLeaks({ signals: [stop.signal] })).toEqual([]);
});

test("counts watches, and throws all it found", () => {
  const stop = new AbortController();
  onAbort(stop.signal, () => {});
  const sources = { signals: [stop.signal], servers: [{ openWatches: 1 }, { openWatches: 2 }] };
  expect(() => assertNoLeaks(sources)).toThrow("left behind: 1 listener on a signal; 1 open watch; 2 open watches");
});
