// The options of a manager. An option that is not given has the default of the part that uses it.
import type { Clock, Log, Metrics, Random } from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import type { EventBroadcaster } from "../../events/index.ts";
import type {
  DeliveryGate,
  InformerFactoryOptions,
  MetadataSharedInformerFactory,
  SharedInformerFactory,
} from "../../informer/index.ts";
import type { ControllerDriverOptions } from "../controller-driver.ts";
import type { HttpServerOptions, PrintableMetrics } from "../serving/index.ts";
import type { CachesOptions } from "./caches.ts";
import type { ManagerElectionOptions } from "./manager-election.ts";
import type { Placement } from "./runnable.ts";

export type ServerPlace = Omit<HttpServerOptions, "clock" | "log">;

export interface ManagerOptions {
  readonly client: Client;
  /** Created unless given. The manager runs the informers in both cases. */
  readonly informers?: SharedInformerFactory;
  readonly metadata?: MetadataSharedInformerFactory;
  /** Options for the factories that the manager creates. */
  readonly informerOptions?: Omit<InformerFactoryOptions, "clock" | "random" | "log" | "metrics">;
  /** Holds back the handlers of the factories that the manager creates. */
  readonly deliveryGate?: DeliveryGate;
  /** Serves `/healthz`, `/livez` and `/readyz`, and also `/metrics` unless `metricsServer` is given. They are not served unless given. */
  readonly healthServer?: ServerPlace;
  readonly metricsServer?: ServerPlace;
  /** Without leader election, every replica runs everything. */
  readonly leaderElection?: ManagerElectionOptions;
  /** How long the runnables may take to end; 30 s unless given. Infinity waits forever; 0 does not wait, and is no error if some have not ended. */
  readonly gracePeriodMs?: number;
  /** When the manager no longer waits for an informer, and when `/readyz` reports it. */
  readonly caches?: Pick<CachesOptions, "brokenAfterMs" | "patienceMs" | "maxFailingMs" | "maxSilenceMs">;
  /** Shared by all parts; the manager creates its own registry unless given. Without a `print` function, `/metrics` is not served. */
  readonly metrics?: Metrics & Partial<PrintableMetrics>;
  /**
   * Whether to measure the process (`process_*`, `nodejs_eventloop_lag_*`). Unless given, true if the manager has its own registry and the system
   * clock. A registry of prom-client may already have metrics with these names.
   */
  readonly processMetrics?: boolean;
  /** Receives the events of the controllers; the manager runs it. Unless given, a broadcaster that writes core/v1 events. */
  readonly events?: EventBroadcaster | "none";
  /** Creates spans from the event to the write; no spans unless given. An OpenTelemetry tracer can be passed. */
  readonly tracer?: ControllerDriverOptions["tracer"];
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The options of one controller's driver, which override those of the manager, and the group in which it runs. */
export interface AddControllerOptions extends Placement, Partial<ControllerDriverOptions> {
  /** Keep its caches synced in replicas that do not lead, so that a new leader starts immediately. False unless given. */
  readonly warmUp?: boolean;
}
