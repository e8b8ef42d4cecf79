// The options of a reflector, and all their defaults.
import {
  type BackoffPolicy,
  type Clock,
  defaultLog,
  type Log,
  type Metrics,
  noMetrics,
  type Random,
  systemClock,
  systemRandom,
} from "../../base/index.ts";
import { requireLimit, requirePeriodMs } from "../option-checks.ts";
import type { ListerWatcher, ObjectKind } from "./lister-watcher.ts";
import type { ReflectorRules } from "./reflector-state.ts";
import type { ReflectorRow } from "./reflector-step.ts";

export interface FailureDetails {
  /** The reflector's name. */
  readonly name: string;
  /** The row of the reflector's table that handled the failure; undefined for an event that was skipped. */
  readonly row: ReflectorRow | undefined;
}

export interface ReflectorOptions {
  /** Default: derived from the line of code that created the reflector. Made unique in both cases. */
  readonly name?: string;
  /** The expected kind of the objects. Default: the kind of the source. */
  readonly expectedKind?: ObjectKind;
  /** How often the store is asked to resync while a watch is open or about to be reopened. Default: never. */
  readonly resyncMs?: number;
  readonly shouldResync?: () => boolean;
  /** Always request pages of this size, even if that keeps a server from using its watch cache. */
  readonly pageSize?: number;
  /** Whether lists may be streamed (WatchList). Default: true, unless the environment variable KUBE_FEATURE_WatchListClient is false. */
  readonly watchListEnabled?: boolean;
  /**
   * How long a streamed list may stay without any event or bookmark before a plain list is used instead. Default: 5 s.
   * All reflectors of the same client remember the result.
   */
  readonly watchListAnswerMs?: number;
  /**
   * How long a streamed list, once answered, may go without a new object before a plain list is used instead. Default: 30 s.
   * Long lists keep sending, so the time between objects is limited, not the total time.
   */
  readonly watchListSilenceMs?: number;
  /** How long a server that cannot stream lists is not asked to. Default: 30 min. */
  readonly watchListRetryMs?: number;
  /** Watches last between this time and twice as long. Default and minimum: 5 min. */
  readonly minWatchTimeoutMs?: number;
  /** For how long a watch is reopened without a list after internal errors. Default: not at all. */
  readonly maxInternalErrorRetryMs?: number;
  /** Default: 0.8 s to 30 s, doubled each time, with jitter up to twice the delay; reset after 2 min without a failure. */
  readonly backoff?: BackoffPolicy;
  /** Lists again after each streamed list and compares. Default: from KUBE_WATCHLIST_INCONSISTENCY_DETECTOR. */
  readonly detectInconsistency?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly metrics?: Metrics;
  /** Called with every failure, including those retried immediately, and with dropped objects. Must not throw. */
  readonly onError?: (error: Error, details: FailureDetails) => void;
  /** Called with the name of each row that applied: for tests that measure their coverage of the table. */
  readonly onRow?: (row: ReflectorRow) => void;
}

export interface ReflectorSettings extends ReflectorOptions {
  readonly watchListAnswerMs: number;
  readonly watchListSilenceMs: number;
  readonly detectInconsistency: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: ReflectorRules;
}

type Environment = Readonly<Record<string, string | undefined>>;

const minute = 60_000;
const leastWatchTimeoutMs = 5 * minute;
const defaultBackoff: BackoffPolicy = { initialMs: 800, factor: 2, maxMs: 30_000, jitter: 1 };
const defaultResetAfterMs = 2 * minute;

export function settingsOf(
  options: ReflectorOptions,
  source: Pick<ListerWatcher, "canWatchList">,
  environment: Environment,
): ReflectorSettings {
  checkReflectorOptions(options);
  const isEnabled = options.watchListEnabled ?? !isFalse(environment["KUBE_FEATURE_WatchListClient"]);
  const backoff = options.backoff ?? defaultBackoff;
  return {
    ...options,
    watchListAnswerMs: options.watchListAnswerMs ?? 5_000,
    watchListSilenceMs: options.watchListSilenceMs ?? 30_000,
    detectInconsistency: options.detectInconsistency ?? isTrue(environment["KUBE_WATCHLIST_INCONSISTENCY_DETECTOR"]),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    log: options.log ?? defaultLog,
    metrics: options.metrics ?? noMetrics,
    rules: {
      canStream: isEnabled && source.canWatchList !== false,
      forcedPageSize: options.pageSize,
      backoff: { ...backoff, resetAfterMs: backoff.resetAfterMs ?? defaultResetAfterMs },
      minWatchTimeoutMs: Math.max(options.minWatchTimeoutMs ?? 0, leastWatchTimeoutMs),
      maxInternalErrorRetryMs: options.maxInternalErrorRetryMs ?? 0,
      streamRetryMs: options.watchListRetryMs ?? 30 * minute,
    },
  };
}

/** Throws for invalid numbers. Informers call it before they create a reflector. */
export function checkReflectorOptions(options: ReflectorOptions): void {
  requirePeriodMs("resyncMs", options.resyncMs);
  for (const option of limits) requireLimit(option, options[option]);
}

const limits = [
  "pageSize",
  "watchListAnswerMs",
  "watchListSilenceMs",
  "watchListRetryMs",
  "minWatchTimeoutMs",
  "maxInternalErrorRetryMs",
] as const;

// The spellings that Go parses as booleans.
const isTrue = (text: string | undefined) => /^(?:1|t|true)$/i.test(text ?? "");
const isFalse = (text: string | undefined) => /^(?:0|f|false)$/i.test(text ?? "");
