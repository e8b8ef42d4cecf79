// Evicts the victims of a preemption, beside the loop. The preemptor stays out of the queue until that is done.
import { type Clock, isAborted, type Log, type TaskScope, toError } from "@kubeloop/core/base";
import type { Pod } from "@kubeloop/core/types/core/v1";
import type { Candidate } from "../preemption/select-victims.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { Nominator } from "../snapshot/nominator.ts";
import { incomingPodInfo } from "../snapshot/pod-info.ts";
import { keyOf, type PodEvents } from "./pod-events.ts";
import type { PodWrites } from "./pod-writes.ts";
import type { SchedulerObserver } from "./scheduler-metrics.ts";

export interface VictimEvictionOptions {
  readonly writes: PodWrites;
  readonly events: PodEvents;
  readonly nominator: Nominator;
  readonly queue: SchedulingQueue;
  readonly observer: SchedulerObserver;
  readonly clock: Clock;
  readonly log: Log;
  /** The queue may have something now. */
  readonly look: () => void;
}

export class VictimEviction {
  readonly #options: VictimEvictionOptions;
  /** Preemptors, by UID. */
  readonly #preempting = new Set<string>();

  constructor(options: VictimEvictionOptions) {
    this.#options = options;
  }

  /** Whether victims of this pod are being evicted. */
  isUnderWay(uid: string): boolean {
    return this.#preempting.has(uid);
  }

  /** If all victims are terminating already, there is nothing to do but to wait. */
  start(pod: Pod, { nodeName, victims }: Candidate, scope: TaskScope): void {
    const { nominator, clock } = this.#options;
    const evicted = victims.filter(({ isTerminating }) => !isTerminating).map((victim) => victim.pod);
    if (evicted.length === 0) return;
    const { priority, uid } = incomingPodInfo(pod);
    const lower = [...nominator.on(nodeName)].filter((each) => each.priority < priority);
    for (const each of lower) nominator.remove(each.uid);
    this.#preempting.add(uid);
    const startedMs = clock.monotonic();
    void scope.spawn(async (signal) => {
      const { writes, observer, queue, log, look } = this.#options;
      let isSuccess = false;
      try {
        await Promise.all(lower.map((each) => writes.clearNomination(each.pod, signal)));
        // The last one goes alone, so that the preemptor is woken when all have been told.
        await Promise.all(evicted.slice(0, -1).map((victim) => this.#evict(victim, pod, nodeName, signal)));
        for (const victim of evicted.slice(-1)) await this.#evict(victim, pod, nodeName, signal);
        isSuccess = true;
      } catch (error) {
        if (isAborted(error, signal)) throw error;
        log.warn("preemption failed", { pod: keyOf(pod), node: nodeName, error: toError(error) });
        queue.activate(uid);
      } finally {
        observer.evicted(isSuccess, clock.monotonic() - startedMs);
        this.#preempting.delete(uid);
        queue.release(uid);
        look();
      }
    });
  }

  async #evict(victim: Pod, preemptor: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
    const { writes, events } = this.#options;
    await writes.evict(victim, preemptor.spec.schedulerName ?? "", signal);
    events.preempted(victim, preemptor, nodeName);
  }
}
