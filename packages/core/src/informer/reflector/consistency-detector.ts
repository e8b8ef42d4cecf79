// For continuous integration: checks that a streamed list equals a list. Lists at exactly the version at which the stream ended,
// and compares object by object; a difference is an InconsistencyError, which is not retried.
import { type KubernetesObject, keyOf } from "../../api/index.ts";
import { type Clock, deepEqual, isAborted, KubeloopError, type Log } from "../../base/index.ts";
import type { Transform } from "../store/store.ts";
import type { ListerWatcher } from "./lister-watcher.ts";
import { isAnyVersion } from "./reflector-transitions.ts";

const retryMs = 1000;
const mostNamed = 10;

export class InconsistencyError extends KubeloopError {
  /** Keys of objects that are missing on one side, or that differ. */
  readonly keys: readonly string[];

  constructor(description: string, keys: readonly string[]) {
    const named = keys.slice(0, mostNamed).join(", ");
    const more = keys.length > mostNamed ? ` and ${keys.length - mostNamed} more` : "";
    super(`streamed list of ${description} differs from a list: ${named}${more}`, {
      reason: "Inconsistent",
      retry: "never",
    });
    this.keys = keys;
  }
}

export interface Streamed<T> {
  readonly objects: readonly T[];
  readonly resourceVersion: string;
  /** The transform that was applied to the streamed objects; it is applied to the list too. */
  readonly transform: Transform<T> | undefined;
}

/** Lists until it succeeds or the signal aborts. */
export async function detectInconsistency<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  streamed: Streamed<T>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  // A list at exactly "" or "0" does not exist.
  if (isAnyVersion(streamed.resourceVersion)) return;
  log.warn("comparing the streamed list with a list, which is an extra request to the server", {
    source: source.description,
  });
  const listed = await listExactly(source, streamed, { clock, log }, signal);
  const keys = differingKeys(streamed.objects, listed);
  if (keys.length > 0) throw new InconsistencyError(source.description, keys);
}

async function listExactly<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  { resourceVersion, transform }: Streamed<T>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<readonly T[]> {
  for (;;) {
    const objects: T[] = [];
    const onRestart = () => {
      objects.length = 0;
    };
    try {
      const answer = source.list({ resourceVersion, resourceVersionMatch: "Exact", pageSize: 0, onRestart }, signal);
      for await (const batch of answer.batches()) {
        for (const object of batch) objects.push(transform === undefined ? object : transform(object));
      }
      return objects;
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      log.warn("the list for the comparison failed", { source: source.description, error });
      await clock.sleep(retryMs, signal);
    }
  }
}

function differingKeys(streamed: readonly KubernetesObject[], listed: readonly KubernetesObject[]): readonly string[] {
  const missing = new Map(streamed.map((object) => [keyOf(object), object]));
  const differing: string[] = [];
  for (const object of listed) {
    const key = keyOf(object);
    if (!deepEqual(missing.get(key), object)) differing.push(key);
    missing.delete(key);
  }
  return [...differing, ...missing.keys()].sort();
}
