// Gates with one typical bug each. The simulation must find every one of them.
import type { WriteGate } from "../../runtime/index.ts";

export const leakyGates: Readonly<Record<string, (gate: WriteGate) => WriteGate>> = {
  "there is no gate": (gate) => changed(gate, { check: async () => ({ isReady: true }) }),
  "what failed did not happen": (gate) =>
    changed(gate, {
      note: (key, action, result) => {
        if (result.status !== "failed") gate.note(key, action, result);
      },
    }),
  "deletes are not waited for": (gate) =>
    changed(gate, {
      note: (key, action, result) => {
        if (action.type !== "delete") gate.note(key, action, result);
      },
    }),
  "creates are not waited for": (gate) =>
    changed(gate, {
      note: (key, action, result) => {
        if (action.type !== "create") gate.note(key, action, result);
      },
    }),
  "a cache that takes too long is believed": (gate) => {
    const waits = new Map<string, number>();
    return changed(gate, {
      check: async (key, signal) => {
        const readiness = await gate.check(key, signal);
        waits.set(key, readiness.isReady ? 0 : (waits.get(key) ?? 0) + 1);
        return (waits.get(key) ?? 0) > 8 ? { isReady: true } : readiness;
      },
    });
  },
};

function changed(gate: WriteGate, changes: Partial<WriteGate>): WriteGate {
  return {
    note: (key, action, result) => gate.note(key, action, result),
    holds: (key) => gate.holds(key),
    check: (key, signal) => gate.check(key, signal),
    noteChange: (resource, objectKey) => gate.noteChange(resource, objectKey),
    forgetEchoes: (key) => gate.forgetEchoes(key),
    isEcho: (key, change) => gate.isEcho(key, change),
    ...changes,
  };
}
