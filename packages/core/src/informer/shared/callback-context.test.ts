import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import { CallbackContext, keepContexts, releaseContexts } from "./callback-context.ts";

describe("the context of a callback", () => {
  test.each<readonly [string, () => Promise<unknown>]>([
    ["before the first await", async () => {}],
    ["after an await", () => systemClock.yield()],
    ["after several at a time", () => Promise.all([systemClock.yield(), systemClock.yield()])],
    ["after a timer", () => new Promise((resolve) => systemClock.after(0, () => resolve(undefined)))],
    [
      "after an emitter",
      () => {
        const emitter = new EventEmitter();
        queueMicrotask(() => emitter.emit("done"));
        return once(emitter, "done");
      },
    ],
  ])("is around what it does %s", async (_when, pause) => {
    const context = new CallbackContext();
    const callback = async () => {
      await pause();
      return context.isAround();
    };
    expect(await context.run(callback)).toBe(true);
  });

  test("is there where somebody else prepares stacks", async () => {
    const context = new CallbackContext();
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (_error, frames) => frames;
    try {
      expect(await context.run(async () => systemClock.yield().then(() => context.isAround()))).toBe(true);
    } finally {
      Error.prepareStackTrace = before;
    }
  });

  test("is not around what others do meanwhile, nor around another call", async () => {
    const [context, other] = [new CallbackContext(), new CallbackContext()];
    const running = context.run(() => systemClock.yield());
    expect(context.isAround()).toBe(false);
    const seen = await other.run(async () => {
      await systemClock.yield();
      return [context.isAround(), other.isAround()];
    });
    await running;
    expect(seen).toEqual([false, true]);
  });

  test("passes parameters, results and errors through", () => {
    const context = new CallbackContext();
    expect(context.run((a: number, b: number) => a + b, 1, 2)).toBe(3);
    expect(() =>
      context.run(() => {
        throw new Error("no");
      }),
    ).toThrow("no");
  });
});

describe("contexts", () => {
  test("are around a callback again after they were released", async () => {
    releaseContexts();
    const context = new CallbackContext();
    const running = context.run(async () => {
      await systemClock.yield();
      return context.isAround();
    });
    keepContexts();
    releaseContexts();
    expect(await running).toBe(true);
  });
});
