// What a reconcile is given: caches to read, a client to write, and who to tell. Good until the reconcile is over.
import type { KubernetesObject, ObjectKey, Resource } from "../../api/index.ts";
import { KubeloopError, type Log } from "../../base/index.ts";
import {
  type Action,
  type Hands,
  liveGet,
  type Outcome,
  recordEvent,
  type Snapshot,
  type Step,
  type Wake,
} from "../../contract/index.ts";
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
  /** Told to whoever looks at the object. Never fails, never waits. */
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
  /** Wall time. */
  now(): number;
  /** Looks at other keys, too. */
  wake(...wakes: readonly Wake[]): void;
  /** Many actions: step by step, those of a step side by side, the first step with a failure being the last. For `slowStart`. */
  carryOut(steps: readonly Step[]): Promise<Outcome>;
}

export function reconcileContext(
  hands: Hands,
  options: { readonly fieldManager: string },
  signal: AbortSignal,
): ReconcileContext {
  const readLive = <T extends KubernetesObject>(resource: Resource<T>, key: string) =>
    hands.answer(liveGet<T>(resource, key));
  return {
    reader: hands.snapshot,
    client: new ReconcileClient(hands, options),
    recorder: {
      event: (object, type, reason, message) => {
        const event = recordEvent(object, { type, reason, message });
        if (event.type === "event") hands.record(event);
      },
    },
    log: hands.log,
    signal,
    now: () => hands.now(),
    wake: (...wakes) => hands.wake(...wakes),
    carryOut: (steps) => hands.carryOut(steps),
    async read<T extends KubernetesObject>(resource: Resource<T>, key: string) {
      try {
        const cached = hands.snapshot.get(resource, key);
        // Of some kinds only metadata is cached.
        return cached === undefined || cached.kind === resource.kind ? cached : await readLive(resource, key);
      } catch (error) {
        if (error instanceof KubeloopError && error.reason === "NotWatched") return await readLive(resource, key);
        throw error;
      }
    },
    readLive,
    perform: <R>(action: Action<R>) => hands.perform(action),
  };
}
