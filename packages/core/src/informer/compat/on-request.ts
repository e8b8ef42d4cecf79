// Wraps a source and calls a function when it starts anew: once for a list and the watch that follows it, once for each later watch.
import type { KubernetesObject } from "../../api/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";

export function onRequest<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  callback: () => void,
): ListerWatcher<T> {
  let isListed = false;
  return {
    description: source.description,
    resource: source.resource,
    objectKind: source.objectKind,
    canWatchList: source.canWatchList ?? true,
    watchListMemory: source.watchListMemory,
    list(request, signal) {
      isListed = true;
      callback();
      return source.list(request, signal);
    },
    watch(request, signal) {
      if (!isListed) callback();
      isListed = false;
      return source.watch(request, signal);
    },
  };
}
