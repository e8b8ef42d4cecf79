// A watch that survives silence. Over HTTP/1.1 nobody notices that the other side has gone; the transport breaks a watch off
// that has not heard a byte for 75 s (bookmarks come about every 60 s), and here it is opened again at the version it had
// come to, without a list and without a pause. Everything else that ends a watch is the reader's to decide about.
//
// A watch that still tells what was there when it began has come to no version yet: opened again anywhere, it would miss
// the rest. Its silence is the reader's too.
import { type KubernetesObject, TransportError } from "../../api/index.ts";
import type { Log } from "../../base/index.ts";
import { type Batched, readOnce } from "../streams/batched.ts";
import type { ErrorEvent, WatchEvent } from "../streams/watch-event.ts";
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
    let position = startOf(options);
    for (;;) {
      try {
        for await (const batch of await open(position.next)) {
          position = advance(position, batch);
          yield batch;
        }
        return;
      } catch (error) {
        const isSilent = error instanceof TransportError && error.reason === silentReason;
        if (!isSilent || !position.canResume) throw error;
        log.info("watch was silent and is opened again", { resourceVersion: position.next.resourceVersion });
      }
    }
  }
}

interface Position {
  /** How to open the watch so that nothing is missed and nothing comes twice. */
  readonly next: Partial<WatchOptions>;
  /** Whether a watch from there on would be whole: not while its initial events are still coming. */
  readonly canResume: boolean;
}

function startOf(options: Partial<WatchOptions>): Position {
  const { resourceVersion = "", sendInitialEvents } = options;
  const hasVersion = resourceVersion !== "" && resourceVersion !== "0";
  return { next: options, canResume: hasVersion && sendInitialEvents !== true };
}

function advance<T extends KubernetesObject>(position: Position, batch: readonly WatchEvent<T>[]): Position {
  let { next, canResume } = position;
  for (const event of batch) {
    if (event.type === "ERROR" || (!canResume && isInitial(event, next))) continue;
    const { resourceVersion = "" } = event.object.metadata;
    if (resourceVersion === "") continue;
    const { sendInitialEvents: _, resourceVersionMatch: __, ...rest } = next;
    next = { ...rest, resourceVersion };
    canResume = true;
  }
  return { next, canResume };
}

/** Whether the event may be one of those that tell what was there, which come in no order of versions. */
function isInitial(event: Exclude<WatchEvent, ErrorEvent>, options: Partial<WatchOptions>): boolean {
  if (options.sendInitialEvents !== true) return event.type === "ADDED";
  return event.type !== "BOOKMARK" || event.object.metadata.annotations?.[initialEventsEnd] !== "true";
}
