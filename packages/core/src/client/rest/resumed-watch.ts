// A watch that survives silence. Over HTTP/1.1 nobody notices that the other side has gone; the transport breaks a watch off
// that has not heard a byte for 75 s (bookmarks come about every 60 s), and here it is opened again at the version it had
// come to, without a list and without a pause. Everything else that ends a watch is the reader's to decide about.
//
// A watch that still tells what was there when it began has come to no version yet: opened again anywhere, it would miss
// the rest. Its silence is the reader's too.
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
        log.info("watch was silent and is opened again", { resourceVersion: position.options.resourceVersion });
      }
    }
  }
}

/** How far a watch has come. Asked at each batch, so it does no more than remember. */
class Position {
  readonly #asked: Partial<WatchOptions>;
  /** The version to go on from; "" while a watch from anywhere would miss or repeat something. */
  #version: string;

  constructor(asked: Partial<WatchOptions>) {
    const { resourceVersion = "", sendInitialEvents } = asked;
    this.#asked = asked;
    this.#version = resourceVersion === "0" || sendInitialEvents === true ? "" : resourceVersion;
  }

  /** Whether a watch from there on would be whole: not while its initial events are still coming. */
  get canResume(): boolean {
    return this.#version !== "";
  }

  /** How to open the watch so that nothing is missed and nothing comes twice. */
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
      // The newest version counts, unless all up to it may still be initial.
      if (this.canResume || batch.some((one) => !isInitial(one, this.#asked))) this.#version = resourceVersion;
      return;
    }
  }
}

/** Whether the event may be one of those that tell what was there, which come in no order of versions. */
function isInitial(event: WatchEvent, options: Partial<WatchOptions>): boolean {
  if (event.type === "ERROR") return true;
  if (options.sendInitialEvents !== true) return event.type === "ADDED";
  return event.type !== "BOOKMARK" || event.object.metadata.annotations?.[initialEventsEnd] !== "true";
}
