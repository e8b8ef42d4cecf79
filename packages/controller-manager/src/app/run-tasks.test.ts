import { FakeClock, noLog, seededRandom } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { runTasks, ShutdownTimeoutError, type Task } from "./run-tasks.ts";

const never = () => new Promise<never>(() => {});
const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

interface Given {
  readonly tasks: readonly Task[];
  readonly startIntervalMs?: number;
  readonly shutdownTimeoutMs?: number;
}

function start({ tasks, startIntervalMs = 0, shutdownTimeoutMs = 10_000 }: Given) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const lines: string[] = [];
  const log = { ...noLog, info: (message: string, fields = {}) => lines.push(`${message} ${JSON.stringify(fields)}`) };
  const options = { startIntervalMs, shutdownTimeoutMs, clock, random: seededRandom(1), log };
  let end: string | undefined;
  const running = runTasks(tasks, options, stop.signal).then(
    () => {
      end = "ended";
    },
    (error: unknown) => {
      end = error instanceof ShutdownTimeoutError ? "timed out" : String(error);
    },
  );
  return { clock, stop, lines, running, end: () => end };
}

describe("tasks", () => {
  test("run until they are told to stop", async () => {
    const { clock, stop, end } = start({ tasks: [{ name: "a", run: untilAborted }] });
    await clock.advance(3_600_000);
    expect(end()).toBeUndefined();
    stop.abort();
    await clock.advance(1);
    expect(end()).toBe("ended");
  });

  test("that are none run until they are told to stop, too", async () => {
    const { clock, stop, end } = start({ tasks: [] });
    await clock.advance(3_600_000);
    expect(end()).toBeUndefined();
    stop.abort();
    await clock.advance(1);
    expect(end()).toBe("ended");
  });

  test("one of which fails end all, with its error", async () => {
    const failing = { name: "b", run: async () => Promise.reject(new Error("broken")) };
    const { clock, end } = start({ tasks: [{ name: "a", run: untilAborted }, failing] });
    await clock.advance(1);
    expect(end()).toBe("Error: broken");
  });

  test("that do not end in time are named and left", async () => {
    const { clock, stop, end, lines } = start({ tasks: [{ name: "deaf", run: never }] });
    stop.abort(new Error("stop"));
    await clock.advance(9999);
    expect(end()).toBeUndefined();
    await clock.advance(1);
    expect(end()).toBe("timed out");
    expect(lines.filter((line) => line.includes('"runningControllers":["deaf"]'))).toHaveLength(3);
  });

  test("that do not end in time after another one failed are left as well", async () => {
    const failing = { name: "b", run: async () => Promise.reject(new Error("broken")) };
    const { clock, end } = start({ tasks: [{ name: "deaf", run: never }, failing] });
    await clock.advance(10_000);
    expect(end()).toBe("timed out");
  });

  test("start after the start interval, up to twice that", async () => {
    const started: number[] = [];
    const clock = new FakeClock();
    const tasks = Array.from({ length: 20 }, (_, i) => ({
      name: String(i),
      run: async () => {
        started.push(clock.monotonic());
      },
    }));
    const stop = new AbortController();
    const options = { startIntervalMs: 1000, shutdownTimeoutMs: 0, clock, random: seededRandom(1), log: noLog };
    const running = runTasks(tasks, options, stop.signal);
    await clock.advance(2000);
    expect(Math.min(...started)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...started)).toBeGreaterThan(1500);
    expect(started).toHaveLength(20);
    stop.abort();
    await running;
  });
});
