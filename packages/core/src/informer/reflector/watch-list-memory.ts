// What all reflectors of one client remember about its server: that it accepted a streamed list (WatchList) and then sent neither
// an event nor a bookmark, as proxies, fakes and servers before Kubernetes 1.27 do. The next reflector then uses a plain list
// immediately, instead of waiting for the same timeout.

export interface WatchListMemory {
  /** Monotonic. Undefined while streamed lists are not known to fail. */
  unansweredSinceMs: number | undefined;
}

const memories = new WeakMap<object, WatchListMemory>();

/** Returns the memory of this client; created on first use. */
export function watchListMemoryOf(client: object): WatchListMemory {
  const known = memories.get(client);
  if (known !== undefined) return known;
  const memory = newWatchListMemory();
  memories.set(client, memory);
  return memory;
}

export function newWatchListMemory(): WatchListMemory {
  return { unansweredSinceMs: undefined };
}
