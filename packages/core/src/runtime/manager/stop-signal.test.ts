import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { openStopSignal, type SignalSource } from "./stop-signal.ts";

/** A process that the test sends signals to. */
class FakeProcess extends EventEmitter implements SignalSource {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

describe("a stop signal", () => {
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    test(`aborts with the first ${name} and says why`, () => {
      const process = new FakeProcess();
      using stop = openStopSignal({ process });
      expect(stop.signal.aborted).toBe(false);
      process.emit(name, name);
      expect([stop.signal.aborted, stop.signal.reason.message, process.exits]).toEqual([true, `received ${name}`, []]);
    });
  }

  test("with the second, whichever it is, exits at once", () => {
    const process = new FakeProcess();
    using _stop = openStopSignal({ process });
    process.emit("SIGTERM", "SIGTERM");
    process.emit("SIGINT", "SIGINT");
    expect(process.exits).toEqual([1]);
  });

  test("hears only what it is told to, and after its end nothing", () => {
    const process = new FakeProcess();
    const stop = openStopSignal({ process, signals: ["SIGHUP"] });
    process.emit("SIGTERM", "SIGTERM");
    expect(stop.signal.aborted).toBe(false);
    stop[Symbol.dispose]();
    process.emit("SIGHUP", "SIGHUP");
    expect([stop.signal.aborted, process.eventNames()]).toEqual([false, []]);
  });

  test("is of this process unless another is given", () => {
    const before = process.listenerCount("SIGTERM");
    {
      using _stop = openStopSignal();
      expect(process.listenerCount("SIGTERM")).toBe(before + 1);
    }
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });
});
