// A watch that is reopened after silence. Over HTTP/1.1 a dead connection is not noticed, so the transport ends a watch
// on which no byte has arrived for 75 s (bookmarks come about every 60 s). Here such a watch is opened again at its last
// version, without a list and without a delay. All other ends of a watch are passed to the reader.
//
// While a watch still sends its initial events it has no version to continue from: reopened anywhere, it would miss
// the rest. So its silence is passed to the reader too.
import { type KubernetesObject, TransportError } from "../../api/index.ts";
import type { Log } from "../../base/index.ts";
import { type Batched, readOnce } from "../streams/batched.ts";
import type { WatchEvent } from "../streams/watch-event.ts";
import type { WatchOptions } from "./options.ts";

export type WatchBatches<T extends KubernetesObject> = AsyncGenerator<readonly WatchEvent<T>[], void, undefined>;

const silentReason = "Silent";
const initialEventsEnd = "k8s.io/initial-events-end";

export function resumedWatch<T extends KubernetesObject>(
  open: (options: Partial<WatchOptions>) => Promise<WatchBatches<T>>,
  options: Partial<WatchOptions>,
  log: Log,
): Batched<WatchEvent<T>> {
  return readOnce(follow());

  async function* follow(): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
    const position = new Position(options);
    for (;;) {
      try {
        for await (const batch of await open(position.options)) {
          position.advance(batch);
          yield batch;
        }
        return;
      } catch (error) {
        const isSilent = error instanceof TransportError && error.reason === silentReason;
        if (!isSilent || !position.canResume) throw error;
        log.info("watch was silent, reopening it", { resourceVersion: position.options.resourceVersion });
      }
    }
  }
}

/** The version that a watch has reached. Updated with each batch, so it only stores values. */
class Position {
  readonly #asked: Partial<WatchOptions>;
  /** The version to continue from; "" while a reopened watch would miss or repeat events. */
  #version: string;

  constructor(asked: Partial<WatchOptions>) {
    const { resourceVersion = "", sendInitialEvents } = asked;
    this.#asked = asked;
    this.#version = resourceVersion === "0" || sendInitialEvents === true ? "" : resourceVersion;
  }

  /** Whether the watch can be continued: not while its initial events are still arriving. */
  get canResume(): boolean {
    return this.#version !== "";
  }

  /** Returns the options to reopen the watch so that no event is missed or repeated. */
  get options(): Partial<WatchOptions> {
    if (!this.canResume || this.#version === this.#asked.resourceVersion) return this.#asked;
    const { sendInitialEvents: _, resourceVersionMatch: __, ...rest } = this.#asked;
    return { ...rest, resourceVersion: this.#version };
  }

  advance(batch: readonly WatchEvent[]): void {
    for (let last = batch.length - 1; last >= 0; last--) {
      const event = batch[last] as WatchEvent;
      if (event.type === "ERROR") continue;
      const { resourceVersion = "" } = event.object.metadata;
      if (resourceVersion === "") continue;
      // The newest version counts, unless all events up to it may still be initial events.
      if (this.canResume || batch.some((one) => !isInitial(one, this.#asked))) this.#version = resourceVersion;
      return;
    }
  }
}

/** Whether the event may be an initial event; those are not in the order of versions. */
function isInitial(event: WatchEvent, options: Partial<WatchOptions>): boolean {
  if (event.type === "ERROR") return true;
  if (options.sendInitialEvents !== true) return event.type === "ADDED";
  return event.type !== "BOOKMARK" || event.object.metadata.annotations?.[initialEventsEnd] !== "true";
}
