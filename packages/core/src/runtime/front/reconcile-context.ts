// The context of a reconcile: caches to read, a client to write, a recorder for events and a log. Valid until the reconcile is over.
import type { KubernetesObject, ObjectKey, Resource } from "../../api/index.ts";
import { KubeloopError, type Log } from "../../base/index.ts";
import type { ProcedureContext, Step } from "../../contract/for-drivers.ts";
import { liveGet, type Outcome, recordEvent, type Snapshot, type Wake } from "../../contract/index.ts";
import type { Editor } from "./editor.ts";
import { ReconcileClient } from "./reconcile-client.ts";

/** The key to reconcile. The request does not contain the change that caused it: reconcile the current state. */
export interface ReconcileRequest {
  readonly key: ObjectKey;
  /** "" for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  /** How many times in a row the key has failed before. */
  readonly failures: number;
}

export interface ReconcileRecorder {
  /** Records an Event about the object, which `kubectl describe` shows. Never throws and never blocks. */
  event(object: KubernetesObject, type: "Normal" | "Warning", reason: string, message: string): void;
}

export interface ReconcileContext extends Editor {
  /** The caches of the watched resources, including this reconcile's own writes. Reads are synchronous. Do not modify the returned objects. */
  readonly reader: Snapshot;
  readonly client: ReconcileClient;
  readonly recorder: ReconcileRecorder;
  readonly log: Log;
  /** Aborts when the deadline has passed, or the controller stops. */
  readonly signal: AbortSignal;
  /** The current wall time, read at each access. */
  readonly nowMs: number;
  /** Adds other keys to the queue. */
  wake(...wakes: readonly Wake[]): void;
  /** Executes many actions: steps in order, the actions of a step in parallel; after a step with a failure, no further step. For `slowStart`. */
  carryOut(steps: readonly Step[]): Promise<Outcome>;
}

/** Its functions may be destructured, because they do not use `this`. Each is created when it is accessed. */
export class RunningReconcile implements ReconcileContext {
  readonly #context: ProcedureContext;
  readonly #options: { readonly fieldManager: string };
  #client: ReconcileClient | undefined;

  constructor(context: ProcedureContext, options: { readonly fieldManager: string }) {
    this.#context = context;
    this.#options = options;
  }

  get reader(): Snapshot {
    return this.#context.snapshot;
  }

  get client(): ReconcileClient {
    this.#client ??= new ReconcileClient(this.#context, this.#options);
    return this.#client;
  }

  get recorder(): ReconcileRecorder {
    const context = this.#context;
    return {
      event(object, type, reason, message) {
        const event = recordEvent(object, { type, reason, message });
        if (event.type === "event") context.record(event);
      },
    };
  }

  get log(): Log {
    return this.#context.log;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  get nowMs(): number {
    return this.#context.nowMs;
  }

  get wake(): ReconcileContext["wake"] {
    return (...wakes) => this.#context.wake(...wakes);
  }

  get carryOut(): ReconcileContext["carryOut"] {
    return (steps) => this.#context.carryOut(steps);
  }

  get read(): ReconcileContext["read"] {
    return (resource, key) => this.#read(resource, key);
  }

  get readLive(): ReconcileContext["readLive"] {
    return (resource, key) => this.#context.answer(liveGet(resource, key));
  }

  get perform(): ReconcileContext["perform"] {
    return (action) => this.#context.perform(action);
  }

  async #read<T extends KubernetesObject>(resource: Resource<T>, key: string): Promise<T | undefined> {
    try {
      const cached = this.#context.snapshot.get(resource, key);
      // If only metadata is cached for the resource, the object is read from the server.
      return cached === undefined || cached.kind === resource.kind ? cached : await this.readLive(resource, key);
    } catch (error) {
      if (error instanceof KubeloopError && error.reason === "NotWatched") return await this.readLive(resource, key);
      throw error;
    }
  }
}
