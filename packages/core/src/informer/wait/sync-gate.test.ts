import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { SyncGate } from "./sync-gate.ts";

const never = new AbortController().signal;

describe("a sync gate", () => {
  test("lets those through who wait, and who come later", async () => {
    const gate = new SyncGate();
    const waiting = Promise.all([gate.wait(never), gate.wait(never)]);
    expect(gate.isOpen).toBe(false);
    gate.open();
    await waiting;
    await gate.wait(AbortSignal.abort());
    expect(gate.isOpen).toBe(true);
  });

  test("that fails tells those who wait, and who come later", async () => {
    const gate = new SyncGate();
    const waiting = gate.wait(never);
    gate.fail(new Error("no"));
    gate.open();
    await expect(waiting).rejects.toThrow("no");
    await expect(gate.wait(never)).rejects.toThrow("no");
    expect(gate.isOpen).toBe(false);
  });

  test("that is open cannot fail", async () => {
    const gate = new SyncGate();
    gate.open();
    gate.fail(new Error("no"));
    await gate.wait(never);
    expect(gate.isOpen).toBe(true);
  });

  test("lets go of who no longer waits, and leaves nothing on the signal", async () => {
    const gate = new SyncGate();
    const leaving = new AbortController();
    const waiting = gate.wait(leaving.signal);
    leaving.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    const staying = new AbortController();
    const passing = gate.wait(staying.signal);
    gate.open();
    await passing;
    expect(getEventListeners(staying.signal, "abort")).toHaveLength(0);
  });

  test("calls back once, before open returns, and at once if it is open already", () => {
    const gate = new SyncGate();
    const calls: string[] = [];
    gate.onOpen(() => calls.push("early"));
    const left = gate.onOpen(() => calls.push("left"));
    left[Symbol.dispose]();
    expect(calls).toEqual([]);
    gate.open();
    gate.open();
    expect(calls).toEqual(["early"]);
    gate.onOpen(() => calls.push("late"));
    expect(calls).toEqual(["early", "late"]);
  });

  test("that fails never calls back", () => {
    const gate = new SyncGate();
    const calls: string[] = [];
    gate.onOpen(() => calls.push("early"));
    gate.fail(new Error("no"));
    gate.open();
    gate.onOpen(() => calls.push("late"));
    expect(calls).toEqual([]);
  });

  test("reports a callback that throws, and calls the others", () => {
    const errors: unknown[] = [];
    const gate = new SyncGate({ onError: (error) => errors.push(error) });
    const calls: string[] = [];
    gate.onOpen(() => {
      throw new Error("callback");
    });
    gate.onOpen(() => calls.push("next"));
    gate.open();
    expect([errors, calls]).toEqual([[new Error("callback")], ["next"]]);
  });
});
