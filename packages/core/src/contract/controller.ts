// What a controller is: data and pure functions. observe (synchronous, caches only) → decide (pure; may ask) → the runtime applies →
// report (pure) → the runtime applies. Informers, indexes, queues, metrics, RBAC rules and a row of documentation are made from this one
// value.
//
//   export const replicaSetController = keyed({
//     name: "replicaset-controller", primary: replicaSets, watches: [owned(pods)], indexes: [podsByController],
//     writes: [verbs(pods, "create", "delete"), statusVerbs(replicaSets, "update")], workers: 5, observe, decide, report,
//   });
//
// `newController` takes any number of queues, and a model where rules need a memory between calls; `keyed` is its short form for one
// queue of the primary's keys. A descriptor that cannot work is refused here, when it is made (check-controller.ts).
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

/** What every controller says about itself. */
export interface ControllerParts {
  /** Kubernetes' own name: "replicaset-controller". */
  readonly name: string;
  /** The resource whose keys the first queue holds, if there is one. It is watched without being named in `watches`. */
  readonly primary?: Resource;
  /** Beside the primary's. A function, to watch what discovery finds: it is called after every discovery, every 30 s by default. */
  readonly watches?: readonly Watch[] | ((served: Served) => readonly Watch[]);
  /** What adds keys beside watches. */
  readonly sources?: readonly WakeSource[];
  /** The namespaces it watches, where a watch does not say otherwise; all unless given. */
  readonly namespaces?: readonly string[] | undefined;
  readonly indexes?: readonly Index[];
  /** What it measures beside what the driver does. */
  readonly metrics?: readonly ControllerMetric[];
  /** Counts how often watches that follow discovery could not follow it: it failed, or what it had added has not synced by the next time. */
  readonly discoveryErrors?: CounterMetric<never> | undefined;
  /** Counts how often a key was put off because a cache did not show its writes yet; by the resource of that cache. */
  readonly staleSyncSkips?: CounterMetric<"group" | "resource"> | undefined;
  /** The live reads (`liveGet`, `liveGetSubresource`, `liveList`) that it makes with its own identity. Others are refused. */
  readonly reads?: readonly Access[];
  /** What it writes with its own identity. Other writes are refused. */
  readonly writes?: readonly Access[];
  readonly ports?: readonly Port[];
  /**
   * What to do when caches have not synced in time: fail and say which, or start without them. A key that reads a cache which has not
   * synced is put off until it has. "fail" unless given.
   */
  readonly onSyncTimeout?: "fail" | "start";
}

/** In-memory state that is kept between reconciles. It must be possible to rebuild it from the caches. */
export interface ModelParts<M> {
  /** An empty model. `absorb` receives every object of the initial lists before workers start, unless `onSyncTimeout` is "start". */
  newModel(): M;
  /** Takes in a change, after the cache has it; returns the keys to look at because of it. */
  absorb?(model: M, change: Change, view: Omit<View, "model">): readonly Wake[];
}

interface QueuesParts<M> {
  /** By name; the first is meant where no queue is named. */
  readonly queues: Readonly<Record<string, ControllerQueue<M>>>;
  /** Called before metrics are read, for gauges that are cheaper to compute than to keep. */
  collect?(view: View<M>): readonly Measurement[];
}

export interface Controller<M = undefined>
  extends Required<Omit<ControllerParts, "primary" | "watches" | "namespaces" | "discoveryErrors" | "staleSyncSkips">>,
    QueuesParts<M> {
  /** For documents. */
  readonly shape: "keyed" | "sweep" | "model";
  readonly primary: Resource | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly followsDiscovery: boolean;
  readonly discoveryErrors: CounterMetric<never> | undefined;
  readonly staleSyncSkips: CounterMetric<"group" | "resource"> | undefined;
  /** What to watch; `served` counts only where the controller follows discovery. Throws for watches that cannot work. */
  watchesFor(served: Served | undefined): readonly Watch[];
  newModel(): M;
  readonly absorb: ModelParts<M>["absorb"] | undefined;
}

type ModelOf<M> = [M] extends [undefined] ? Partial<ModelParts<M>> : ModelParts<M>;

/** A controller with one or more queues, and a model if its rules need one. */
export function newController<M = undefined>(parts: ControllerParts & QueuesParts<M> & ModelOf<M>): Controller<M> {
  const { name, primary, watches = [], namespaces, queues, newModel, absorb, collect } = parts;
  const { discoveryErrors, staleSyncSkips } = parts;
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
    watchesFor,
    queues,
    newModel: newModel ?? (() => undefined as M),
    absorb,
    ...(collect === undefined ? {} : { collect }),
  };
  checkController(controller);
  return controller;
}

/** A controller with one queue, of the primary's keys, and no model. */
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
