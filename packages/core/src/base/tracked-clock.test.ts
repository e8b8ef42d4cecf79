import { describe, expect, test } from "vitest";
import { TrackedClock } from "./tracked-clock.ts";

const { signal } = new AbortController();

async function isIdle(clock: TrackedClock): Promise<boolean> {
  const patience = new AbortController();
  const idle = clock.whenIdle(patience.signal).then(
    () => true,
    () => false,
  );
  // More rounds of the event loop than it looks at.
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
  patience.abort();
  return await idle;
}

describe("is idle", () => {
  test.each<[what: string, begin: (clock: TrackedClock) => unknown, expected: boolean]>([
    ["from the start", () => {}, true],
    ["but not while a token is held", (clock) => clock.hold("a request"), false],
    ["but not before a timer has fired", (clock) => clock.after(60_000, () => {}), false],
    ["but not while somebody sleeps", (clock) => void clock.sleep(60_000, signal), false],
    [
      "with background timers",
      (clock) => clock.labelled({ kind: "background", name: "lease" }).after(60_000, () => {}),
      true,
    ],
    [
      "but not with timers of work that has a name",
      (clock) => clock.labelled({ kind: "work", name: "retry" }).after(60_000, () => {}),
      false,
    ],
    ["with a timer that never fires", (clock) => clock.after(Number.POSITIVE_INFINITY, () => {}), true],
    ["once a token was given back", (clock) => clock.hold("a request")[Symbol.dispose](), true],
    ["once a timer was cancelled", (clock) => clock.after(60_000, () => {})[Symbol.dispose](), true],
    ["after what is ready has run", (clock) => void clock.yield(), true],
  ])("%s", async (_, begin, expected) => {
    const clock = new TrackedClock();
    begin(clock);
    expect(await isIdle(clock)).toBe(expected);
  });
});

describe("at a glance", () => {
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  test.each<[what: string, begin: (clock: TrackedClock) => unknown, expected: boolean]>([
    ["nothing is under way", () => {}, true],
    ["a timer is not waited for", (clock) => clock.after(60_000, () => {}), false],
    ["a request that never ends is not waited for without end", (clock) => clock.hold("a request"), false],
    [
      "a request that is answered soon is waited for",
      async (clock) => {
        using _request = clock.hold("a request");
        await turns(20);
      },
      true,
    ],
    [
      "a request that sets a timer is no reason to wait",
      async (clock) => {
        using _request = clock.hold("a request");
        await turns(20);
        clock.after(60_000, () => {});
      },
      false,
    ],
    ["a timer that was cancelled counts no more", (clock) => clock.after(60_000, () => {})[Symbol.dispose](), true],
  ])("%s", async (_, begin, expected) => {
    const clock = new TrackedClock();
    void begin(clock);
    expect(await clock.isIdle()).toBe(expected);
  });
});

test("what a timer starts belongs to what is waited for", async () => {
  const clock = new TrackedClock();
  const order: string[] = [];
  clock.after(1, () => {
    order.push("first");
    clock.after(1, () => order.push("second"));
  });
  await clock.whenIdle(signal);
  expect(order).toEqual(["first", "second"]);
});

test("says what is under way", () => {
  const clock = new TrackedClock();
  clock.hold("a request");
  using _timer = clock.labelled({ kind: "work", name: "retry" }).after(60_000, () => {});
  expect(clock.underWay()).toEqual(["a request", "timer retry"]);
});
