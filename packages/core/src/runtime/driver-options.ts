// What a driver is given beside the controller: a server, caches that others run, and timeouts, with their
// defaults.
import {
  type Clock,
  defaultLog,
  type Log,
  type Metrics,
  noMetrics,
  type Random,
  systemClock,
  systemRandom,
} from "../base/index.ts";
import type { Client } from "../client/index.ts";
import type { EventAction } from "../contract/for-drivers.ts";
import { Ports } from "./ports.ts";
import type { WriteGate } from "./read-your-writes.ts";
import type { Tracer } from "./tracing/tracer.ts";
import type { WatchSourceOptions } from "./watch-sources.ts";

export interface ControllerDriverOptions extends Omit<WatchSourceOptions, "clock" | "log" | "informerClient"> {
  /** The controller's own identity: its writes, and the reads that it declares. */
  readonly client: Client;
  /** The identity of the shared informers: watches, discovery, and reads that settle lost writes; `client` unless given. */
  readonly informerClient?: Client | undefined;
  /** The system's unless given. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** Spans from event to write; none unless given. A tracer of OpenTelemetry fits. */
  readonly tracer?: Tracer | undefined;
  /** Implementations of what the controller's ports name. */
  readonly ports?: Ports;
  /** Where events go; nowhere unless given. Must neither block nor throw. */
  readonly recordEvent?: (event: EventAction) => void;
  /** For caches to sync; 2 min unless given. */
  readonly syncTimeoutMs?: number;
  /** Instead of what the controller says: end, start with those that have synced, or go on waiting and say so each time. */
  readonly onSyncTimeout?: "fail" | "start" | "wait" | undefined;
  /** For one key, all its requests included, where its queue says nothing else; 5 min unless given. */
  readonly reconcileTimeoutMs?: number;
  /**
   * How long keys that are worked on when the signal aborts may still take, reports and all; 0, they are broken off, unless given. A function is
   * asked at that moment.
   */
  readonly drainMs?: number | (() => number);
  /** For one request; 30 s unless given. */
  readonly requestTimeoutMs?: number;
  /** Requests of one plan under way at a time; 32 unless given. */
  readonly maxParallel?: number;
  /** How often `decide` may ask before it must decide; 4 unless given. */
  readonly maxRounds?: number;
  /** How often discovery is looked at, where watches follow it; 30 s unless given. */
  readonly discoveryMs?: number;
  /** How long a cache may lag behind own writes before the server is asked; 10 s unless given. */
  readonly settleAfterMs?: number;
  /** Workers of a queue, instead of what the controller says. */
  readonly workers?: Readonly<Record<string, number>>;
  /** Only for tests, which show what happens with a gate that leaks. */
  readonly wrapGate?: ((gate: WriteGate) => WriteGate) | undefined;
}

type Optional = "tracer" | "metadata" | "freeze" | "onSyncTimeout" | "wrapGate";

export type DriverSettings = Required<Omit<ControllerDriverOptions, Optional>> &
  Pick<ControllerDriverOptions, Optional> & { readonly metrics: Metrics; readonly informerClient: Client };

export function driverSettings(options: ControllerDriverOptions): DriverSettings {
  return {
    clock: systemClock,
    random: systemRandom,
    log: defaultLog,
    ports: new Ports(),
    recordEvent: () => {},
    syncTimeoutMs: 120_000,
    reconcileTimeoutMs: 300_000,
    drainMs: 0,
    requestTimeoutMs: 30_000,
    maxParallel: 32,
    maxRounds: 4,
    discoveryMs: 30_000,
    settleAfterMs: 10_000,
    workers: {},
    ...options,
    informerClient: options.informerClient ?? options.client,
    metrics: options.metrics ?? noMetrics,
  };
}
