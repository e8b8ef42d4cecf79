// A reflector over a scripted source and a recording store, in virtual time, with chance out of the game; and the failures
// that tests like to throw at it.
import { expect } from "vitest";
import { newExpired, newInternalError, newTooManyRequests, type StatusError, TransportError } from "../../api/index.ts";
import { FakeClock, noLog } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import type { Transform } from "../store/store.ts";
import { RecordingStore } from "./recording-store.fixture.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";
import { type Pod, type Script, ScriptedSource } from "./scripted-source.fixture.ts";

export const second = 1000;
export const minute = 60 * second;
export const podsResource = { group: "", resource: "pods" };
export const refused = new TransportError("connect failed", { reason: "ConnectionRefused", wasSent: "no" });
export const reset = new TransportError("reset", { reason: "ConnectionReset", wasSent: "maybe" });
export const expired = newExpired("too old resource version");
export const busy = newTooManyRequests("too many requests", { retryAfterSeconds: 1 });
export const internal = newInternalError(new Error("etcdserver: no leader"));
export const inStream = (error: StatusError): WatchEvent<Pod> => ({ type: "ERROR", object: error.status });

export function setUp(script: Script, options: ReflectorOptions = {}, transform?: Transform<Pod>) {
  const clock = options.clock instanceof FakeClock ? options.clock : new FakeClock();
  const source = new ScriptedSource(clock, script);
  const store = new RecordingStore(transform);
  const errors: string[] = [];
  const rows: string[] = [];
  const reflector = new Reflector<Pod>(source, store, {
    name: "pods",
    clock,
    random: { next: () => 0 },
    log: noLog,
    onError: (error) => errors.push(error.message),
    onRow: (row) => rows.push(row),
    ...options,
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    clock,
    source,
    store,
    errors,
    rows,
    reflector,
    signal: stop.signal,
    /** Runs for so long in virtual time. */
    async run(forMs: number) {
      running ??= reflector.run(stop.signal);
      await clock.advance(forMs);
    },
    /** Ends it, and `work` that goes on until the signal aborts, and looks whether anything was left. */
    async stop(work?: Promise<unknown>) {
      stop.abort();
      await running;
      await work;
      expect(clock.pending()).toEqual([]);
      expect(source.openWatches).toBe(0);
    },
  };
}

/** What was asked and what the store was told, in the order it happened, after so long. */
export async function outcome(script: Script, forMs: number, options: ReflectorOptions = {}) {
  const all = setUp(script, options);
  await all.run(forMs);
  const { asked } = all.source;
  await all.stop();
  return { ...all, asked };
}
