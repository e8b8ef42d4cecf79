// The options of a manager. An option that is not given has the default of the part that uses it.
import type { Clock, Log, Metrics, Random } from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import type { EventBroadcaster } from "../../events/index.ts";
import type {
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
  /** Made unless given. The manager runs them either way. */
  readonly informers?: SharedInformerFactory;
  readonly metadata?: MetadataSharedInformerFactory;
  /** For those that are made. */
  readonly informerOptions?: Omit<InformerFactoryOptions, "clock" | "random" | "log" | "metrics">;
  /** Where `/healthz`, `/livez` and `/readyz` are served, and `/metrics` unless that has a place of its own. Nowhere unless given. */
  readonly healthServer?: ServerPlace;
  readonly metricsServer?: ServerPlace;
  /** Without it every replica runs everything. */
  readonly leaderElection?: ManagerElectionOptions;
  /** For everything to end; 30 s unless given. Infinity waits for ever; 0 does not wait, nor complain. */
  readonly gracePeriodMs?: number;
  /** When an informer counts as broken. */
  readonly caches?: Pick<CachesOptions, "brokenAfterMs" | "patienceMs" | "maxFailingMs" | "maxSilenceMs">;
  /** Shared by all parts; a registry of the manager's own unless given. One that cannot print is not served. */
  readonly metrics?: Metrics & Partial<PrintableMetrics>;
  /**
   * Whether to measure the process (`process_*`, `nodejs_eventloop_lag_*`); where the manager has a registry of its own and real time, unless
   * given. A registry of prom-client may have metrics of those names already.
   */
  readonly processMetrics?: boolean;
  /** Takes what controllers tell people, and is run by the manager; one that writes core/v1 events unless given. */
  readonly events?: EventBroadcaster | "none";
  /** Spans from event to write; none unless given. A tracer of OpenTelemetry fits. */
  readonly tracer?: ControllerDriverOptions["tracer"];
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The options of one controller's driver, which override those of the manager, and the group in which it runs. */
export interface AddControllerOptions extends Placement, Partial<ControllerDriverOptions> {
  /** Keep its caches filled in replicas that do not lead, so that a new leader begins at once. False unless given. */
  readonly warmUp?: boolean;
}
