// Finds what is left after everything was stopped: timers on a fake clock, work in flight, listeners on a signal, watches on a fake server.
// The check runs once, on the current state, so let the clock settle before it.
import { getEventListeners } from "node:events";
import { type FakeClock, KubeloopError } from "../base/index.ts";

export interface LeakSources {
  readonly clock?: FakeClock;
  /**
   * Signals that live longer than what was stopped. Listeners on a signal that has aborted
   * are not counted as leaks, because they are never called.
   */
  readonly signals?: readonly AbortSignal[];
  readonly servers?: readonly { readonly openWatches: number }[];
}

/** Returns one line for each leak; an empty list if there is none. */
export function findLeaks({ clock, signals = [], servers = [] }: LeakSources): readonly string[] {
  const timers = clock?.pending() ?? [];
  const tokens = clock?.inFlight() ?? [];
  return [
    ...timers.map(({ kind, name, dueInMs }) => `a ${kind} timer ${name || "(unnamed)"} is due in ${dueInMs} ms`),
    ...tokens.map((name) => `${name} is in flight`),
    ...signals.flatMap((signal) => {
      const { length } = signal.aborted ? [] : getEventListeners(signal, "abort");
      return length === 0 ? [] : [`${count(length, "listener")} on a signal`];
    }),
    ...servers.flatMap(({ openWatches }) => (openWatches === 0 ? [] : [`${count(openWatches, "open watch", "es")}`])),
  ];
}

/** Throws an error that names all leaks, if there are any. */
export function assertNoLeaks(sources: LeakSources): void {
  const leaks = findLeaks(sources);
  if (leaks.length === 0) return;
  throw new KubeloopError(`left behind: ${leaks.join("; ")}`, { reason: "Leak", retry: "never" });
}

function count(number: number, what: string, plural = "s"): string {
  return `${number} ${what}${number === 1 ? "" : plural}`;
}
