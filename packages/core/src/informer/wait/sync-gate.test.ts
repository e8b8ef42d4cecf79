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
});
