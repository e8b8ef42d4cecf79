// The pods that wait to be scheduled, in four places: active (next to be tried), backing off (woken, but not before their time), unschedulable (until an
// event may help them), and in flight (being tried now). Events that come while a pod is in flight are kept and looked at when it comes back, so that
// none is missed.
//
// It reads the time it is given and starts nothing: the driver calls `flushBackoff` every second and `flushUnschedulable` every thirty.
import { KeyedHeap } from "@kubeloop/core/base";
import type { Pod } from "@kubeloop/core/types/core/v1";
import { incomingPodInfo, type PodInfo } from "../snapshot/pod-info.ts";
import { type ClusterEvent, hasGates, podEvents } from "./cluster-event.ts";
import { eventLabel } from "./event-label.ts";
import { type HintObserver, isWorthRequeuing } from "./hints.ts";

export interface QueueOptions {
  readonly now: () => number;
  /** Default: 1 second. */
  readonly initialBackoffMs?: number;
  /** Default: 10 seconds. 0 switches backoff off. */
  readonly maxBackoffMs?: number;
  /** How long a pod waits for an event before it is tried without one. Default: 5 minutes. */
  readonly maxUnschedulableMs?: number;
  /** The name of a plugin that does not let this pod into the queue now. Default: its scheduling gates. */
  readonly gateOf?: (pod: Pod) => string | undefined;
  /** Called when a pod comes to a place, with upstream's name of what brought it there. */
  readonly incoming?: (place: QueuePlace, event: string) => void;
  /** Measures the plugins that are asked whether an event helps. */
  readonly hints?: HintObserver;
}

export type QueuePlace = "active" | "backoff" | "unschedulable";

export interface QueuedPod {
  readonly podInfo: PodInfo;
  readonly attempts: number;
  /** When it entered the queue, or last failed. */
  readonly timestampMs: number;
  /** When it was first tried or could have been. */
  readonly initialAttemptMs: number | undefined;
  readonly rejections: number;
  readonly consecutiveErrors: number;
  readonly rejectingPlugins: ReadonlySet<string>;
  /** The plugin that keeps it out of the queue. */
  readonly gatedBy: string | undefined;
  /** Whether it is tried because it has waited too long for an event. */
  readonly isFlushed: boolean;
}

/** Why an attempt failed: some plugins refused, or none did and it was an error. */
export interface FailedAttempt {
  readonly rejectingPlugins: ReadonlySet<string>;
}

const noPlugins: ReadonlySet<string> = new Set();
const secondMs = 1000;
const truncateToSecond = (ms: number) => Math.floor(ms / secondMs) * secondMs;
const uidOf = ({ podInfo }: QueuedPod) => podInfo.uid;
/** Higher priority first, then whoever came first. */
const byPriority = (a: QueuedPod, b: QueuedPod) =>
  b.podInfo.priority - a.podInfo.priority || a.timestampMs - b.timestampMs;

/** What a scheduling gate waits for is a change of the pod itself; a preemptor waits for pods to go. */
function mayOpenGate({ gatedBy }: QueuedPod, event: ClusterEvent): boolean {
  if (gatedBy === undefined) return true;
  return gatedBy === "DefaultPreemption" && event.on === "pod" && event.change === "delete";
}

export class SchedulingQueue {
  readonly #now: () => number;
  readonly #initialBackoffMs: number;
  readonly #maxBackoffMs: number;
  readonly #maxUnschedulableMs: number;
  readonly #gateOf: (pod: Pod) => string | undefined;
  readonly #hints: HintObserver | undefined;
  readonly #incoming: (place: QueuePlace, event: string) => void;
  readonly #active = new KeyedHeap<string, QueuedPod>({ keyOf: uidOf, compare: byPriority });
  readonly #rejected: KeyedHeap<string, QueuedPod>;
  readonly #errored: KeyedHeap<string, QueuedPod>;
  readonly #unschedulable = new Map<string, QueuedPod>();
  /** For each pod in flight, how many events there had been when it was popped. The oldest comes first. */
  readonly #inFlight = new Map<string, number>();
  /** The events since the oldest pod in flight was popped, and how many there had been before. */
  #events: ClusterEvent[] = [];
  #eventsBefore = 0;

  constructor(options: QueueOptions) {
    this.#now = options.now;
    this.#initialBackoffMs = options.initialBackoffMs ?? 1000;
    this.#maxBackoffMs = options.maxBackoffMs ?? 10_000;
    this.#maxUnschedulableMs = options.maxUnschedulableMs ?? 300_000;
    this.#gateOf = options.gateOf ?? ((pod) => (hasGates(pod) ? "SchedulingGates" : undefined));
    this.#hints = options.hints;
    this.#incoming = options.incoming ?? (() => {});
    const byExpiry = (a: QueuedPod, b: QueuedPod) => this.#backoffEndMs(a) - this.#backoffEndMs(b);
    this.#rejected = new KeyedHeap({ keyOf: uidOf, compare: (a, b) => byExpiry(a, b) || byPriority(a, b) });
    this.#errored = new KeyedHeap({ keyOf: uidOf, compare: byExpiry });
  }

  get hasBackoff(): boolean {
    return this.#rejected.size + this.#errored.size > 0;
  }

  /** The numbers of `scheduler_pending_pods`. */
  get sizes(): {
    readonly active: number;
    readonly backoff: number;
    readonly unschedulable: number;
    readonly gated: number;
  } {
    const gated = [...this.#unschedulable.values()].filter(({ gatedBy }) => gatedBy !== undefined).length;
    const backoff = this.#rejected.size + this.#errored.size;
    return { active: this.#active.size, backoff, unschedulable: this.#unschedulable.size - gated, gated };
  }

  /** All pods that wait, wherever they are. */
  get waiting(): readonly QueuedPod[] {
    return [this.#active, this.#rejected, this.#errored, this.#unschedulable].flatMap((place) => [...place.values()]);
  }

  /** How many pods are being tried. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Upstream's names of the events that are kept for pods in flight. */
  get keptEvents(): readonly string[] {
    return this.#events.map(eventLabel);
  }

  /** A pending pod has appeared. */
  add(pod: Pod): void {
    const podInfo = incomingPodInfo(pod);
    this.#removeEverywhere(podInfo.uid);
    const queued: QueuedPod = {
      podInfo,
      attempts: 0,
      timestampMs: this.#now(),
      initialAttemptMs: undefined,
      rejections: 0,
      consecutiveErrors: 0,
      rejectingPlugins: noPlugins,
      gatedBy: undefined,
      isFlushed: false,
    };
    this.#activate(queued, "UnschedulablePodAdd");
  }

  /** A pending pod has changed. One that is not here is added. */
  update(before: Pod, after: Pod): void {
    const uid = after.metadata.uid ?? "";
    if (this.#inFlight.has(uid)) {
      this.#events.push(...podEvents(before, after));
      return;
    }
    for (const heap of [this.#active, this.#rejected, this.#errored]) {
      const queued = heap.get(uid);
      if (queued === undefined) continue;
      heap.set({ ...queued, podInfo: incomingPodInfo(after) });
      return;
    }
    const waiting = this.#unschedulable.get(uid);
    if (waiting === undefined) {
      this.add(after);
      return;
    }
    const updated = { ...waiting, podInfo: incomingPodInfo(after) };
    this.#unschedulable.set(uid, updated);
    for (const event of podEvents(before, after)) {
      if (!isWorthRequeuing(updated.podInfo, updated.rejectingPlugins, event, this.#hints)) continue;
      this.#requeue(updated, eventLabel(event));
      return;
    }
  }

  /** A pending pod has gone, or was bound by somebody. */
  delete(uid: string): void {
    this.#removeEverywhere(uid);
  }

  /**
   * Returns the next pod to try, which is in flight then, until `done` or `failed`. When none is active, the first that backs off is taken before its
   * time, because nobody would be kept waiting; pods that failed by an error are not.
   */
  pop(): QueuedPod | undefined {
    const next = this.#active.pop() ?? this.#popRejected();
    if (next === undefined) return undefined;
    this.#inFlight.set(next.podInfo.uid, this.#eventsBefore + this.#events.length);
    return { ...next, attempts: next.attempts + 1, rejectingPlugins: noPlugins };
  }

  #popRejected(): QueuedPod | undefined {
    const next = this.#rejected.pop();
    if (next !== undefined) this.#incoming("active", "PopFromBackoffQ");
    return next;
  }

  /** The pod needs no more attempt. */
  done(uid: string): void {
    this.#inFlight.delete(uid);
    const [oldest] = this.#inFlight.values();
    const forgotten = oldest === undefined ? this.#events.length : oldest - this.#eventsBefore;
    if (forgotten === 0) return;
    this.#events = this.#events.slice(forgotten);
    this.#eventsBefore += forgotten;
  }

  /** The attempt has failed; `pod` is the pod as it is now. */
  failed(queued: QueuedPod, pod: Pod, { rejectingPlugins }: FailedAttempt): void {
    const uid = queued.podInfo.uid;
    const poppedAt = this.#inFlight.get(uid) ?? this.#eventsBefore + this.#events.length;
    const missed = this.#events.slice(poppedAt - this.#eventsBefore);
    this.done(uid);
    const isError = rejectingPlugins.size === 0;
    const waiting: QueuedPod = {
      ...queued,
      podInfo: incomingPodInfo(pod),
      timestampMs: this.#now(),
      rejections: queued.rejections + (isError ? 0 : 1),
      consecutiveErrors: isError ? queued.consecutiveErrors + 1 : 0,
      rejectingPlugins,
      isFlushed: false,
    };
    if (isError || missed.some((event) => isWorthRequeuing(waiting.podInfo, rejectingPlugins, event, this.#hints))) {
      this.#requeue(waiting, "ScheduleAttemptFailure");
    } else {
      this.#unschedulable.set(uid, waiting);
      this.#incoming("unschedulable", "ScheduleAttemptFailure");
    }
  }

  /** Wakes the pods that the event may help. With `only`, others are not asked. */
  wake(event: ClusterEvent, only: (pod: PodInfo) => boolean = () => true): void {
    if (this.#inFlight.size > 0) this.#events.push(event);
    for (const queued of [...this.#unschedulable.values()]) {
      if (!only(queued.podInfo) || !mayOpenGate(queued, event)) continue;
      if (isWorthRequeuing(queued.podInfo, queued.rejectingPlugins, event, this.#hints))
        this.#requeue(queued, eventLabel(event));
    }
  }

  /** Looks again at a pod that was held back. It backs off as any other. */
  release(uid: string): void {
    const queued = this.#unschedulable.get(uid);
    if (queued?.gatedBy !== undefined) this.#requeue(queued, "AssignedPodDelete");
  }

  /** Makes a waiting pod active now, whatever it waits for. */
  activate(uid: string): void {
    const queued = this.#unschedulable.get(uid) ?? this.#rejected.get(uid) ?? this.#errored.get(uid);
    if (queued !== undefined) this.#activate(queued, "ForceActivate");
  }

  /** Makes pods active whose backoff is over. Returns whether there were any. */
  flushBackoff(): boolean {
    let isAny = false;
    for (const heap of [this.#rejected, this.#errored]) {
      for (let first = heap.peek(); first !== undefined && !this.#isBackingOff(first); first = heap.peek()) {
        this.#activate(first, "BackoffComplete");
        isAny = true;
      }
    }
    return isAny;
  }

  /** Wakes pods that have waited too long for an event, and looks at gates again. */
  flushUnschedulable(): void {
    const latestMs = this.#now() - this.#maxUnschedulableMs;
    for (const queued of [...this.#unschedulable.values()]) {
      if (queued.timestampMs < latestMs) this.#requeue({ ...queued, isFlushed: true }, "UnschedulableTimeout");
    }
  }

  #requeue(queued: QueuedPod, event: string): void {
    if (!this.#isBackingOff(queued)) {
      this.#activate(queued, event);
      return;
    }
    const gatedBy = this.#gateOf(queued.podInfo.pod);
    if (gatedBy !== undefined) {
      this.#gate(queued, gatedBy, event);
      return;
    }
    this.#incoming("backoff", event);
    this.#unschedulable.delete(queued.podInfo.uid);
    (queued.consecutiveErrors > 0 ? this.#errored : this.#rejected).set({ ...queued, gatedBy: undefined });
  }

  #activate(queued: QueuedPod, event: string): void {
    const { uid, pod } = queued.podInfo;
    const gatedBy = this.#gateOf(pod);
    if (gatedBy !== undefined) {
      this.#gate(queued, gatedBy, event);
      return;
    }
    this.#incoming("active", event);
    this.#removeEverywhere(uid);
    this.#active.set({ ...queued, gatedBy: undefined, initialAttemptMs: queued.initialAttemptMs ?? this.#now() });
  }

  #gate(queued: QueuedPod, gatedBy: string, event: string): void {
    if (!this.#unschedulable.has(queued.podInfo.uid)) this.#incoming("unschedulable", event);
    this.#removeEverywhere(queued.podInfo.uid);
    const rejectingPlugins = new Set([...queued.rejectingPlugins, gatedBy]);
    this.#unschedulable.set(queued.podInfo.uid, { ...queued, gatedBy, rejectingPlugins });
  }

  #removeEverywhere(uid: string): void {
    this.#active.remove(uid);
    this.#rejected.remove(uid);
    this.#errored.remove(uid);
    this.#unschedulable.delete(uid);
  }

  /** Both ends are whole seconds, so that pods of one second come out by priority. */
  #isBackingOff(queued: QueuedPod): boolean {
    return this.#backoffEndMs(queued) >= truncateToSecond(this.#now());
  }

  /** Returns when the backoff ends: it doubles with each rejection or, after errors, with each error in a row. */
  #backoffEndMs({ rejections, consecutiveErrors, timestampMs }: QueuedPod): number {
    const count = consecutiveErrors > 0 ? consecutiveErrors : rejections;
    if (count === 0 || this.#maxBackoffMs === 0) return Number.NEGATIVE_INFINITY;
    const durationMs = Math.min(this.#initialBackoffMs * 2 ** (count - 1), this.#maxBackoffMs);
    return truncateToSecond(timestampMs + durationMs);
  }
}
