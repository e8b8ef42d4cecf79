// A source that says when it is asked anew: once for a list and the watch that follows it, once for each watch after that.
import type { KubernetesObject } from "../../api/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";

export function announcing<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  announce: () => void,
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
      announce();
      return source.list(request, signal);
    },
    watch(request, signal) {
      if (!isListed) announce();
      isListed = false;
      return source.watch(request, signal);
    },
  };
}
