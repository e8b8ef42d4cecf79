import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import { CallbackFrame } from "./callback-frame.ts";

describe("a callback frame", () => {
  test("is around what the callback does after an await, however deep", async () => {
    const frame = new CallbackFrame();
    const seen: boolean[] = [];
    const deep = async () => {
      await systemClock.yield();
      seen.push(frame.isAround());
    };
    const callback = async () => {
      await systemClock.yield();
      await deep();
      await Promise.all([deep()]);
    };
    await frame.follow(callback());
    expect(seen).toEqual([true, true]);
  });

  test("is not around what others do meanwhile, nor around another frame's callback", async () => {
    const frame = new CallbackFrame();
    const other = new CallbackFrame();
    const seen: boolean[] = [];
    const callback = async () => {
      await systemClock.yield();
      seen.push(frame.isAround());
    };
    const following = frame.follow(systemClock.yield());
    seen.push(frame.isAround());
    await other.follow(callback());
    await following;
    expect(seen).toEqual([false, false]);
  });

  test("settles as the callback does", async () => {
    const frame = new CallbackFrame();
    await expect(frame.follow(Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(frame.follow(Promise.resolve())).resolves.toBeUndefined();
  });

  test("leaves the length of stacks as it was", () => {
    const before = Error.stackTraceLimit;
    new CallbackFrame().isAround();
    expect(Error.stackTraceLimit).toBe(before);
  });
});
