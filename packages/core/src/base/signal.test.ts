import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { FakeClock } from "./fake-clock.ts";
import { childSignal, onAbort, TimeoutError, timeoutSignal, untilAborted } from "./signal.ts";

const listenersOn = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("a long-lived parent", () => {
  test("carries one listener however many children live, so no warning is printed", () => {
    const parent = new AbortController();
    const children = Array.from({ length: 100 }, () => childSignal(parent.signal));
    expect(listenersOn(parent.signal)).toBe(1);
    for (const child of children) child[Symbol.dispose]();
    expect(listenersOn(parent.signal)).toBe(0);
  });
});

describe("childSignal", () => {
  test("aborts with its parent and its parent's reason", () => {
    const parent = new AbortController();
    const child = childSignal(parent.signal);
    parent.abort("stop");
    expect([child.signal.aborted, child.signal.reason]).toEqual([true, "stop"]);
    expect(listenersOn(parent.signal)).toBe(0);
  });

  test("is born aborted when its parent has aborted", () => {
    expect(childSignal(AbortSignal.abort("gone")).signal.reason).toBe("gone");
  });

  test("aborted alone, leaves parent and siblings alone", () => {
    const parent = new AbortController();
    const [child, sibling] = [childSignal(parent.signal), childSignal(parent.signal)];
    child.abort("mine");
    expect([parent.signal.aborted, sibling.signal.aborted, child.signal.reason]).toEqual([false, false, "mine"]);
    sibling[Symbol.dispose]();
    expect(listenersOn(parent.signal)).toBe(0);
  });

  test("disposed of, no longer hears its parent and is not aborted", () => {
    const parent = new AbortController();
    const child = childSignal(parent.signal);
    child[Symbol.dispose]();
    parent.abort();
    expect(child.signal.aborted).toBe(false);
  });
});

describe("onAbort", () => {
  test("puts no platform listener on a child, and tells everyone on it once, parents' and own aborts alike", () => {
    const parent = new AbortController();
    const [mine, parents] = [childSignal(parent.signal), childSignal(parent.signal)];
    const heard: string[] = [];
    for (const name of ["a", "b"]) onAbort(mine.signal, (reason) => heard.push(`${name}:${reason}`));
    onAbort(parents.signal, (reason) => heard.push(`c:${reason}`));
    onAbort(mine.signal, () => heard.push("let go"))[Symbol.dispose]();
    expect([listenersOn(mine.signal), listenersOn(parents.signal)]).toEqual([0, 0]);
    mine.abort(1);
    mine.abort(2);
    parent.abort(3);
    expect(heard).toEqual(["a:1", "b:1", "c:3"]);
  });

  test("tells everyone in the order they came, once", () => {
    const controller = new AbortController();
    const heard: string[] = [];
    for (const name of ["a", "b", "c"]) onAbort(controller.signal, (reason) => heard.push(`${name}:${reason}`));
    controller.abort(1);
    controller.abort(2);
    expect(heard).toEqual(["a:1", "b:1", "c:1"]);
  });

  test("lets go of everyone before they are told, so that letting go once more is harmless", () => {
    const controller = new AbortController();
    const mine: Disposable = onAbort(controller.signal, () => mine[Symbol.dispose]());
    onAbort(controller.signal, () => {});
    controller.abort();
    expect(listenersOn(controller.signal)).toBe(0);
  });

  test("calls back at once when the signal has fired", () => {
    const heard: unknown[] = [];
    onAbort(AbortSignal.abort("late"), (reason) => heard.push(reason));
    expect(heard).toEqual(["late"]);
  });

  test("a callback that throws does not keep the others from hearing, and its error is not swallowed", async () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const uncaught = new Promise<unknown>((resolve) => {
      const others = process.listeners("uncaughtException");
      process.removeAllListeners("uncaughtException");
      process.once("uncaughtException", (error) => {
        for (const other of others) process.on("uncaughtException", other);
        resolve(error);
      });
    });
    onAbort(controller.signal, () => {
      throw new Error("bad callback");
    });
    onAbort(controller.signal, () => heard.push("second"));
    controller.abort();
    expect(heard).toEqual(["second"]);
    await expect(uncaught).resolves.toMatchObject({ message: "bad callback" });
  });

  test("one that an earlier callback of the same abort let go of is not told", () => {
    const controller = new AbortController();
    const heard: string[] = [];
    onAbort(controller.signal, () => second[Symbol.dispose]());
    const second = onAbort(controller.signal, () => heard.push("second"));
    onAbort(controller.signal, () => heard.push("third"));
    controller.abort();
    expect(heard).toEqual(["third"]);
  });
});

describe("timeoutSignal", () => {
  test("aborts with a TimeoutError that says what and how long", async () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    const timeout = timeoutSignal(parent.signal, 250, { clock, what: "the list" });
    await clock.advance(249);
    expect(timeout.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(timeout.signal.reason).toBeInstanceOf(TimeoutError);
    expect(timeout.signal.reason).toMatchObject({ message: "the list timed out after 250 ms", reason: "Timeout" });
    expect(listenersOn(parent.signal)).toBe(0);
  });

  for (const [fact, end] of [
    ["its parent aborts", (parent: AbortController) => parent.abort("stop")],
    ["it is aborted itself", (_: AbortController, abort: (reason: unknown) => void) => abort("stop")],
  ] as const) {
    test(`drops its timer when ${fact}`, () => {
      const clock = new FakeClock();
      const parent = new AbortController();
      const timeout = timeoutSignal(parent.signal, 250, { clock, what: "the list" });
      end(parent, timeout.abort);
      expect(timeout.signal.reason).toBe("stop");
      expect(clock.pending()).toEqual([]);
      expect(listenersOn(parent.signal)).toBe(0);
    });
  }
});

describe("untilAborted", () => {
  for (const [fact, work, abort, expected] of [
    ["resolves as the work does", async () => 1, undefined, { value: 1 }],
    ["rejects as the work does", () => Promise.reject(new Error("no")), undefined, { error: new Error("no") }],
    ["rejects with the reason when the signal is first", () => new Promise(() => {}), "stop", { error: "stop" }],
  ] as const) {
    test(fact, async () => {
      const controller = new AbortController();
      const result = untilAborted<unknown>(work(), controller.signal).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if (abort !== undefined) controller.abort(abort);
      expect(await result).toEqual(expected);
      expect(listenersOn(controller.signal)).toBe(0);
    });
  }
});
