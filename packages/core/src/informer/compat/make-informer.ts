// A drop-in for the official JavaScript client's `makeInformer`: the same calls, over a SharedIndexInformer and a Client of ours.
//
//   const informer = makeInformer(client, "/api/v1/namespaces/default/pods", listFn, "app=web");
//   informer.on("add", (pod) => console.log(pod.metadata.name));
//   await informer.start();
//
// What is different, and why one comes here:
//  - It does not die. After an error it goes on by itself, with back-off; `error` callbacks are told, and calling `start`
//    from one, as people had to, does no harm. A version that is too old is not told as an error here either.
//  - Lists and watches go to the path, with the selectors, both; `listFn` is taken for the call's sake and never called, so
//    what it selects must be said by the selectors. Objects are plain JSON, always with kind and apiVersion; times are text.
//  - `start` resolves when the first list has come, however often it had to be tried, and its `add` callbacks have ended; or
//    when `stop` is called. Starting again tells what changed in between.
//  - `stop` resolves when nothing is left but perhaps a callback that is still running: it may be called from one.
//  - One event at a time: a callback that returns a promise is waited for. One that throws or rejects is logged; the others
//    are told all the same.
//  - A delete that was missed while the connection was down is told with the object as it was last known.
//
// What is the same: callbacks that join late are told of nothing that was before; `connect` comes before each list or watch
// that is begun anew; `get` and `list` read the cache, which is kept after `stop`.
//
// New code is better off with SharedInformerFactory: it has old objects, indexes, listers, late handlers, many resources.
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
import { announcing } from "./announcing-source.ts";
import {
  Callbacks,
  type ConnectCallback,
  type ErrorCallback,
  type ObjectCallback,
  type ObjectVerb,
} from "./callbacks.ts";
import { sourceAt } from "./source-at.ts";
import { ToldObjects } from "./told-objects.ts";

export interface CompatInformer<T extends KubernetesObject> {
  on(verb: ObjectVerb, callback: ObjectCallback<T>): void;
  on(verb: "error", callback: ErrorCallback): void;
  on(verb: "connect", callback: ConnectCallback): void;
  /** Takes one registration of the callback back. */
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

/** Throws for a path that is no collection of objects. */
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

/** From a start to a stop. */
interface Run {
  readonly controller: AbortController;
  /** Everything there was has been told. Resolves also when it is stopped before. */
  readonly told: Promise<void>;
  readonly ended: Promise<void>;
}

class RestartableInformer<T extends KubernetesObject> implements CompatInformer<T> {
  readonly #source: ListerWatcher<T>;
  readonly #options: CompatOptions;
  readonly #callbacks: Callbacks;
  readonly #told = new ToldObjects<T>();
  #run: Run | undefined;
  /** What was asked for last. */
  #isWanted = false;
  /** The one whose cache is read: of a new run from the moment it has one. */
  #informer: SharedIndexInformer<T> | undefined;

  constructor(source: ListerWatcher<T>, options: CompatOptions) {
    this.#source = announcing(source, () => void this.#callbacks.tell("connect", undefined));
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
    // Who starts it while it still ends means it to run.
    for (let run = this.#run; run?.controller.signal.aborted; run = this.#run) await this.#end(run).catch(() => {});
    if (!this.#isWanted) return;
    this.#run ??= this.#begin();
    await this.#run.told;
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const run = this.#run;
    if (run === undefined) return;
    run.controller.abort(new KubeloopError("the informer was stopped", { reason: "Stopped", retry: "never" }));
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
        if (!isResourceExpired(error)) void this.#callbacks.tell("error", error);
      },
    });
    const come = (object: T) => {
      this.#informer = informer;
      const news = this.#told.take(object);
      if (news !== "nothing") return this.#tell(news, object, signal);
    };
    const go = (gone: Deleted<T>) => {
      const last = lastStateOf(gone);
      if (last !== undefined && this.#told.drop(keyOf(last))) return this.#tell("delete", last, signal);
    };
    const registration = informer.addEventHandler({
      onAdd: come,
      onUpdate: (_before, after) => come(after),
      onDelete: go,
    });
    const finishList = async () => {
      await registration.whenSynced(signal);
      this.#informer = informer;
      for (const missing of this.#told.missingFrom(informer.getIndexer())) await go(missing);
    };
    const ended = informer.run(signal);
    // Whoever stops it hears of its end.
    ended.catch(() => {});
    return { controller, ended, told: finishList().catch(() => {}) };
  }

  /** Waits for the callbacks, but not beyond a stop, which one of them may be waiting for. */
  #tell(verb: "add" | "update" | "delete", object: T, signal: AbortSignal): void | Promise<void> {
    const telling = this.#callbacks.tell(verb, object);
    if (telling !== undefined) return untilAborted(telling, signal).catch(() => {});
  }
}
