// How a reflector may differ from others, and what it does when nothing is said. All defaults are here.
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
  /** The reflector's. */
  readonly name: string;
  /** The row of the reflector's table that says what follows; for an event that was skipped, none. */
  readonly row: ReflectorRow | undefined;
}

export interface ReflectorOptions {
  /** After the line of code that made it unless given; made unique either way. */
  readonly name?: string;
  /** What objects must be; what the source says of them unless given. */
  readonly expectedKind?: ObjectKind;
  /** How often the store is asked to resync while a watch is followed; never unless given. */
  readonly resyncMs?: number;
  readonly shouldResync?: () => boolean;
  /** Always ask for pages of this size, also where that keeps a server from using its cache. */
  readonly pageSize?: number;
  /** Whether the first list, and later ones, may be streamed. True unless KUBE_FEATURE_WatchListClient says otherwise. */
  readonly watchListEnabled?: boolean;
  /**
   * How long the server may answer a streamed list with neither an event nor a bookmark before a plain list is taken instead;
   * 5 s unless given. All reflectors of the same client remember it.
   */
  readonly watchListAnswerMs?: number;
  /**
   * How long a streamed list that was answered may go without an object before a plain list is taken instead; 30 s unless
   * given. Long lists keep sending, so it is silence that is limited, not the whole.
   */
  readonly watchListSilenceMs?: number;
  /** How long a server that cannot stream a list is not asked to; 30 min unless given. */
  readonly watchListRetryMs?: number;
  /** Watches last between this and twice as long. Less than 5 min, the default, does not count. */
  readonly minWatchTimeoutMs?: number;
  /** How long internal errors in a watch are met by watching again, without a list; not at all unless given. */
  readonly maxInternalErrorRetryMs?: number;
  /** 0.8 s to 30 s, doubled each time, up to twice as much by chance; anew after 2 min without trouble. */
  readonly backoff?: BackoffPolicy;
  /** Lists once more after a streamed list, and compares. By KUBE_WATCHLIST_INCONSISTENCY_DETECTOR unless given. */
  readonly detectInconsistency?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly metrics?: Metrics;
  /** Sees every failure, also those that are retried at once, and what was dropped. Must not throw. */
  readonly onError?: (error: Error, details: FailureDetails) => void;
  /** Hears which row of the table applied: for tests that want to know what they have covered. */
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

/** Throws for numbers that are none. Informers ask before they have a reflector. */
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

// As Go reads booleans.
const isTrue = (text: string | undefined) => /^(?:1|t|true)$/i.test(text ?? "");
const isFalse = (text: string | undefined) => /^(?:0|f|false)$/i.test(text ?? "");
