// What is left behind after everything was stopped: timers on a fake clock, work in flight, listeners on a signal, watches on a
// fake server. Looks once, at what there is now; let the clock settle before.
import { getEventListeners } from "node:events";
import { type FakeClock, KubeloopError } from "../base/index.ts";

export interface LeakSources {
  readonly clock?: FakeClock;
  /** Signals that outlive what was stopped. One that has aborted may have listeners left: they will never be told. */
  readonly signals?: readonly AbortSignal[];
  readonly servers?: readonly { readonly openWatches: number }[];
}

/** One line for each leak; none is good. */
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

/** Throws when something was left behind, and says what. */
export function assertNoLeaks(sources: LeakSources): void {
  const leaks = findLeaks(sources);
  if (leaks.length === 0) return;
  throw new KubeloopError(`left behind: ${leaks.join("; ")}`, { reason: "Leak", retry: "never" });
}

function count(number: number, what: string, plural = "s"): string {
  return `${number} ${what}${number === 1 ? "" : plural}`;
}
