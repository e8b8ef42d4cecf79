// What one change in storage means to one watcher: entering its selection is ADDED, leaving it DELETED with the object as it was
// at the version of the change. The messages' objects are shared by all watchers, so that each is encoded once.
import type { KubernetesObject } from "@kubeloop/core/api";
import { deepFreeze } from "@kubeloop/core/base";
import type { StorageEvent } from "../../storage/storage.ts";
import type { WatchMessage } from "../../wire/answer.ts";
import type { Selection } from "./selection.ts";

/** Undefined when it is none of this watcher's business. */
export function messageOf(event: StorageEvent, { prefix, isAll, matches }: Selection): WatchMessage | undefined {
  if (prefix !== "" && !event.key.startsWith(prefix)) return undefined;
  const { before, after } = event;
  const isIn = after !== undefined && (isAll || matches(after));
  const wasIn = before !== undefined && (isAll || matches(before));
  if (isIn) return { type: wasIn ? "MODIFIED" : "ADDED", object: after };
  return wasIn ? { type: "DELETED", object: lastState(event, before) } : undefined;
}

const lastStates = new WeakMap<StorageEvent, KubernetesObject>();

/** As it was, at the revision at which it left. */
function lastState(event: StorageEvent, before: KubernetesObject): KubernetesObject {
  let state = lastStates.get(event);
  if (state === undefined) {
    const metadata = { ...before.metadata, resourceVersion: String(event.revision) };
    state = deepFreeze({ ...before, metadata });
    lastStates.set(event, state);
  }
  return state;
}
