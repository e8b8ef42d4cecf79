// What a reconcile is given: caches to read, a client to write, and who to tell. Good until the reconcile is over.
import type { KubernetesObject, ObjectKey, Resource } from "../../api/index.ts";
import { KubeloopError, type Log } from "../../base/index.ts";
import type { ProcedureContext, Step } from "../../contract/for-drivers.ts";
import { liveGet, type Outcome, recordEvent, type Snapshot, type Wake } from "../../contract/index.ts";
import type { Editor } from "./editor.ts";
import { ReconcileClient } from "./reconcile-client.ts";

/** Which key to look at. Nothing is said about why: look at what is there. */
export interface ReconcileRequest {
  readonly key: ObjectKey;
  /** "" for what lives in none. */
  readonly namespace: string;
  readonly name: string;
  /** How often in a row it has failed before. */
  readonly failures: number;
}

export interface ReconcileRecorder {
  /** Records an Event about the object, which `kubectl describe` shows. Never throws and never waits. */
  event(object: KubernetesObject, type: "Normal" | "Warning", reason: string, message: string): void;
}

export interface ReconcileContext extends Editor {
  /** The caches of what is watched, with this reconcile's own writes in them. Synchronous; by reference: change none of it. */
  readonly reader: Snapshot;
  readonly client: ReconcileClient;
  readonly recorder: ReconcileRecorder;
  readonly log: Log;
  /** Aborts when time is up, or the controller stops. */
  readonly signal: AbortSignal;
  /** Wall time, at each look. */
  readonly nowMs: number;
  /** Looks at other keys, too. */
  wake(...wakes: readonly Wake[]): void;
  /** Many actions: step by step, those of a step side by side, the first step with a failure being the last. For `slowStart`. */
  carryOut(steps: readonly Step[]): Promise<Outcome>;
}

/** Its functions may be taken out of it; each is made when somebody first looks at it. */
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
      // Of some kinds only metadata is cached.
      return cached === undefined || cached.kind === resource.kind ? cached : await this.readLive(resource, key);
    } catch (error) {
      if (error instanceof KubeloopError && error.reason === "NotWatched") return await this.readLive(resource, key);
      throw error;
    }
  }
}
