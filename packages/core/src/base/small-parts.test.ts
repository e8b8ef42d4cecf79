// The parts of `base` that need only a few rows each: deferred, clean-up, listeners, errors, back-off, deep.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { afterFailure, type BackoffPolicy, backoffDelayMs, jittered, noFailures } from "./backoff.ts";
import { Cleanup } from "./cleanup.ts";
import { copyJson, deepEqual, deepFreeze } from "./deep.ts";
import { deferred } from "./deferred.ts";
import { assertNever, isAborted, KubeloopError, toError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import { seededRandom } from "./random.ts";

test("a deferred settles once", async () => {
  const first = deferred<number>();
  first.resolve(1);
  first.reject(new Error("too late"));
  expect(await first.promise).toBe(1);
});

describe("Cleanup", () => {
  test("undoes in reverse, one after the other", async () => {
    const order: string[] = [];
    {
      await using cleanup = new Cleanup();
      cleanup.defer(async () => {
        await null;
        order.push("first deferred");
      });
      cleanup.use({ [Symbol.dispose]: () => order.push("disposable") });
      cleanup.use({
        [Symbol.asyncDispose]: async () => {
          await null;
          order.push("async disposable");
        },
      });
    }
    expect(order).toEqual(["async disposable", "disposable", "first deferred"]);
  });

  for (const [fact, failing, expected] of [
    ["one failing step does not keep the others from running", ["b"], { message: "b" }],
    ["several failures come out together", ["a", "c"], { errors: [new Error("c"), new Error("a")] }],
  ] as const) {
    test(fact, async () => {
      const ran: string[] = [];
      const cleanup = new Cleanup();
      for (const name of ["a", "b", "c"] as const) {
        cleanup.defer(() => {
          ran.push(name);
          if ((failing as readonly string[]).includes(name)) throw new Error(name);
        });
      }
      await expect(cleanup[Symbol.asyncDispose]()).rejects.toMatchObject(expected);
      expect(ran).toEqual(["c", "b", "a"]);
    });
  }

  test("what was moved belongs to the new owner only, and is undone once", async () => {
    const ran: string[] = [];
    const cleanup = new Cleanup();
    cleanup.defer(() => ran.push("a"));
    const moved = cleanup.move();
    await cleanup[Symbol.asyncDispose]();
    expect(ran).toEqual([]);
    await moved[Symbol.asyncDispose]();
    await moved[Symbol.asyncDispose]();
    expect(ran).toEqual(["a"]);
  });
});

describe("Listeners", () => {
  test("one that throws stops neither the others nor the one who emits", () => {
    const errors: unknown[] = [];
    const heard: string[] = [];
    const listeners = new Listeners<string>((error) => errors.push(error));
    listeners.subscribe((value) => heard.push(`first ${value}`));
    listeners.subscribe(() => {
      throw new Error("bad listener");
    });
    listeners.subscribe((value) => heard.push(`third ${value}`));
    listeners.emit("x");
    expect(heard).toEqual(["first x", "third x"]);
    expect(errors).toEqual([new Error("bad listener")]);
  });

  test("each subscription of the same function is its own", () => {
    let calls = 0;
    const listeners = new Listeners<void>(() => {});
    const listener = () => {
      calls++;
    };
    const first = listeners.subscribe(listener);
    listeners.subscribe(listener);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    listeners.emit();
    expect([calls, listeners.size]).toEqual([1, 1]);
  });

  test("joining or leaving during an emission counts from the next", () => {
    const heard: string[] = [];
    const listeners = new Listeners<number>(() => {});
    const leaving = listeners.subscribe(() => {
      leaving[Symbol.dispose]();
      listeners.subscribe((value) => heard.push(`joined ${value}`));
    });
    listeners.subscribe((value) => heard.push(`stays ${value}`));
    listeners.emit(1);
    listeners.emit(2);
    expect(heard).toEqual(["stays 1", "stays 2", "joined 2"]);
  });
});

describe("errors", () => {
  test("carry a reason, a cause and a hint, and the name of their class", () => {
    class OddError extends KubeloopError {}
    const cause = new Error("below");
    const error = new OddError("above", { reason: "Odd", cause, retry: "never" });
    expect(error).toMatchObject({ name: "OddError", message: "above", reason: "Odd", cause, retry: "never" });
    expect(new KubeloopError("plain", { reason: "Plain" }).retry).toBe("backoff");
    expect("cause" in new KubeloopError("plain", { reason: "Plain" })).toBe(false);
  });

  for (const [fact, error, signal, expected] of [
    ["the signal's own reason is an abort", "stop", AbortSignal.abort("stop"), true],
    ["the platform's AbortError is an abort", new DOMException("", "AbortError"), AbortSignal.abort("stop"), true],
    ["another error after the abort is a failure", new Error("disk"), AbortSignal.abort("stop"), false],
    [
      "an AbortError without an abort is a failure",
      new DOMException("", "AbortError"),
      new AbortController().signal,
      false,
    ],
  ] as const) {
    test(fact, () => expect(isAborted(error, signal)).toBe(expected));
  }

  test("assertNever names the value it met", () => {
    expect(() => assertNever({ at: "nowhere" } as never)).toThrow('unexpected value {"at":"nowhere"}');
  });

  test("whatever was thrown becomes an error, errors stay as they are", () => {
    const error = new Error("as is");
    expect(toError(error)).toBe(error);
    expect(toError("text")).toMatchObject({ message: "thrown: text", cause: "text" });
  });
});

describe("back-off", () => {
  const policy: BackoffPolicy = { initialMs: 800, factor: 2, maxMs: 30_000, jitter: 0, resetAfterMs: 120_000 };

  for (const [failures, expected] of [
    [0, 0],
    [1, 800],
    [2, 1600],
    [6, 25_600],
    [7, 30_000],
    [100, 30_000],
    [1e9, 30_000],
  ] as const) {
    test(`after ${failures} failures the delay is ${expected} ms`, () => {
      expect(backoffDelayMs(policy, failures)).toBe(expected);
    });
  }

  test("an initial delay of zero stays zero, even after a billion failures", () => {
    expect(backoffDelayMs({ ...policy, initialMs: 0 }, 1e9)).toBe(0);
  });

  test("jitter stretches by at most its share and never shortens", () => {
    const random = seededRandom("jitter");
    for (let i = 0; i < 1000; i++) {
      const delayMs = jittered(100, 0.5, random);
      expect(delayMs).toBeGreaterThanOrEqual(100);
      expect(delayMs).toBeLessThan(150);
    }
  });

  test("jitter leaves an endless delay endless", () => {
    expect(jittered(Number.POSITIVE_INFINITY, 0.5, seededRandom(1))).toBe(Number.POSITIVE_INFINITY);
  });

  test("exactly the quiet time is quiet enough", () => {
    const random = seededRandom(1);
    const first = afterFailure(noFailures, policy, { nowMs: 0, random });
    expect(afterFailure(first.state, policy, { nowMs: 120_000, random }).state.failures).toBe(1);
    expect(afterFailure(first.state, policy, { nowMs: 119_999, random }).state.failures).toBe(2);
  });

  test("failures in a row add up; a quiet time starts over", () => {
    const random = seededRandom(1);
    let state = noFailures;
    const delays: number[] = [];
    for (const nowMs of [0, 1000, 3000, 122_999, 243_000]) {
      const next = afterFailure(state, policy, { nowMs, random });
      delays.push(next.delayMs);
      state = next.state;
    }
    expect(delays).toEqual([800, 1600, 3200, 6400, 800]);
  });
});

describe("deepEqual", () => {
  for (const [a, b, expected] of [
    [1, 1, true],
    [Number.NaN, Number.NaN, true],
    [0, -0, true],
    [1, "1", false],
    [null, undefined, false],
    [null, {}, false],
    [[], {}, false],
    [{}, [], false],
    [[1, [2]], [1, [2]], true],
    [[1, 2], [1, 2, 3], false],
    [{ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, true],
    [{ a: undefined }, {}, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ toString: 1 }, {}, false],
    [{}, { hasOwnProperty: 1 }, false],
  ] as const) {
    test(`${JSON.stringify(a)} and ${JSON.stringify(b)} are ${expected ? "equal" : "different"}`, () => {
      expect(deepEqual(a, b)).toBe(expected);
      expect(deepEqual(b, a)).toBe(expected);
    });
  }

  test("a copy of JSON is equal and shares nothing, also with names that mean something to the engine", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(deepEqual(copyJson(value), value)).toBe(true);
        if (typeof value === "object" && value !== null) expect(copyJson(value)).not.toBe(value);
      }),
    );
    const odd = JSON.parse('{"__proto__":{"a":[1]},"constructor":2}') as object;
    expect(JSON.stringify(copyJson(odd))).toBe('{"__proto__":{"a":[1]},"constructor":2}');
    const inner = { list: [{ a: 1 }] };
    expect(copyJson(inner).list[0]).not.toBe(inner.list[0]);
  });

  test("a value equals its copy, and a copy with one change differs", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(deepEqual(a, structuredClone(a))).toBe(true);
        expect(deepEqual(a, b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
      }),
    );
  });
});

// -0 prints as 0, and so it compares.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, held]) => [key, sorted(held)]) };
}

describe("deepFreeze", () => {
  test("freezes all the way down and returns the same value", () => {
    const value = { a: [{ b: 1 }] };
    expect(deepFreeze(value)).toBe(value);
    expect(Object.isFrozen(value.a[0])).toBe(true);
    expect(() => {
      (value.a[0] as { b: number }).b = 2;
    }).toThrow(TypeError);
  });

  test("ends on a cycle", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(Object.isFrozen(deepFreeze(cycle))).toBe(true);
  });
});
