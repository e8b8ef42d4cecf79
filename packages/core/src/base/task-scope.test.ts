import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { FakeClock } from "./fake-clock.ts";
import { onAbort } from "./signal.ts";
import { runTogether, TaskScope } from "./task-scope.ts";

const outcome = (work: Promise<unknown>) =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

describe("runTogether", () => {
  test("returns the results in order, whichever ends first", async () => {
    const clock = new FakeClock();
    const work = runTogether(new AbortController().signal, [
      (signal) => clock.sleep(20, signal).then(() => "slow"),
      () => "at once",
    ]);
    expect(await clock.drive(work)).toEqual(["slow", "at once"]);
  });

  test("a task that ends leaves the others running", async () => {
    const clock = new FakeClock();
    const seen: boolean[] = [];
    await clock.drive(
      runTogether(new AbortController().signal, [
        () => {},
        async (signal) => {
          await clock.sleep(10, signal);
          seen.push(signal.aborted);
        },
      ]),
    );
    expect(seen).toEqual([false]);
  });

  test("the first failure aborts the rest, waits for them, and is thrown", async () => {
    const clock = new FakeClock();
    const order: string[] = [];
    const work = outcome(
      runTogether(new AbortController().signal, [
        async () => {
          throw new Error("first");
        },
        async (signal) => {
          await clock.sleep(1000, signal).catch(() => {});
          await clock.sleep(5, new AbortController().signal);
          order.push(`cleaned up @${clock.monotonic()}`);
        },
      ]).finally(() => order.push("ended")),
    );
    expect(await clock.drive(work)).toEqual({ error: new Error("first") });
    expect(order).toEqual(["cleaned up @5", "ended"]);
  });

  test("a task that throws before its first await fails like any other", async () => {
    const thrower = () => {
      throw new Error("at once");
    };
    await expect(runTogether(new AbortController().signal, [thrower])).rejects.toThrow("at once");
  });

  test("several failures come out together", async () => {
    const work = runTogether(new AbortController().signal, [
      async () => {
        throw new Error("a");
      },
      async (signal) => {
        await new Promise<void>((resolve) => {
          onAbort(signal, () => resolve());
        });
        throw new Error("b");
      },
    ]);
    await expect(work).rejects.toMatchObject({ errors: [new Error("a"), new Error("b")] });
  });

  for (const [fact, task, expected] of [
    [
      "tasks that reject with the parent's reason make it reject with that",
      (signal: AbortSignal) => new Promise((_, reject) => onAbort(signal, reject)),
      { error: "stop" },
    ],
    [
      "tasks that end quietly on abort make it end quietly",
      (signal: AbortSignal) => new Promise((resolve) => onAbort(signal, () => resolve("quiet"))),
      { value: ["quiet"] },
    ],
  ] as const) {
    test(fact, async () => {
      const parent = new AbortController();
      const work = outcome(runTogether<unknown>(parent.signal, [task]));
      parent.abort("stop");
      expect(await work).toEqual(expected);
      expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
    });
  }

  test("leaves nothing on the parent when it ends", async () => {
    const parent = new AbortController();
    await runTogether(parent.signal, [() => 1, () => 2]);
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  });
});

describe("TaskScope", () => {
  test("a task that rejects because the scope was aborted has not failed", async () => {
    const scope = new TaskScope(new AbortController().signal);
    const tasks = [0, 1].map(() => scope.spawn((signal) => new Promise((_, reject) => onAbort(signal, reject))));
    scope.abort("enough");
    await scope.join();
    expect((await Promise.allSettled(tasks)).map((task) => task.status)).toEqual(["rejected", "rejected"]);
  });

  test("its signal follows the parent also while no task runs, and lets go when joined", async () => {
    const parent = new AbortController();
    const scope = new TaskScope(parent.signal);
    await scope.spawn(() => {});
    parent.abort("stop");
    expect(scope.signal.reason).toBe("stop");
    const other = new AbortController();
    await new TaskScope(other.signal).join();
    expect(getEventListeners(other.signal, "abort")).toHaveLength(0);
  });

  test("a task started after a join hears the parent too", async () => {
    const parent = new AbortController();
    const scope = new TaskScope(parent.signal);
    await scope.join();
    const late = scope.spawn((signal) => new Promise((resolve) => onAbort(signal, resolve)));
    parent.abort("stop");
    expect(await late).toBe("stop");
    await scope.join();
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  });

  test("join waits for tasks that were started while it waited", async () => {
    const clock = new FakeClock();
    const scope = new TaskScope(new AbortController().signal);
    const order: string[] = [];
    void scope.spawn(async (signal) => {
      await clock.sleep(10, signal);
      void scope.spawn(async (inner) => {
        await clock.sleep(10, inner);
        order.push("second");
      });
    });
    await clock.drive(scope.join().then(() => order.push("joined")));
    expect(order).toEqual(["second", "joined"]);
    expect(scope.size).toBe(0);
  });

  test("closing it aborts what runs and waits for it", async () => {
    const clock = new FakeClock();
    const order: string[] = [];
    const scope = new TaskScope(new AbortController().signal);
    void scope.spawn(async (signal) => {
      await clock.sleep(1e9, signal).catch(() => {});
      order.push("stopped");
    });
    await scope[Symbol.asyncDispose]();
    order.push("closed");
    expect(order).toEqual(["stopped", "closed"]);
    expect(clock.pending()).toEqual([]);
  });

  test("a failure nobody awaits is not an unhandled rejection, and is not lost", async () => {
    const scope = new TaskScope(new AbortController().signal);
    void scope.spawn(async () => {
      throw new Error("seen in join");
    });
    await new Promise((resolve) => setImmediate(resolve));
    await expect(scope.join()).rejects.toThrow("seen in join");
  });
});
