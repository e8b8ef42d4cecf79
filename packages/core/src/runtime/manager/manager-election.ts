// The election of a manager: the leader's group starts when this replica leads, and is aborted when it does so no longer.
//
// As long as the group runs, the lease is renewed, on the way out too: it is given up only after the group is over.
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
  /** Of the Lease. Replicas that share it elect one among them. */
  readonly namespace: string;
  readonly name: string;
  /** Ours alone; the machine's name and a few random letters unless given. */
  readonly identity?: string;
  /** Whether to give the lease back at the end, so that the next leader need not wait for it. True unless given. */
  readonly releaseOnStop?: boolean;
  /** Where the lease is kept, if not on the server. */
  readonly lock?: LeaseStore;
  /** How long past its end a lease may still be believed in before `/healthz` fails; 20 s unless given. */
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
  /** What is left of the lease when a leader gives up: by then nothing of its work may go on. */
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

  /** Of the lease by which we lead; undefined while we do not. */
  get fencingToken(): number | undefined {
    return this.#fencingToken;
  }

  get leader(): string {
    return this.#elector.leader;
  }

  /** For `/healthz`: a leader whose lease has run out and that does not notice should be restarted. */
  findFault(): string | undefined {
    return this.#elector.findFault(this.#healthToleranceMs);
  }

  async whenElected(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#elected.promise, signal);
  }

  /** Contends until it leads, and leads until the group has ended. `onLost` has to stop the group, unless it is stopped already. */
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
