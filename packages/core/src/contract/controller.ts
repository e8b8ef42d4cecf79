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
//
// A queue of either has rules (queue.ts) or a procedure (procedure.ts) for its keys; one driver runs both.
import type { KubernetesObject, Resource } from "../api/index.ts";
import type { Access } from "./access.ts";
import type { Wake } from "./plan.ts";
import type { Port } from "./ports.ts";
import { type ControllerQueue, type QueueParts, queue, type View } from "./queue.ts";
import type { Served } from "./served.ts";
import type { Index } from "./snapshot.ts";
import type { WakeSource } from "./sources.ts";
import { type Change, inNamespaces, itself, type Watch, withOwner } from "./watches.ts";

export interface ControllerParts {
  /** Kubernetes' own name: "replicaset-controller". */
  readonly name: string;
  /** What its keys stand for, if one resource. */
  readonly primary?: Resource;
  /** Beside the primary. A function where kinds come and go: asked again whenever discovery changes. */
  readonly watches?: readonly Watch[] | ((served: Served) => readonly Watch[]);
  /** Wakes that come from elsewhere. */
  readonly sources?: readonly WakeSource[];
  /** Where it watches what lives in namespaces, unless a watch says otherwise; all unless given. */
  readonly namespaces?: readonly string[] | undefined;
  readonly indexes?: readonly Index[];
  /** What it reads live, beside its watches. */
  readonly reads?: readonly Access[];
  readonly writes?: readonly Access[];
  readonly ports?: readonly Port[];
  /** What to do when caches have not filled in time: fail, and say which; or start with those that have. "fail" unless given. */
  readonly onSyncTimeout?: "fail" | "start";
}

export interface Controller<M = undefined>
  extends Required<Omit<ControllerParts, "primary" | "watches" | "namespaces">> {
  readonly shape: "keyed" | "sweep" | "model";
  readonly primary: Resource | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly followsDiscovery: boolean;
  /** What to watch; `served` is asked for only where it follows discovery. */
  watchesFor(served: Served | undefined): readonly Watch[];
  /** By name; the first is the one meant where none is said. */
  readonly queues: Readonly<Record<string, ControllerQueue<M>>>;
  newModel(): M;
  /** Tells the memory of a change, after the cache has it; returns whom that wakes. */
  absorb(model: M, change: Change, view: Omit<View, "model">): readonly Wake[];
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
  const { name, primary, watches = [], sources = [], namespaces } = parts;
  const { indexes = [], reads = [], writes = [], ports = [] } = parts;
  const followsDiscovery = typeof watches === "function";
  return {
    name,
    shape,
    primary,
    namespaces,
    sources,
    indexes,
    reads,
    writes,
    ports,
    onSyncTimeout: parts.onSyncTimeout ?? "fail",
    followsDiscovery,
    watchesFor(served) {
      const own = typeof watches === "function" ? (served === undefined ? [] : watches(served)) : watches;
      const all = own.map((watch) => withOwner(watch, primary));
      const hasOwn = primary === undefined || all.some((watch) => isPrimary(watch, primary));
      return (hasOwn ? all : [itself(primary), ...all]).flatMap((watch) => inNamespaces(watch, namespaces));
    },
  };
}

const isPrimary = (watch: Watch, primary: Resource<KubernetesObject>) =>
  watch.wakes !== "cache" && watch.resource.group === primary.group && watch.resource.plural === primary.plural;
