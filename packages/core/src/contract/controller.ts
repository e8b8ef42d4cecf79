// The descriptor of a controller: data and pure functions. observe (synchronous, reads caches only) → decide (pure; may ask questions) → the
// runtime applies the plan → report (pure) → the runtime applies that plan. Informers, indexes, queues, metrics, RBAC rules and a row of
// documentation are generated from this one value.
//
//   export const replicaSetController = keyed({
//     name: "replicaset-controller", primary: replicaSets, watches: [owned(pods)], indexes: [podsByController],
//     writes: [verbs(pods, "create", "delete"), statusVerbs(replicaSets, "update")], workers: 5, observe, decide, report,
//   });
//
// `newController` takes any number of queues, and a model if the rules need state between reconciles. `keyed` is its short form for one
// queue with the primary's keys. Both throw for a descriptor that cannot work (check-controller.ts).
import type { Resource } from "../api/index.ts";
import type { Access } from "./access.ts";
import { checkController, checkWatches } from "./check-controller.ts";
import type { ControllerMetric, CounterMetric, Measurement } from "./metrics.ts";
import type { Wake } from "./plan.ts";
import type { Port } from "./ports.ts";
import { type ControllerQueue, type QueueParts, queue, type View } from "./queue.ts";
import type { Served } from "./served.ts";
import type { Index } from "./snapshot.ts";
import type { WakeSource } from "./sources.ts";
import { type Change, inNamespaces, itself, type Watch, withOwner } from "./watches.ts";

/** The fields of a descriptor that all controllers have in common. */
export interface ControllerParts {
  /** The name of the controller; for a controller of Kubernetes, the upstream name: "replicaset-controller". */
  readonly name: string;
  /** The resource whose keys are in the first queue, if there is such a resource. It is watched even if `watches` does not contain it. */
  readonly primary?: Resource;
  /**
   * Watches in addition to the watch of the primary. A function watches the resources that discovery finds: the driver calls it after
   * every discovery, which runs every 30 s by default.
   */
  readonly watches?: readonly Watch[] | ((served: Served) => readonly Watch[]);
  /** Sources of keys other than watches. */
  readonly sources?: readonly WakeSource[];
  /** The namespaces of all watches that name no namespace themselves; all namespaces unless given. */
  readonly namespaces?: readonly string[] | undefined;
  readonly indexes?: readonly Index[];
  /** Metrics of the controller, in addition to those that the driver records for every controller. */
  readonly metrics?: readonly ControllerMetric[];
  /**
   * Only for watches that follow discovery. Counts the discoveries that failed, and the discoveries after which the new watches had not
   * synced by the next discovery.
   */
  readonly discoveryErrors?: CounterMetric<never> | undefined;
  /** Counts how often a key was delayed because a cache did not have its writes yet. The labels name the resource of that cache. */
  readonly staleSyncSkips?: CounterMetric<"group" | "resource"> | undefined;
  /** Recorded each time a key was delayed for that reason, for a metric of `metrics` that counts it beside other results. */
  readonly staleSync?: Measurement | undefined;
  /**
   * The live reads (`liveGet`, `liveGetSubresource`, `liveList`) that the controller makes with
   * its own identity. The driver refuses other live reads.
   */
  readonly reads?: readonly Access[];
  /** What the controller writes with its own identity. The driver refuses other writes. */
  readonly writes?: readonly Access[];
  readonly ports?: readonly Port[];
  /**
   * What the driver does when caches have not synced in time: "fail" throws an error that names them, "start" starts the workers all the
   * same. A key that reads a cache which has not synced is requeued when that cache has synced. "fail" unless given.
   */
  readonly onSyncTimeout?: "fail" | "start";
}

/** In-memory state that is kept between reconciles. After a restart it must be possible to rebuild that state from the caches. */
export interface ModelParts<M> {
  /** Returns an empty model. `absorb` receives every object of the initial lists before the workers start, unless `onSyncTimeout` is "start". */
  newModel(): M;
  /** Updates the model with a change that the cache already has. Returns the keys to enqueue because of the change. */
  absorb?(model: M, change: Change, view: Omit<View, "model">): readonly Wake[];
}

interface QueuesParts<M> {
  /** The queues by name. Keys that name no queue are added to the first. */
  readonly queues: Readonly<Record<string, ControllerQueue<M>>>;
  /** Called before each scrape of the metrics, for gauges that are cheaper to compute then than to update with every change. */
  collect?(view: View<M>): readonly Measurement[];
}

export interface Controller<M = undefined>
  extends Required<
      Omit<ControllerParts, "primary" | "watches" | "namespaces" | "discoveryErrors" | "staleSyncSkips" | "staleSync">
    >,
    QueuesParts<M> {
  /** For documentation. */
  readonly shape: "keyed" | "sweep" | "model";
  readonly primary: Resource | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly followsDiscovery: boolean;
  readonly discoveryErrors: CounterMetric<never> | undefined;
  readonly staleSyncSkips: CounterMetric<"group" | "resource"> | undefined;
  readonly staleSync: Measurement | undefined;
  /** Returns the watches. `served` is used only if the controller follows discovery. Throws for watches that cannot work. */
  watchesFor(served: Served | undefined): readonly Watch[];
  newModel(): M;
  readonly absorb: ModelParts<M>["absorb"] | undefined;
}

type ModelOf<M> = [M] extends [undefined] ? Partial<ModelParts<M>> : ModelParts<M>;

/** A controller with one or more queues, and a model if its rules need one. */
export function newController<M = undefined>(parts: ControllerParts & QueuesParts<M> & ModelOf<M>): Controller<M> {
  const { name, primary, watches = [], namespaces, queues, newModel, absorb, collect } = parts;
  const { discoveryErrors, staleSyncSkips, staleSync } = parts;
  const { sources = [], indexes = [], metrics = [], reads = [], writes = [], ports = [] } = parts;
  const followsDiscovery = typeof watches === "function";
  const watchesFor = (served: Served | undefined) => {
    const own = typeof watches === "function" ? (served === undefined ? [] : watches(served)) : watches;
    const all = own.map((watch) => withOwner(watch, primary));
    const hasOwn = primary === undefined || all.some((watch) => isPrimary(watch, primary));
    const complete = hasOwn ? all : [itself(primary), ...all];
    checkWatches(name, queues, complete);
    return complete.flatMap((watch) => inNamespaces(watch, namespaces));
  };
  const controller: Controller<M> = {
    name,
    shape: newModel !== undefined ? "model" : Object.values(queues).every(isSweep) ? "sweep" : "keyed",
    primary,
    namespaces,
    sources,
    indexes,
    metrics: [...metrics, ...[discoveryErrors, staleSyncSkips].filter((metric) => metric !== undefined)],
    reads,
    writes,
    ports,
    onSyncTimeout: parts.onSyncTimeout ?? "fail",
    followsDiscovery,
    discoveryErrors,
    staleSyncSkips,
    staleSync,
    watchesFor,
    queues,
    newModel: newModel ?? (() => undefined as M),
    absorb,
    ...(collect === undefined ? {} : { collect }),
  };
  checkController(controller);
  return controller;
}

/** A controller with one queue, which has the primary's keys, and no model. */
export function keyed<Seen, Notes = unknown>(
  parts: ControllerParts & { readonly primary: Resource } & Omit<
      QueueParts<Seen, Notes>,
      "everyMs" | "reserve" | "learn"
    >,
): Controller {
  return newController({ ...parts, queues: { [parts.name]: queue<Seen, Notes>(parts) } });
}

const isSweep = ({ everyMs }: ControllerQueue<never>) => everyMs !== undefined;

const isPrimary = (watch: Watch, primary: Resource) =>
  watch.wakes !== "cache" && watch.resource.group === primary.group && watch.resource.plural === primary.plural;
