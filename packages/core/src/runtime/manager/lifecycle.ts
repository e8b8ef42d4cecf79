// Starts groups of runnables one after the other, and stops them in reverse order. The leader election runs before the last group.
//
// Promises
// - A group starts when the one before it is ready. The first failure, the loss of the lease, or the signal stops all groups.
// - Groups stop from the last to the first, and each is waited for, within one grace period for all. In the last part of the grace period, all
//   remaining groups are stopped at the same time; the error names the runnables that have not ended after it.
// - The lease is renewed until the group "leader" is over. If the lease is lost, this group gets no more time than the lease is still valid.
import {
  type ChildSignal,
  type Clock,
  childSignal,
  deferred,
  isAborted,
  KubeloopError,
  type Log,
  TimeoutError,
  timeoutSignal,
  toError,
  untilAborted,
} from "../../base/index.ts";
import type { ManagerElection } from "./manager-election.ts";
import { ManagerError, type RunnableFailure } from "./manager-error.ts";
import { Member } from "./member.ts";
import { type GroupName, groupNames, type Runnable } from "./runnable.ts";
import { RunnableGroup } from "./runnable-group.ts";

export type ManagerState = "new" | "starting" | "running" | "stopping" | "ended";

export interface LifecycleOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly gracePeriodMs: number;
  readonly election: ManagerElection | undefined;
}

export class Lifecycle {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #graceMs: number;
  readonly #election: ManagerElection | undefined;
  readonly #groups: ReadonlyMap<GroupName, RunnableGroup> = new Map(
    groupNames.map((name) => [name, new RunnableGroup(name)]),
  );
  readonly #started = deferred();
  readonly #ended = deferred();
  readonly #failures: RunnableFailure[] = [];
  #state: ManagerState = "new";
  #isLeaseLost = false;
  #stop: ChildSignal | undefined;
  #electing: { readonly done: Promise<void>; readonly stop: AbortController } | undefined;

  constructor({ clock, log, gracePeriodMs, election }: LifecycleOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#graceMs = gracePeriodMs;
    this.#election = election;
    // `whenStarted` may never be called: then the rejection must not count as unhandled.
    this.#started.promise.catch(() => {});
  }

  get state(): ManagerState {
    return this.#state;
  }

  async whenStarted(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#started.promise, signal);
  }

  /** The runnable starts with its group, or immediately if the group has started. Throws if the group has been stopped. */
  add(runnable: Runnable): Member {
    const member = new Member(runnable, (failed, error) => this.#failed(failed, error));
    this.#group(member.group).add(member);
    return member;
  }

  /** Stops one runnable and waits until it is over. */
  async remove(member: Member): Promise<void> {
    const reason = new KubeloopError(`${member.name} has been removed`, { reason: "Removed", retry: "never" });
    await this.#group(member.group).remove(member, reason);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") {
      throw new KubeloopError("a manager runs once only", { reason: "Invalid", retry: "never" });
    }
    this.#state = "starting";
    using stop = childSignal(signal);
    this.#stop = stop;
    try {
      await this.#start(stop.signal);
      await untilAborted(new Promise(() => {}), stop.signal);
    } catch (error) {
      if (!isAborted(error, stop.signal)) this.#failures.push({ name: "manager", error: toError(error) });
    }
    try {
      await this.#end(stop.signal.reason);
    } finally {
      this.#state = "ended";
      this.#ended.resolve();
    }
  }

  /** Stops `run`, if it was called, and waits until it has ended. */
  async end(reason: unknown): Promise<void> {
    if (this.#state === "new") return;
    this.#stop?.abort(reason);
    await this.#ended.promise;
  }

  async #start(signal: AbortSignal): Promise<void> {
    for (const group of this.#groups.values()) {
      signal.throwIfAborted();
      if (group.name === "leader" && this.#election !== undefined) continue;
      if (group.size > 0) this.#log.debug("group starts", { group: group.name });
      await group.start(signal);
    }
    signal.throwIfAborted();
    if (this.#election !== undefined) this.#contend(this.#election);
    this.#state = "running";
    this.#started.resolve();
    this.#log.info("manager has started");
  }

  #contend(election: ManagerElection): void {
    const stop = new AbortController();
    const contend = async () => {
      try {
        await election.run(this.#group("leader"), () => this.#lost(), stop.signal);
      } catch (error) {
        this.#failures.push({ name: "leader election", error: toError(error) });
        this.#stop?.abort(error);
      }
    };
    this.#electing = { done: contend(), stop };
  }

  #failed({ name, runnable }: Member, error: Error): void {
    if (runnable.onFailure === "report") {
      this.#log.error("runnable failed, the others go on", { runnable: name, error });
      return;
    }
    this.#log.error("runnable failed", { runnable: name, error });
    this.#failures.push({ name, error });
    this.#stop?.abort(error);
  }

  #lost(): void {
    this.#isLeaseLost = true;
    this.#log.error("leader election lost");
    this.#stop?.abort(new KubeloopError("leader election lost", { reason: "LeaderElectionLost", retry: "never" }));
  }

  /** Throws a ManagerError if the lease was lost, a runnable failed, or a runnable has not ended in time. */
  async #end(reason: unknown): Promise<void> {
    this.#state = "stopping";
    this.#started.reject(new KubeloopError("the manager has ended", { reason: "Ended", retry: "never" }));
    this.#log.info("manager stops", { reason: toError(reason).message });
    const unended = await this.#endGroups(reason);
    const isLeaseLost = this.#isLeaseLost;
    if (isLeaseLost || this.#failures.length > 0 || unended.length > 0) {
      throw new ManagerError({ isLeaseLost, failures: this.#failures, unended });
    }
    this.#log.info("manager has stopped");
  }

  /** Returns the names of the runnables that have not ended. */
  async #endGroups(reason: unknown): Promise<readonly string[]> {
    const never = new AbortController().signal;
    const clock = this.#clock.labelled({ kind: "background", name: "grace period" });
    using grace = timeoutSignal(never, withoutLastMoment(this.#graceMs), { clock, what: "ending" });
    try {
      for (const group of [...this.#groups.values()].reverse()) await this.#endGroup(group, reason, grace.signal);
      return [];
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      this.#log.error("not all runnables have ended in time", { error });
    }
    for (const group of [...this.#groups.values()].reverse()) group.stop(reason);
    this.#electing?.stop.abort(reason);
    await this.#lastMoment();
    // With a grace period of 0, runnables that have not ended are not reported.
    return this.#graceMs === 0 ? [] : [...this.#groups.values()].flatMap(({ running }) => running);
  }

  /** Waits shortly for all groups, so that runnables that were stopped late because another one hangs are not reported together with it. */
  async #lastMoment(): Promise<void> {
    const limitMs = Math.min(this.#graceMs, this.#isLeaseLost ? this.#handoverMs : Number.POSITIVE_INFINITY);
    const clock = this.#clock.labelled({ kind: "background", name: "last moment" });
    const never = new AbortController().signal;
    using moment = timeoutSignal(never, lastMomentMs(limitMs), { clock, what: "ending" });
    const all = Promise.all([...this.#groups.values()].map((group) => group.whenOver()));
    await untilAborted(all, moment.signal).catch(() => {});
  }

  get #handoverMs(): number {
    return this.#election?.handoverMs ?? Number.POSITIVE_INFINITY;
  }

  async #endGroup(group: RunnableGroup, reason: unknown, grace: AbortSignal): Promise<void> {
    group.stop(reason);
    if (group.name !== "leader" || this.#election === undefined) {
      await untilAborted(group.whenOver(), grace);
      return;
    }
    // Another replica may lead as soon as the lease has expired, so the work must end by then even if the grace period is longer.
    const limitMs = this.#isLeaseLost ? withoutLastMoment(this.#handoverMs) : Number.POSITIVE_INFINITY;
    const clock = this.#clock.labelled({ kind: "background", name: "handover" });
    using limit = timeoutSignal(grace, limitMs, { clock, what: "ending what only a leader may run" });
    await untilAborted(group.whenOver(), limit.signal);
    // The election stops only now, so that the lease is renewed until the group is over.
    this.#electing?.stop.abort(reason);
    await untilAborted(this.#electing?.done ?? Promise.resolve(), grace);
  }

  #group(name: GroupName): RunnableGroup {
    const group = this.#groups.get(name);
    if (group !== undefined) return group;
    throw new KubeloopError(`there is no group ${name}`, { reason: "Invalid", retry: "never" });
  }
}

/** Returns the part of a time limit that is reserved for its last moment. */
function lastMomentMs(limitMs: number): number {
  return Math.min(1000, limitMs / 10);
}

function withoutLastMoment(limitMs: number): number {
  return limitMs - lastMomentMs(limitMs);
}
