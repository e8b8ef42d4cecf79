// The process's informers as one runnable. The next group waits for what has been asked for by then; for an informer that fails
// again and again it does not wait: whoever needs that one waits for it alone, and the others start.
import { type Clock, isAborted, type Log, runTogether, timeoutSignal } from "../../base/index.ts";
import type { InformerStatus, SyncResult } from "../../informer/index.ts";
import type { Runnable } from "./runnable.ts";

/** What is common to the informer factories. */
export interface CacheSource {
  readonly statuses: readonly InformerStatus[];
  run(signal: AbortSignal): Promise<void>;
  waitForCacheSync(signal: AbortSignal): Promise<SyncResult>;
}

export interface CachesOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** How long an informer may fail before nobody waits for it any more; 10 s unless given. */
  readonly brokenAfterMs?: number | undefined;
  /** How long one may fail, or hear nothing, before `/readyz` says so; 1 min and 15 min unless given. */
  readonly maxFailingMs?: number | undefined;
  readonly maxSilenceMs?: number | undefined;
}

/** Between two looks at informers that have not synced. */
const lookEveryMs = 1000;

export function cachesRunnable(sources: readonly CacheSource[], options: CachesOptions): Runnable {
  const { log, brokenAfterMs = 10_000 } = options;
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
      while (unsynced().some((status) => !isBroken(status, clock.now(), brokenAfterMs))) {
        using look = timeoutSignal(signal, lookEveryMs, { clock, what: "a look at the caches" });
        await Promise.all(sources.map((source) => waitALittle(source, look.signal)));
        signal.throwIfAborted();
      }
      const broken = unsynced().map((status) => `${status.name}: ${status.lastFailure?.error.message}`);
      if (broken.length > 0) log.warn("starts although some informers have not synced", { informers: broken });
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
    // It says who has not synced; that is looked at above.
    if (!signal.aborted && !isAborted(error, signal)) throw error;
  }
}

function isBroken({ failingSinceMs }: InformerStatus, nowMs: number, afterMs: number): boolean {
  return failingSinceMs !== undefined && nowMs - failingSinceMs >= afterMs;
}

/** Names each informer that cannot hear what happens on the server. */
export function findInformerFault(
  statuses: readonly InformerStatus[],
  nowMs: number,
  { maxFailingMs = 60_000, maxSilenceMs = 15 * 60_000 }: Pick<CachesOptions, "maxFailingMs" | "maxSilenceMs"> = {},
): string | undefined {
  const faults = statuses.flatMap(({ name, phase, startedMs, failingSinceMs, lastContactMs, lastFailure }) => {
    if (startedMs === undefined || phase === "stopped") return [];
    if (failingSinceMs !== undefined && phase !== "watching" && nowMs - failingSinceMs > maxFailingMs) {
      return [`${name} has failed for ${seconds(nowMs - failingSinceMs)}: ${lastFailure?.error.message}`];
    }
    const silentMs = nowMs - (lastContactMs ?? startedMs);
    return silentMs > maxSilenceMs ? [`${name} has heard nothing for ${seconds(silentMs)}`] : [];
  });
  return faults.length === 0 ? undefined : faults.join("; ");
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
