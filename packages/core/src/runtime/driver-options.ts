// The options of a driver besides the controller: clients, shared caches that the process runs, and timeouts, with their defaults.
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
  /** Has the controller's own identity. Used for its writes and for the live reads that it declares. */
  readonly client: Client;
  /** Has the identity of the shared informers. Used for watches, discovery, and reads that settle lost writes; `client` unless given. */
  readonly informerClient?: Client | undefined;
  /** The system clock unless given. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** Creates spans from the event to the write; no spans unless given. An OpenTelemetry tracer can be passed. */
  readonly tracer?: Tracer | undefined;
  /** The implementations of the controller's ports. */
  readonly ports?: Ports;
  /** Records events; events are dropped unless given. Must neither block nor throw. */
  readonly recordEvent?: (event: EventAction) => void;
  /** How long to wait for the caches to sync; 2 min unless given. */
  readonly syncTimeoutMs?: number;
  /**
   * Overrides the controller's own setting. "fail": `run` throws. "start": the workers start with the caches that have synced. "wait": the driver
   * continues to wait, and logs an error after each timeout.
   */
  readonly onSyncTimeout?: "fail" | "start" | "wait" | undefined;
  /** Deadline for one reconcile of a key, including all its requests, unless its queue has its own deadline; 5 min unless given. */
  readonly reconcileTimeoutMs?: number;
  /**
   * How long the reconciles that are in progress when the signal aborts may still take, including their reports. Unless given it is 0: they
   * are aborted immediately. A function is called when the signal aborts.
   */
  readonly drainMs?: number | (() => number);
  /** Timeout of one request; 30 s unless given. */
  readonly requestTimeoutMs?: number;
  /** How many requests of one plan may be in flight at the same time; 32 unless given. */
  readonly maxParallel?: number;
  /** How many times `decide` may ask questions before it must return a plan; 4 unless given. */
  readonly maxRounds?: number;
  /** The interval between discovery requests, for controllers whose watches follow discovery; 30 s unless given. */
  readonly discoveryMs?: number;
  /** How long a cache may lag behind the controller's own writes before the driver reads from the server; 10 s unless given. */
  readonly settleAfterMs?: number;
  /** The number of workers by queue name; overrides the controller's own setting. */
  readonly workers?: Readonly<Record<string, number>>;
  /** Only for tests that show what happens if the gate does not hold keys back. */
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
