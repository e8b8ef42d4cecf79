// What is remembered of a server: the resources for which it was asked for protobuf in vain. It sent JSON, refused the request, or sent bytes that
// are no such objects. For an hour such a resource is requested in JSON only; then protobuf is tried once more, because servers are updated.
//
// By resource, because one address may stand for many servers: those of aggregated APIs speak what they like.
import type { Resource } from "../../api/index.ts";
import type { Clock } from "../../base/index.ts";

const retryMs = 60 * 60 * 1000;

export class EncodingMemory {
  readonly #clock: Clock;
  /** Monotonic times, by resource. */
  readonly #refusedMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it is worth asking for protobuf. */
  mayAsk(resource: Resource): boolean {
    const atMs = this.#refusedMs.get(idOf(resource));
    return atMs === undefined || this.#clock.monotonic() - atMs >= retryMs;
  }

  /** The server was asked for protobuf in vain. */
  refuse(resource: Resource): void {
    this.#refusedMs.set(idOf(resource), this.#clock.monotonic());
  }
}

function idOf({ apiVersion, plural }: Resource): string {
  return `${apiVersion}/${plural}`;
}

const memories = new WeakMap<object, EncodingMemory>();

/** Returns the memory of what sends to one server, which clients share that were made from one another. Created on first use. */
export function encodingMemoryOf(sender: object, clock: Clock): EncodingMemory {
  const known = memories.get(sender);
  if (known !== undefined) return known;
  const memory = new EncodingMemory(clock);
  memories.set(sender, memory);
  return memory;
}
