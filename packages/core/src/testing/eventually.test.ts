import { describe, expect, test } from "vitest";
import { FakeClock } from "../base/index.ts";
import { eventually } from "./eventually.ts";

describe("eventually", () => {
  test("what holds already takes no time", async () => {
    const clock = new FakeClock();
    expect(await eventually(clock, () => "there")).toBe("there");
    expect(clock.monotonic()).toBe(0);
  });

  test("what promises alone bring about takes none either", async () => {
    const clock = new FakeClock();
    let seen = 0;
    void Promise.resolve().then(() => {
      seen = 1;
    });
    expect(await eventually(clock, () => seen)).toBe(1);
    expect(clock.monotonic()).toBe(0);
  });

  test("time moves to the very moment, and no further", async () => {
    const clock = new FakeClock();
    let count = 0;
    const tick = () => {
      count++;
      clock.after(700, tick);
    };
    clock.after(700, tick);
    expect(await eventually(clock, () => count, { until: (seen) => seen === 3 })).toBe(3);
    expect(clock.monotonic()).toBe(2100);
  });

  test("what holds for a moment only is seen", async () => {
    const clock = new FakeClock();
    let isOpen = false;
    clock.after(10, () => {
      isOpen = true;
    });
    clock.after(11, () => {
      isOpen = false;
    });
    expect(await eventually(clock, () => isOpen)).toBe(true);
    expect(clock.monotonic()).toBe(10);
  });

  test("it looks at the end of the bound, too", async () => {
    const clock = new FakeClock();
    clock.after(1_000_000, () => {});
    await eventually(clock, () => clock.monotonic() >= 5000, { withinMs: 5000 });
    expect(clock.monotonic()).toBe(5000);
  });

  test("an answer that takes time is waited for", async () => {
    const clock = new FakeClock();
    const ask = async () => {
      await clock.sleep(40, new AbortController().signal);
      return clock.monotonic() > 100;
    };
    expect(await eventually(clock, ask, { withinMs: 1000 })).toBe(true);
    expect(clock.monotonic()).toBe(120);
  });

  for (const [fact, look, complaint] of [
    [
      "the bound passes: with the last thing seen",
      () => ({ replicas: 2 }),
      "three replicas did not hold within 5000 ms of virtual time; last seen: { replicas: 2 }",
    ],
    [
      "a look that throws does not hold: with what it threw",
      () => {
        throw new Error("no such deployment");
      },
      "three replicas did not hold within 5000 ms of virtual time; the last look threw: no such deployment",
    ],
    [
      "an answer that never comes",
      () => new Promise(() => {}),
      /^three replicas did not hold within 5000 ms of virtual time; the last look threw: fake clock: /,
    ],
  ] as const) {
    test(`fails when ${fact}`, async () => {
      const clock = new FakeClock();
      const repeat = (): Disposable => clock.after(999, repeat);
      repeat();
      const until = (seen: unknown) => (seen as { replicas?: number }).replicas === 3;
      const waiting = eventually<unknown>(clock, look, { until, withinMs: 5000, what: "three replicas" });
      await expect(waiting).rejects.toThrow(complaint);
      expect(clock.monotonic()).toBe(5000);
    });
  }

  test("fails at once when nothing is left that could change it", async () => {
    const clock = new FakeClock();
    await expect(eventually(clock, () => undefined)).rejects.toThrow(
      "it does not hold, and nothing is left that could change it; last seen: undefined",
    );
    expect(clock.monotonic()).toBe(0);
  });
});
