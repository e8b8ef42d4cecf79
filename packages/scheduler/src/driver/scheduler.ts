// The scheduler as a part of a process: follows the cluster through informers, takes one pod after the other from the queue, decides, and binds beside
// the loop, so that the next pod need not wait for the server. What a pod's owner must know is in its condition and in events, in upstream's words.
//
// Promises: `run` ends when its signal aborts and every request has ended. Two pods never get the same place, because a pod that was decided on counts
// from that moment. Not here: leader election (run-as-leader.ts); devices (README.md).

import { isNotFound } from "@kubeloop/core/api";
import {
  assertNever,
  type Clock,
  type Deferred,
  defaultLog,
  deferred,
  isAborted,
  type Log,
  type Metrics,
  noMetrics,
  type Random,
  systemClock,
  systemRandom,
  TaskScope,
  toError,
  untilAborted,
} from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { lastStateOf, type ResourceEventHandlerRegistration, SharedInformerFactory } from "@kubeloop/core/informer";
import { isPodTerminating } from "@kubeloop/core/rules";
import type { Pod } from "@kubeloop/core/types/core/v1";
import type { CycleObserver } from "../framework/cycle-observer.ts";
import { type Listers, noListers } from "../framework/listers.ts";
import type { Scoring } from "../framework/score-nodes.ts";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import type { PreemptionArguments } from "../preemption/preempt.ts";
import { hasGates } from "../queue/cluster-event.ts";
import { eventLabel } from "../queue/event-label.ts";
import type { HintObserver } from "../queue/hints.ts";
import { type QueuedPod, SchedulingQueue } from "../queue/scheduling-queue.ts";
import { type PostFilter, schedulePod, type Verdict } from "../schedule.ts";
import { incomingPodInfo } from "../snapshot/pod-info.ts";
import { AssumedVolumes } from "./assumed-volumes.ts";
import { BindingCycle, type Decided } from "./binding-cycle.ts";
import { ClusterModel, type Handled } from "./cluster-model.ts";
import { CycleMetrics } from "./cycle-metrics.ts";
import { followStorage } from "./follow-storage.ts";
import { informerListers } from "./informer-listers.ts";
import { keyOf, PodEvents } from "./pod-events.ts";
import { PodWrites, type Refused } from "./pod-writes.ts";
import { type AttemptResult, measureSizes, type SchedulerObserver, schedulerMetrics } from "./scheduler-metrics.ts";
import { VictimEviction } from "./victim-eviction.ts";
import { VolumeBinder } from "./volume-binder.ts";

/** How pods with this `spec.schedulerName` are placed. Pods with other names are left alone. */
export interface Profile {
  readonly schedulerName: string;
  readonly plugins: readonly Scoring[];
  /** Default: 0, fewer in larger clusters. */
  readonly percentageOfNodesToScore?: number;
  /** Asked when no node can take a pod. Default: upstream's. */
  readonly postFilters?: readonly PostFilter[];
  /** Which plugins may keep a pod out of the queue: `SchedulingGates`, `DefaultPreemption`. Default: both. */
  readonly preEnqueues?: ReadonlySet<string>;
  readonly preemption?: PreemptionArguments;
  /** How long volumes may take to be bound. Default: 10 minutes. */
  readonly volumeBindTimeoutMs?: number;
}

export interface SchedulerOptions {
  readonly client: Client;
  /** Shared with other parts of the process, who run it. Default: one of its own. */
  readonly informers?: SharedInformerFactory;
  /** Default: `default-scheduler` with the default plugins. */
  readonly profiles?: readonly Profile[];
  /** How long a pod backs off after its first failed attempt. Default: 1 second. */
  readonly podInitialBackoffMs?: number;
  /** Default: 10 seconds. 0 switches backoff off. */
  readonly podMaxBackoffMs?: number;
  /** How long a pod waits for an event before it is tried without one. Default: 5 minutes. */
  readonly podMaxUnschedulableMs?: number;
  /** Part of the reporting instance of events. Default: the machine's host name. */
  readonly hostName?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly metrics?: Metrics;
}

/** A decision, and when the cycle began. */
interface Attempt {
  readonly startedMs: number;
  readonly profile: Profile;
  readonly isSampled: boolean;
}

export const defaultProfile: Profile = { schedulerName: "default-scheduler", plugins: defaultPlugins };

const secondMs = 1000;
const unschedulableFlushMs = 30_000;

export class Scheduler {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #observer: SchedulerObserver;
  readonly #cycles: CycleMetrics;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #informers: SharedInformerFactory;
  readonly #runsInformers: boolean;
  readonly #writes: PodWrites;
  readonly #assumedVolumes = new AssumedVolumes();
  readonly #volumeBinder: VolumeBinder;
  /** What the informers have cached, without what is assumed. */
  #cached: Listers = noListers;
  readonly #bindingCycle: BindingCycle;
  readonly #queue: SchedulingQueue;
  readonly #model: ClusterModel;
  readonly #events: PodEvents;
  readonly #eviction: VictimEviction;
  #startIndex = 0;
  #isSynced = false;
  /** How many pods are being bound. */
  #bindings = 0;
  #somethingQueued: Deferred<void> | undefined;
  #backoffTimer: Disposable | undefined;

  constructor(options: SchedulerOptions) {
    const { client, profiles = [defaultProfile] } = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? defaultLog;
    this.#metrics = options.metrics ?? noMetrics;
    this.#observer = schedulerMetrics(this.#metrics);
    this.#cycles = new CycleMetrics(this.#metrics, this.#clock);
    for (const { schedulerName, plugins } of profiles) this.#cycles.declare(plugins, schedulerName);
    this.#profiles = new Map(profiles.map((profile) => [profile.schedulerName, profile]));
    const tools = { clock: this.#clock, random: this.#random, log: this.#log, metrics: this.#metrics };
    this.#informers = options.informers ?? new SharedInformerFactory(client, tools);
    this.#runsInformers = options.informers === undefined;
    this.#writes = new PodWrites(client, this.#clock);
    this.#volumeBinder = new VolumeBinder({ client, clock: this.#clock, assumed: this.#assumedVolumes });
    this.#queue = new SchedulingQueue({
      now: () => this.#clock.now(),
      ...(options.podInitialBackoffMs === undefined ? {} : { initialBackoffMs: options.podInitialBackoffMs }),
      ...(options.podMaxBackoffMs === undefined ? {} : { maxBackoffMs: options.podMaxBackoffMs }),
      ...(options.podMaxUnschedulableMs === undefined ? {} : { maxUnschedulableMs: options.podMaxUnschedulableMs }),
      incoming: (place, event) => this.#observer.queued(place, event),
      gateOf: (pod) => this.#gateOf(pod),
      hints: this.#hintObserver(),
    });
    this.#model = new ClusterModel({ queue: this.#queue, isOurs: (pod) => this.#profileOf(pod) !== undefined });
    this.#bindingCycle = new BindingCycle({
      ...tools,
      writes: this.#writes,
      volumeBinder: this.#volumeBinder,
      metrics: this.#cycles,
      cached: {
        node: (name) => this.#model.snapshot.get(name)?.node,
        pod: (namespace, name) => this.#informers.core.v1.pods.lister.namespace(namespace).get(name),
        listers: () => this.#cached,
      },
      volumesFailed: () => this.#observer.volumesFailed(),
    });
    const { hostName } = options;
    this.#events = new PodEvents(client, this.#profiles.keys(), {
      ...tools,
      ...(hostName === undefined ? {} : { hostName }),
    });
    this.#eviction = new VictimEviction({
      ...tools,
      writes: this.#writes,
      events: this.#events,
      nominator: this.#model.nominator,
      queue: this.#queue,
      observer: this.#observer,
      look: () => this.#look(),
    });
  }

  /** The numbers of pods that wait. */
  get pendingPods(): SchedulingQueue["sizes"] {
    return this.#queue.sizes;
  }

  /** The pods that are cached. */
  get pods(): readonly Pod[] {
    return this.#informers.core.v1.pods.lister.list();
  }

  /** Whether all that was there at the start is known: then pods are placed. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#cached = informerListers(this.#informers);
    const listers = this.#assumedVolumes.over(this.#cached);
    const registrations = this.#follow();
    using _sizes = measureSizes(this.#metrics, () => ({
      pendingPods: this.#queue.sizes,
      waiting: this.#queue.waiting,
      keptEvents: this.#queue.keptEvents,
      inFlight: this.#queue.inFlight,
      cache: this.#model.sizes,
      bindings: this.#bindings,
    }));
    const scope = new TaskScope(signal);
    try {
      void scope.spawn((each) => this.#events.run(each));
      if (this.#runsInformers) void scope.spawn((each) => this.#informers.run(each));
      void scope.spawn((each) => this.#flushUnschedulable(each));
      void scope.spawn(async (each) => {
        await this.#whenSynced(registrations, each);
        this.#isSynced = true;
        await this.#schedule(listers, scope, each);
      });
      await scope.join();
    } finally {
      this.#backoffTimer?.[Symbol.dispose]();
      for (const each of registrations) each[Symbol.dispose]();
    }
  }

  /** What was there at the start counts before the first decision. */
  async #whenSynced(registrations: readonly ResourceEventHandlerRegistration[], signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([
        this.#informers.waitForCacheSync(signal),
        ...registrations.map((registration) => registration.whenSynced(signal)),
      ]);
    } catch (error) {
      // Told to stop before: caches that had not filled then are no failure.
      signal.throwIfAborted();
      throw error;
    }
  }

  #follow(): readonly ResourceEventHandlerRegistration[] {
    const model = this.#model;
    const then = (change: () => Handled) => {
      const startedMs = this.#clock.monotonic();
      const events = change();
      this.#observer.handled(events, this.#clock.monotonic() - startedMs);
      this.#look();
    };
    const { nodes, pods } = this.#informers.core.v1;
    const ofNodes = nodes.informer.addEventHandler({
      onAdd: (node) => then(() => model.nodeAdded(node)),
      onUpdate: (before, after) => then(() => model.nodeUpdated(before, after)),
      onDelete: (gone) => {
        const node = lastStateOf(gone);
        if (node !== undefined) then(() => model.nodeDeleted(node));
      },
    });
    const ofPods = pods.informer.addEventHandler({
      onAdd: (pod) => then(() => model.podAdded(pod)),
      onUpdate: (before, after) => then(() => model.podUpdated(before, after)),
      onDelete: (gone) => {
        const pod = lastStateOf(gone);
        if (pod === undefined) return;
        then(() => model.podDeleted(pod));
        this.#volumeBinder.look();
      },
    });
    const ofStorage = followStorage(this.#informers, (event) => {
      then(() => {
        this.#queue.wake(event);
        return [eventLabel(event)];
      });
      if (event.on === "persistentVolume" || event.on === "persistentVolumeClaim") this.#volumeBinder.look();
    });
    return [ofNodes, ofPods, ...ofStorage];
  }

  /** The queue may have something now. */
  #look(): void {
    this.#somethingQueued?.resolve();
    if (!this.#queue.hasBackoff || this.#backoffTimer !== undefined) return;
    const untilNextSecondMs = secondMs - (this.#clock.now() % secondMs);
    this.#backoffTimer = this.#clock.after(untilNextSecondMs, () => {
      this.#backoffTimer = undefined;
      this.#queue.flushBackoff();
      this.#look();
    });
  }

  async #flushUnschedulable(signal: AbortSignal): Promise<void> {
    const clock = this.#clock.labelled({ kind: "background", name: "unschedulable pods" });
    for (;;) {
      await clock.sleep(unschedulableFlushMs, signal);
      this.#queue.flushUnschedulable();
      this.#look();
    }
  }

  async #schedule(listers: Listers, scope: TaskScope, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const queued = this.#queue.pop();
      if (queued !== undefined) {
        this.#cycle(queued, listers, scope);
        this.#look();
        await this.#clock.yield();
        continue;
      }
      const waiting = deferred();
      this.#somethingQueued = waiting;
      await untilAborted(waiting.promise, signal);
      this.#somethingQueued = undefined;
    }
  }

  /** Decides on one pod and starts what follows. Synchronous up to there, so that it sees one state of the cluster. */
  #cycle(queued: QueuedPod, listers: Listers, scope: TaskScope): void {
    const { pod, uid } = queued.podInfo;
    const profile = this.#profileOf(pod);
    if (profile === undefined || isPodTerminating(pod) || this.#model.isAssumed(uid)) {
      if (isPodTerminating(pod)) this.#events.skipped(pod);
      this.#queue.done(uid);
      return;
    }
    const startedMs = this.#clock.monotonic();
    const observer = this.#cycles.cycle(profile.schedulerName);
    const verdict = this.#decide(pod, profile, { listers, observer });
    this.#observer.decided(this.#clock.monotonic() - startedMs);
    if (verdict.at !== "scheduled") {
      const durationMs = this.#clock.monotonic() - startedMs;
      const result = verdict.at === "error" ? "error" : "unschedulable";
      this.#observer.attempted(result, profile.schedulerName, durationMs);
    }
    switch (verdict.at) {
      case "scheduled":
        this.#place(queued, verdict, { startedMs, profile, isSampled: observer.isSampled }, scope);
        return;
      case "no nodes":
      case "error": {
        const reason = verdict.at === "error" ? "SchedulerError" : "Unschedulable";
        const { message } = verdict;
        this.#refuse(queued, { reason, message, nominatedNodeName: "", rejectingPlugins: new Set() }, scope);
        return;
      }
      case "unschedulable": {
        const { nomination, message, rejectingPlugins } = verdict;
        const nominatedNodeName =
          typeof nomination !== "string" ? nomination.nodeName : nomination === "clear" ? "" : undefined;
        this.#observer.preempted(typeof nomination === "string" ? 0 : nomination.victims.length);
        if (typeof nomination !== "string") {
          this.#eviction.start(pod, nomination, scope);
          this.#model.nominator.nominate(incomingPodInfo(pod), nomination.nodeName);
        }
        this.#refuse(queued, { reason: "Unschedulable", message, nominatedNodeName, rejectingPlugins }, scope);
        return;
      }
      default:
        assertNever(verdict);
    }
  }

  /** From now on the pod and its volumes count as being on the node. */
  #place(
    queued: QueuedPod,
    { nodeName, volumes }: Extract<Verdict, { readonly at: "scheduled" }>,
    attempt: Attempt,
    scope: TaskScope,
  ): void {
    const { pod, uid } = queued.podInfo;
    this.#model.assume(pod, nodeName);
    const assumed = volumes === undefined ? undefined : this.#assumedVolumes.assume(volumes, nodeName);
    this.#queue.done(uid);
    const { startedMs, profile, isSampled } = attempt;
    const { schedulerName, volumeBindTimeoutMs } = profile;
    const decided = { nodeName, volumes: assumed, schedulerName, volumeBindTimeoutMs, isSampled };
    void scope.spawn((signal) => this.#bind(queued, decided, startedMs, signal));
  }

  #decide(
    pod: Pod,
    profile: Profile,
    observed: { readonly listers: Listers; readonly observer: CycleObserver },
  ): Verdict {
    const verdict = schedulePod(pod, {
      snapshot: this.#model.snapshot,
      ...observed,
      nominator: this.#model.nominator,
      plugins: profile.plugins,
      startIndex: this.#startIndex,
      percentageOfNodesToScore: profile.percentageOfNodesToScore ?? 0,
      ...(profile.postFilters === undefined ? {} : { postFilters: profile.postFilters }),
      ...(profile.preemption === undefined ? {} : { preemption: profile.preemption }),
      nowMs: this.#clock.now(),
      random: this.#random,
    });
    this.#startIndex = verdict.startIndex;
    return verdict;
  }

  async #bind(queued: QueuedPod, decided: Decided, startedMs: number, signal: AbortSignal): Promise<void> {
    const { nodeName, schedulerName } = decided;
    const { pod, uid } = queued.podInfo;
    const step = { isBinding: false };
    this.#bindings++;
    const ended = (result: AttemptResult) =>
      this.#observer.attempted(result, schedulerName, this.#clock.monotonic() - startedMs);
    try {
      await this.#bindingCycle.run(pod, decided, step, signal);
      ended("scheduled");
      const { initialAttemptMs } = queued;
      this.#observer.bound(queued, initialAttemptMs === undefined ? undefined : this.#clock.now() - initialAttemptMs);
      this.#events.scheduled(pod, nodeName);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      ended("error");
      // A pod that was deleted meanwhile is nobody's fault.
      const hasGone = step.isBinding && isNotFound(error);
      this.#log[hasGone ? "debug" : "warn"]("binding failed", {
        pod: keyOf(pod),
        node: nodeName,
        error: toError(error),
      });
      this.#model.forget(uid);
      const running = step.isBinding ? 'Bind plugin "DefaultBinder"' : 'PreBind plugin "VolumeBinding"';
      const message = `running ${running}: ${toError(error).message}`;
      const refused: Refused = { reason: "SchedulerError", message, nominatedNodeName: "" };
      const current = this.#requeue(queued, new Set());
      this.#look();
      if (current === undefined) return;
      this.#events.failed(current, message);
      await this.#writeRefusal(current, refused, signal);
    } finally {
      this.#bindings--;
    }
  }

  /** Puts the pod back, says why in an event, and writes its condition beside the loop. */
  #refuse(
    queued: QueuedPod,
    { rejectingPlugins, ...refused }: Refused & { readonly rejectingPlugins: ReadonlySet<string> },
    scope: TaskScope,
  ): void {
    const current = this.#requeue(queued, rejectingPlugins);
    if (current === undefined) return;
    if (refused.nominatedNodeName === "") this.#model.nominator.remove(queued.podInfo.uid);
    this.#events.failed(current, refused.message);
    void scope.spawn((signal) => this.#writeRefusal(current, refused, signal));
  }

  /** Returns the pod as it is now. Undefined if it needs no more attempt: it has gone, was replaced or bound. */
  #requeue(queued: QueuedPod, rejectingPlugins: ReadonlySet<string>): Pod | undefined {
    const { pod, uid, namespace } = queued.podInfo;
    const current = this.#informers.core.v1.pods.lister.namespace(namespace).get(pod.metadata.name ?? "");
    if (current === undefined || current.metadata.uid !== uid || (current.spec.nodeName ?? "") !== "") {
      this.#queue.done(uid);
      return undefined;
    }
    this.#queue.failed(queued, current, { rejectingPlugins });
    return current;
  }

  /** A condition that could not be written does no harm: the next attempt writes it. */
  async #writeRefusal(pod: Pod, refused: Refused, signal: AbortSignal): Promise<void> {
    try {
      await this.#writes.refuse(pod, refused, signal);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      this.#log.warn("updating the pod's condition failed", { pod: keyOf(pod), error: toError(error) });
    }
  }

  #hintObserver(): HintObserver {
    let startedMs = 0;
    return {
      begin: () => {
        startedMs = this.#clock.monotonic();
      },
      end: (plugin, event, hint) => {
        this.#observer.hinted(plugin, eventLabel(event), hint, this.#clock.monotonic() - startedMs);
      },
    };
  }

  /** Which plugin keeps the pod out of the queue. */
  #gateOf(pod: Pod): string | undefined {
    const startedMs = this.#clock.monotonic();
    const gate = this.#findGate(pod);
    // As upstream, whose status is always this one.
    this.#cycles.ran("PreEnqueue", "Success", pod.spec.schedulerName ?? "", startedMs);
    return gate;
  }

  #findGate(pod: Pod): string | undefined {
    const preEnqueues = this.#profileOf(pod)?.preEnqueues;
    const isAsked = (plugin: string) => preEnqueues === undefined || preEnqueues.has(plugin);
    if (hasGates(pod) && isAsked("SchedulingGates")) return "SchedulingGates";
    return this.#eviction.isUnderWay(pod.metadata.uid ?? "") && isAsked("DefaultPreemption")
      ? "DefaultPreemption"
      : undefined;
  }

  #profileOf({ spec }: Pod): Profile | undefined {
    return this.#profiles.get(spec.schedulerName ?? "");
  }
}
