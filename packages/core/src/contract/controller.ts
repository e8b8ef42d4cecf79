// What a controller is: data and pure functions. observe (synchronous, caches only) → decide (pure; may ask) → the runtime
// applies → report (pure) → the runtime applies. From this one value come informers, indexes, queues, metrics, RBAC and a row of
// documentation.
//
// Three shapes, of the same parts: `keyed` (one object → plan), `sweep` (the time → a plan over a whole set) and `modelled` (keys
// and a memory between calls). `withQueues` is for several queues without a memory.
//
//   export const replicaSetController = keyed<Observed>({
//     name: "replicaset-controller", primary: replicaSets, watches: [owned(pods)], indexes: [podsByOwner],
//     writes: [verbs(pods, "create", "delete"), statusVerbs(replicaSets, "patch")], workers: 5, observe, decide, report,
//   });
import type { KubernetesObject, Resource } from "../api/index.ts";
import type { Access } from "./access.ts";
import type { Outcome } from "./outcome.ts";
import type { Decision, Plan, Wake } from "./plan.ts";
import type { Port } from "./ports.ts";
import type { Answer, Question } from "./questions.ts";
import type { Served } from "./served.ts";
import type { Index, Snapshot } from "./snapshot.ts";
import { type Change, itself, type Watch, withOwner } from "./watches.ts";

/** What `observe` reads. */
export interface View<M = undefined> {
  readonly snapshot: Snapshot;
  readonly model: M;
  /** Wall time. */
  readonly nowMs: number;
}

/** What `decide` and `report` know beside what was observed. */
export interface DecideContext {
  /** Wall time, the same for all rounds of one reconcile. */
  readonly nowMs: number;
  /** Undefined when it was not asked yet. */
  answer<A>(question: Question<A>): Answer<A> | undefined;
}

/** One queue's keys, and what to do about them. */
export interface QueueParts<Seen, M = undefined> {
  /** 1 unless given. */
  readonly workers?: number;
  readonly retry?: RetryPolicy;
  /** All of a set, so often, instead of keys that changes name: the queue has one key, "". */
  readonly everyMs?: number;
  /** Undefined when there is nothing to decide about. No rules here. */
  observe(key: string, view: View<M>): Seen | undefined;
  /** Pure, total, idempotent: what is here is all it knows. Only rules here. */
  decide(seen: Seen, context: DecideContext): Decision;
  /** What to write, given what came of it: status, events, what must be put back. Called also when nothing was to be done. */
  report?(seen: Seen, outcome: Outcome, context: DecideContext): Plan | undefined;
  /** What the memory learns from answers and outcome; and whom that wakes. */
  learn?(model: M, seen: Seen, learned: Learned): readonly Wake[];
}

export interface Learned extends DecideContext {
  readonly outcome: Outcome;
}

/** How a key that failed is tried again. */
export interface RetryPolicy {
  /** The first wait, doubled with each failure; 5 ms unless given. */
  readonly baseMs?: number;
  /** 1000 s unless given. */
  readonly maxMs?: number;
  /** Given up after so many tries, until something wakes it; never unless given. */
  readonly maxTries?: number;
  /** All keys together: 10 a second with a burst of 100 unless given; "none" for no such limit. */
  readonly bucket?: { readonly qps: number; readonly burst: number } | "none";
}

/** A queue whose own type of observation only itself knows. */
export interface ControllerQueue<M = undefined> {
  readonly workers: number;
  readonly retry: RetryPolicy;
  readonly everyMs: number | undefined;
  /** Observes; undefined when there is nothing to decide about. */
  begin(key: string, view: View<M>): Work<M> | undefined;
}

/** One key, observed. */
export interface Work<M = undefined> {
  decide(context: DecideContext): Decision;
  report(outcome: Outcome, context: DecideContext): Plan | undefined;
  learn(model: M, learned: Learned): readonly Wake[];
}

export interface ControllerParts {
  /** Kubernetes' own name: "replicaset-controller". */
  readonly name: string;
  /** What its keys stand for, if one resource. */
  readonly primary?: Resource;
  /** Beside the primary. A function where kinds come and go: asked again whenever discovery changes. */
  readonly watches?: readonly Watch[] | ((served: Served) => readonly Watch[]);
  readonly indexes?: readonly Index[];
  /** What it reads live, beside its watches. */
  readonly reads?: readonly Access[];
  readonly writes?: readonly Access[];
  readonly ports?: readonly Port[];
  /** What to do when caches have not filled in time: fail, and say which; or start with those that have. "fail" unless given. */
  readonly onSyncTimeout?: "fail" | "start";
}

export interface Controller<M = undefined> extends Required<Omit<ControllerParts, "primary" | "watches">> {
  readonly shape: "keyed" | "sweep" | "model";
  readonly primary: Resource | undefined;
  readonly followsDiscovery: boolean;
  /** What to watch; `served` is asked for only where it follows discovery. */
  watchesFor(served: Served | undefined): readonly Watch[];
  /** By name; the first is the one meant where none is said. */
  readonly queues: Readonly<Record<string, ControllerQueue<M>>>;
  newModel(): M;
  /** Tells the memory of a change, after the cache has it; returns whom that wakes. */
  absorb(model: M, change: Change, view: Omit<View, "model">): readonly Wake[];
}

/** A queue of a controller with several. */
export function queue<Seen, M = undefined>(parts: QueueParts<Seen, M>): ControllerQueue<M> {
  return {
    workers: parts.workers ?? 1,
    retry: parts.retry ?? {},
    everyMs: parts.everyMs,
    begin(key, view) {
      const seen = parts.observe(key, view);
      if (seen === undefined) return undefined;
      return {
        decide: (context) => parts.decide(seen, context),
        report: (outcome, context) => parts.report?.(seen, outcome, context),
        learn: (model, learned) => parts.learn?.(model, seen, learned) ?? [],
      };
    },
  };
}

/** One object → plan. Its key is the primary's. */
export function keyed<Seen>(
  parts: ControllerParts & { readonly primary: Resource } & Omit<QueueParts<Seen>, "everyMs" | "learn">,
): Controller {
  return newController("keyed", parts, { [parts.name]: queue<Seen>(parts) });
}

/** The time → a plan over a whole set. */
export function sweep<Seen>(
  parts: ControllerParts & { readonly everyMs: number } & Omit<QueueParts<Seen>, "everyMs" | "workers" | "learn">,
): Controller {
  return newController("sweep", parts, { [parts.name]: queue<Seen>({ ...parts, workers: 1 }) });
}

/** Several queues, no memory. */
export function withQueues(
  parts: ControllerParts & { readonly queues: Readonly<Record<string, ControllerQueue>> },
): Controller {
  return newController("keyed", parts, parts.queues);
}

export interface ModelParts<M> {
  /** A new, empty memory; it is told of everything there is before any worker starts. */
  model(): M;
  absorb(model: M, change: Change, view: Omit<View, "model">): readonly Wake[];
  readonly queues: Readonly<Record<string, ControllerQueue<M>>>;
}

/** Keys and a memory between calls, which can be rebuilt from the caches at any time. */
export function modelled<M>(parts: ControllerParts & ModelParts<M>): Controller<M> {
  const { queues, primary } = parts;
  return {
    ...newParts("model", parts),
    primary,
    queues,
    newModel: () => parts.model(),
    absorb: (model, change, view) => parts.absorb(model, change, view),
  };
}

function newController(
  shape: Controller["shape"],
  parts: ControllerParts,
  queues: Readonly<Record<string, ControllerQueue>>,
): Controller {
  return { ...newParts(shape, parts), queues, newModel: () => undefined, absorb: () => [] };
}

function newParts(
  shape: Controller["shape"],
  parts: ControllerParts,
): Omit<Controller, "queues" | "newModel" | "absorb"> {
  const { name, primary, watches = [], indexes = [], reads = [], writes = [], ports = [] } = parts;
  const followsDiscovery = typeof watches === "function";
  return {
    name,
    shape,
    primary,
    indexes,
    reads,
    writes,
    ports,
    onSyncTimeout: parts.onSyncTimeout ?? "fail",
    followsDiscovery,
    watchesFor(served) {
      const own = typeof watches === "function" ? (served === undefined ? [] : watches(served)) : watches;
      const all = own.map((watch) => withOwner(watch, primary));
      return primary === undefined || all.some((watch) => isPrimary(watch, primary)) ? all : [itself(primary), ...all];
    },
  };
}

const isPrimary = (watch: Watch, primary: Resource<KubernetesObject>) =>
  watch.wakes !== "cache" && watch.resource.group === primary.group && watch.resource.plural === primary.plural;
