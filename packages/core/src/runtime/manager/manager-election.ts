// The leader election of a manager: the group "leader" starts when this replica becomes the leader, and is aborted when it loses the lease.
//
// The lease is renewed as long as the group runs, also while the manager stops: it is released only after the group is over.
import { hostname } from "node:os";
import { randomSuffix } from "../../api/index.ts";
import { type Clock, deferred, type Log, type Metrics, onAbort, type Random, untilAborted } from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import {
  defaultTimings,
  type ElectionTimings,
  electionMetrics,
  LeaderElector,
  LeaseLock,
  type LeaseStore,
} from "../../election/index.ts";
import type { RunnableGroup } from "./runnable-group.ts";

export interface ManagerElectionOptions extends Partial<ElectionTimings> {
  /** The namespace of the Lease. Replicas that use the same Lease elect one leader. */
  readonly namespace: string;
  readonly name: string;
  /** Must be unique to this replica; the hostname and a random suffix unless given. */
  readonly identity?: string;
  /** Whether to release the lease at the end, so that the next leader does not have to wait until it expires. True unless given. */
  readonly releaseOnStop?: boolean;
  /** Where the lease is stored; a Lease on the server unless given. */
  readonly lock?: LeaseStore;
  /** How long a leader may still act as leader after its lease has expired before `/healthz` fails; 20 s unless given. */
  readonly healthToleranceMs?: number;
}

export interface ElectionParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

export class ManagerElection {
  /** How long the lease is still valid when a leader gives up renewing it. The leader's work must have ended by then. */
  readonly handoverMs: number;
  readonly #elector: LeaderElector;
  readonly #healthToleranceMs: number;
  readonly #elected = deferred();
  #fencingToken: number | undefined;

  constructor(options: ManagerElectionOptions, { client, clock, random, log, metrics }: ElectionParts) {
    const { namespace, name, lock, identity, healthToleranceMs = 20_000, ...rest } = options;
    const { leaseDurationMs = defaultTimings.leaseDurationMs, renewDeadlineMs = defaultTimings.renewDeadlineMs } = rest;
    this.handoverMs = leaseDurationMs - renewDeadlineMs;
    this.#healthToleranceMs = healthToleranceMs;
    this.#elector = new LeaderElector({
      ...rest,
      lock: lock ?? new LeaseLock(client, { namespace, name }),
      identity: identity ?? `${hostname()}_${randomSuffix(random, 16)}`,
      clock,
      random,
      log,
      observer: electionMetrics(metrics, name),
    });
  }

  /** The fencing token of the lease with which this replica leads; undefined while it does not lead. */
  get fencingToken(): number | undefined {
    return this.#fencingToken;
  }

  get leader(): string {
    return this.#elector.leader;
  }

  /** For `/healthz`: a leader whose lease has expired and that does not notice this should be restarted. */
  findFault(): string | undefined {
    return this.#elector.findFault(this.#healthToleranceMs);
  }

  async whenElected(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#elected.promise, signal);
  }

  /** Tries to acquire the lease, and leads until the group is over. `onLost` is called if the group is not stopped yet, and must stop it. */
  async run(group: RunnableGroup, onLost: () => void, signal: AbortSignal): Promise<void> {
    await this.#elector.run(
      {
        onStartedLeading: async (leadership) => {
          this.#fencingToken = leadership.fencingToken;
          this.#elected.resolve();
          using _losing = onAbort(leadership.signal, () => {
            this.#fencingToken = undefined;
            if (group.state !== "stopped") onLost();
          });
          await group.lead(leadership.signal);
        },
        onStoppedLeading: () => {
          this.#fencingToken = undefined;
        },
      },
      signal,
    );
  }
}
