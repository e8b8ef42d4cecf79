// A drop-in for the official JavaScript client's `makeInformer`: the same calls, over a SharedIndexInformer and a Client of ours.
//
//   const informer = makeInformer(client, "/api/v1/namespaces/default/pods", listFn, "app=web");
//   informer.on("add", (pod) => console.log(pod.metadata.name));
//   await informer.start();
//
// Differences, which are the reasons to use it:
//  - It does not stop after an error. It retries by itself, with backoff; `error` callbacks are called, and calling `start`
//    from one, as the official client requires, does no harm. As there, an expired resourceVersion is not reported as an error.
//  - Lists and watches both go to the path, with the selectors. `listFn` is accepted for compatibility and never called, so
//    anything that it selects must be in the selectors. Objects are plain JSON, always with kind and apiVersion; times are text.
//  - `start` resolves when the first list has succeeded, after however many tries, and its `add` callbacks have ended; or
//    when `stop` is called. A start after a stop reports the changes in between.
//  - `stop` resolves when everything has ended except a callback that is still running, because a callback may call `stop`.
//  - One event at a time: a callback's promise is awaited. A callback that throws or rejects is logged; the others
//    are still called.
//  - A delete that was missed while the connection was down is reported with the last known state of the object.
//
// What is the same: callbacks added later get no events from before; `connect` is called before each list or watch
// that starts anew; `get` and `list` read the cache, which is kept after `stop`.
//
// New code should use SharedInformerFactory: it has old objects, indexes, listers, late handlers, many resources.
import { isResourceExpired, type KubernetesObject, keyOf, objectKeyOf, type Selector } from "../../api/index.ts";
import {
  type Clock,
  defaultLog,
  KubeloopError,
  type Log,
  type Metrics,
  type Random,
  untilAborted,
} from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import { namespaceIndex, namespaceIndexers } from "../store/key-functions.ts";
import { type Deleted, lastStateOf } from "../tombstone.ts";
import {
  Callbacks,
  type ConnectCallback,
  type ErrorCallback,
  type ObjectCallback,
  type ObjectVerb,
} from "./callbacks.ts";
import { onRequest } from "./on-request.ts";
import { ReportedObjects } from "./reported-objects.ts";
import { sourceAt } from "./source-at.ts";

export interface CompatInformer<T extends KubernetesObject> {
  on(verb: ObjectVerb, callback: ObjectCallback<T>): void;
  on(verb: "error", callback: ErrorCallback): void;
  on(verb: "connect", callback: ConnectCallback): void;
  /** Removes one registration of the callback. */
  off(verb: ObjectVerb, callback: ObjectCallback<T>): void;
  off(verb: "error", callback: ErrorCallback): void;
  off(verb: "connect", callback: ConnectCallback): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  get(name: string, namespace?: string): T | undefined;
  list(namespace?: string): readonly T[];
  latestResourceVersion(): string;
}

export interface CompatOptions {
  readonly log?: Log;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Throws if the path is not a collection. */
export function makeInformer<T extends KubernetesObject>(
  client: Client,
  path: string,
  _listFn?: () => Promise<unknown>,
  labelSelector?: string | Selector,
  fieldSelector?: string,
  options: CompatOptions = {},
): CompatInformer<T> {
  const source = sourceAt<T>(client, path, {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  return new RestartableInformer<T>(source, options);
}

/** The time between a `start` and a `stop`. */
interface Run {
  readonly controller: AbortController;
  /** Resolves when all objects of the first list were reported, or when the informer is stopped before. */
  readonly initialReported: Promise<void>;
  readonly ended: Promise<void>;
}

class RestartableInformer<T extends KubernetesObject> implements CompatInformer<T> {
  readonly #source: ListerWatcher<T>;
  readonly #options: CompatOptions;
  readonly #callbacks: Callbacks;
  readonly #reported = new ReportedObjects<T>();
  #run: Run | undefined;
  /** Whether the last call was `start`, not `stop`. */
  #isWanted = false;
  /** The informer whose cache is read. After a restart: the new one as soon as it has an object or has synced. */
  #informer: SharedIndexInformer<T> | undefined;

  constructor(source: ListerWatcher<T>, options: CompatOptions) {
    this.#source = onRequest(source, () => void this.#callbacks.call("connect", undefined));
    this.#options = options;
    this.#callbacks = new Callbacks(options.log ?? defaultLog);
  }

  on(verb: string, callback: (value: never) => unknown): void {
    this.#callbacks.add(verb, callback);
  }

  off(verb: string, callback: (value: never) => unknown): void {
    this.#callbacks.remove(verb, callback);
  }

  async start(): Promise<void> {
    this.#isWanted = true;
    // A `start` while the previous run is still ending starts a new run after it.
    for (let run = this.#run; run?.controller.signal.aborted; run = this.#run) await this.#end(run).catch(() => {});
    if (!this.#isWanted) return;
    this.#run ??= this.#begin();
    await this.#run.initialReported;
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const run = this.#run;
    if (run === undefined) return;
    run.controller.abort(new KubeloopError("informer was stopped", { reason: "Stopped", retry: "never" }));
    await this.#end(run);
  }

  async #end(run: Run): Promise<void> {
    try {
      await run.ended;
    } finally {
      if (this.#run === run) this.#run = undefined;
    }
  }

  get(name: string, namespace = ""): T | undefined {
    return this.#informer?.getIndexer().getByKey(objectKeyOf(namespace, name));
  }

  list(namespace = ""): readonly T[] {
    const indexer = this.#informer?.getIndexer();
    if (indexer === undefined) return [];
    return namespace === "" ? indexer.list() : indexer.byIndex(namespaceIndex, namespace);
  }

  latestResourceVersion(): string {
    return this.#informer?.lastSyncResourceVersion() ?? "";
  }

  #begin(): Run {
    const controller = new AbortController();
    const { signal } = controller;
    const informer = new SharedIndexInformer<T>(this.#source, {
      ...this.#options,
      indexers: namespaceIndexers,
      onWatchError: (error) => {
        if (!isResourceExpired(error)) void this.#callbacks.call("error", error);
      },
    });
    const come = (object: T) => {
      this.#informer = informer;
      const news = this.#reported.take(object);
      if (news !== "nothing") return this.#notify(news, object, signal);
    };
    const go = (gone: Deleted<T>) => {
      const last = lastStateOf(gone);
      if (last !== undefined && this.#reported.drop(keyOf(last))) return this.#notify("delete", last, signal);
    };
    const registration = informer.addEventHandler({
      onAdd: come,
      onUpdate: (_before, after) => come(after),
      onDelete: go,
    });
    const finishList = async () => {
      await registration.whenSynced(signal);
      this.#informer = informer;
      for (const missing of this.#reported.missingFrom(informer.getIndexer())) await go(missing);
    };
    const ended = informer.run(signal);
    // The caller of `stop` sees the failure.
    ended.catch(() => {});
    return { controller, ended, initialReported: finishList().catch(() => {}) };
  }

  /** Waits for the callbacks, but no longer than until `stop`, because a callback may wait for `stop`. */
  #notify(verb: "add" | "update" | "delete", object: T, signal: AbortSignal): void | Promise<void> {
    const calls = this.#callbacks.call(verb, object);
    if (calls !== undefined) return untilAborted(calls, signal).catch(() => {});
  }
}
