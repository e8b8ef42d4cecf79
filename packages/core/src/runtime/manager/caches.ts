// The process's informers as one runnable. The next group waits until the informers that have been requested so far have synced. It does not
// wait for an informer that keeps failing, and for no informer longer than two minutes. Then only the controllers that need this informer
// wait for it, and the others start.
import { type Clock, isAborted, type Log, runTogether, timeoutSignal } from "../../base/index.ts";
import type { InformerStatus, SyncResult } from "../../informer/index.ts";
import type { Runnable } from "./runnable.ts";

/** The common interface of the informer factories. */
export interface CacheSource {
  readonly statuses: readonly InformerStatus[];
  run(signal: AbortSignal): Promise<void>;
  waitForCacheSync(signal: AbortSignal): Promise<SyncResult>;
}

export interface CachesOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** How long an informer may fail before the next group no longer waits for it; 10 s unless given. */
  readonly brokenAfterMs?: number | undefined;
  /** How long the next group waits for a slow informer; 2 min unless given. */
  readonly patienceMs?: number | undefined;
  /** How long an informer may fail (1 min unless given), or receive nothing (15 min unless given), before `/readyz` reports it. */
  readonly maxFailingMs?: number | undefined;
  readonly maxSilenceMs?: number | undefined;
}

/** The interval between two checks of informers that have not synced. */
const lookEveryMs = 1000;

export function cachesRunnable(sources: readonly CacheSource[], options: CachesOptions): Runnable {
  const { log, brokenAfterMs = 10_000, patienceMs = 120_000 } = options;
  const clock = options.clock.labelled({ kind: "background", name: "waiting for caches" });
  const unsynced = () => sources.flatMap(({ statuses }) => statuses).filter(({ hasSynced }) => !hasSynced);
  return {
    name: "informers",
    group: "caches",
    async run(signal) {
      await runTogether(
        signal,
        sources.map((source) => (each) => source.run(each)),
      );
    },
    async whenReady(signal) {
      const endMs = clock.monotonic() + patienceMs;
      const isAwaited = (status: InformerStatus) => !isBroken(status, clock.now(), brokenAfterMs);
      while (clock.monotonic() < endMs && unsynced().some(isAwaited)) {
        using look = timeoutSignal(signal, lookEveryMs, { clock, what: "a look at the caches" });
        await Promise.all(sources.map((source) => waitALittle(source, look.signal)));
        signal.throwIfAborted();
      }
      const without = unsynced().map((status) => `${status.name}: ${lastFailureOf(status)}`);
      if (without.length > 0) log.warn("starts although some informers have not synced", { informers: without });
    },
    findFault: () =>
      findInformerFault(
        sources.flatMap(({ statuses }) => statuses),
        clock.now(),
        options,
      ),
  };
}

async function waitALittle(source: CacheSource, signal: AbortSignal): Promise<void> {
  try {
    await source.waitForCacheSync(signal);
  } catch (error) {
    // A timeout error names the informers that have not synced; `whenReady` checks that itself.
    if (!signal.aborted && !isAborted(error, signal)) throw error;
  }
}

/** Returns whether the informer is failing and in backoff. An informer in the middle of a long list is slow, not broken. */
function isBroken({ failingSinceMs, phase }: InformerStatus, nowMs: number, afterMs: number): boolean {
  return failingSinceMs !== undefined && phase === "waiting" && nowMs - failingSinceMs >= afterMs;
}

function lastFailureOf({ lastFailure, phase }: InformerStatus): string {
  return lastFailure === undefined ? `it is ${phase}` : lastFailure.error.message;
}

/** Returns the names of the informers that do not receive changes from the server, with the reason; undefined if there are none. */
export function findInformerFault(
  statuses: readonly InformerStatus[],
  nowMs: number,
  { maxFailingMs = 60_000, maxSilenceMs = 15 * 60_000 }: Pick<CachesOptions, "maxFailingMs" | "maxSilenceMs"> = {},
): string | undefined {
  const faults = statuses.flatMap((status) => {
    const { name, phase, startedMs, failingSinceMs, lastContactMs } = status;
    if (startedMs === undefined || phase === "stopped") return [];
    if (failingSinceMs !== undefined && phase !== "watching" && nowMs - failingSinceMs > maxFailingMs) {
      return [
        `${name} has neither listed nor watched for ${seconds(nowMs - failingSinceMs)}: ${lastFailureOf(status)}`,
      ];
    }
    const silentMs = nowMs - (lastContactMs ?? startedMs);
    return silentMs > maxSilenceMs ? [`${name} has heard nothing for ${seconds(silentMs)}`] : [];
  });
  return faults.length === 0 ? undefined : faults.join("; ");
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
