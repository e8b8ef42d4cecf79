// What all reflectors of one client remember of its server: that it accepted a streamed list (WatchList) and then sent neither
// an event nor a bookmark, as proxies, fakes and servers before Kubernetes 1.27 do. Whoever comes next takes a plain list at
// once, instead of waiting as long to find out the same.

export interface WatchListMemory {
  /** Monotonic. Undefined while nothing speaks against streamed lists. */
  unansweredSinceMs: number | undefined;
}

const memories = new WeakMap<object, WatchListMemory>();

/** The one of this client; made when first asked for. */
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
