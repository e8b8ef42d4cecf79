// Writes a batch of watch events to a store: each event is checked, written and counted, and a summary for the reflector's table
// is returned. Nothing is allocated per event: this is the hottest loop of the informer.
import type { KubernetesObject, metav1 } from "../../api/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import type { ObjectKind } from "./lister-watcher.ts";
import { DroppedObjectError, findObjectFault, withKind } from "./object-check.ts";

export const initialEventsEnd = "k8s.io/initial-events-end";

export interface EventSink<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  bookmark?(resourceVersion: string): void;
}

export interface WatchEventReceiver<T> {
  readonly sink: EventSink<T>;
  readonly expected: ObjectKind | undefined;
  /** Whether to stop after the bookmark that ends the initial events. */
  readonly stopsAtInitialEnd: boolean;
  readonly onDropped: (error: DroppedObjectError) => void;
  /** Called when the sink threw: the event is skipped, unless this throws too. */
  readonly onRefused: (error: unknown) => void;
}

export interface Taken {
  /** The index after the last event that was handled. */
  readonly upTo: number;
  readonly added: number;
  readonly others: number;
  readonly dropped: number;
  /** Of the last event that was not dropped and has a version; otherwise "". */
  readonly resourceVersion: string;
  readonly isInitialEnd: boolean;
  /** The Status of an ERROR event, which ends the watch. */
  readonly error: metav1.Status | undefined;
}

/** Handles events starting at `from`, up to the end of the batch, the end of the initial events, or an error. */
export function handleWatchEvents<T extends KubernetesObject>(
  batch: readonly WatchEvent<T>[],
  from: number,
  receiver: WatchEventReceiver<T>,
): Taken {
  const { sink, expected } = receiver;
  let added = 0;
  let others = 0;
  let dropped = 0;
  let resourceVersion = "";
  let error: metav1.Status | undefined;
  let isInitialEnd = false;
  let at = from;
  for (; at < batch.length && error === undefined && !isInitialEnd; at++) {
    const event = batch[at] as WatchEvent<T>;
    if (event.type === "ERROR") {
      error = event.object;
      continue;
    }
    let { object } = event;
    const fault = findObjectFault(object, event.type === "BOOKMARK" ? undefined : expected);
    if (fault !== undefined) {
      const completed = withKind(object, event.type === "BOOKMARK" ? undefined : expected);
      if (completed === undefined) {
        dropped++;
        receiver.onDropped(new DroppedObjectError(fault));
        continue;
      }
      object = completed;
    }
    try {
      switch (event.type) {
        case "ADDED":
          added++;
          sink.add(object as T);
          break;
        case "MODIFIED":
          others++;
          sink.update(object as T);
          break;
        case "DELETED":
          others++;
          sink.delete(object as T);
          break;
        case "BOOKMARK":
          others++;
          isInitialEnd = receiver.stopsAtInitialEnd && event.object.metadata.annotations?.[initialEventsEnd] === "true";
          sink.bookmark?.(event.object.metadata.resourceVersion);
          break;
        default:
          dropped++;
          receiver.onDropped(unknownType(event));
          continue;
      }
    } catch (thrown) {
      receiver.onRefused(thrown);
    }
    resourceVersion = event.object.metadata.resourceVersion || resourceVersion;
  }
  return { upTo: at, added, others, dropped, resourceVersion, isInitialEnd, error };
}

// The client throws for an unknown type; a custom source may not.
function unknownType(event: never): DroppedObjectError {
  const { type } = event as { readonly type: unknown };
  return new DroppedObjectError(`unknown event type ${JSON.stringify(type)}`);
}
