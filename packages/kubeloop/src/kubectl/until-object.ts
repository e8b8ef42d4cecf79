// Waits until an object is as somebody wants it: it is read, and then followed by a watch. When the watch ends, the object is read again: soon after a
// watch that lasted, and later and later if watches end at once, so that a server in trouble is not asked in a loop.
import { afterFailure, type BackoffPolicy, type Clock, noFailures, timeoutSignal } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { KubectlError } from "./kubectl-error.ts";
import type { AnyObject } from "./object-printer.ts";
import { objectsAt } from "./requests.ts";
import type { NamedPlace } from "./targets.ts";

/** What is asked of each state; undefined is the state of an object that is not there. It may throw. */
export type Check = (object: AnyObject | undefined, isFirst: boolean) => boolean;

/** Without jitter: one command is no herd. */
const betweenWatches: BackoffPolicy = { initialMs: 100, factor: 2, maxMs: 10_000, jitter: 0, resetAfterMs: 20_000 };
const noRandom = { next: () => 0 };

/** Returns the object for which `check` was true. */
export async function untilObject(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  place: NamedPlace,
  check: Check,
  signal: AbortSignal,
): Promise<AnyObject | undefined> {
  const objects = objectsAt(client, place);
  const fieldSelector = `metadata.name=${place.name}`;
  let backoff = { delayMs: 0, state: noFailures };
  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst) {
      backoff = afterFailure(backoff.state, betweenWatches, { nowMs: clock.monotonic(), random: noRandom });
      await clock.sleep(backoff.delayMs, signal);
    }
    const { items, metadata } = await objects.list({ fieldSelector }, signal).toArray();
    if (check(items[0], isFirst)) return items[0];
    const { resourceVersion = "" } = metadata;
    for await (const event of objects.watch({ fieldSelector, resourceVersion }, signal)) {
      if (event.type === "ERROR") break;
      if (event.type === "BOOKMARK") continue;
      const seen = event.type === "DELETED" ? undefined : event.object;
      if (check(seen, false)) return seen;
    }
  }
}

/** Runs it with a signal that aborts in time; too late is kubectl's complaint. */
export async function withinTime<T>(
  limit: { readonly timeoutMs: number; readonly clock: Clock; readonly what: string | undefined },
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  using patience = timeoutSignal(signal, limit.timeoutMs, { clock: limit.clock, what: limit.what ?? "waiting" });
  try {
    return await work(patience.signal);
  } catch (error) {
    if (!patience.signal.aborted || signal.aborted) throw error;
    const where = limit.what === undefined ? "" : ` on ${limit.what}`;
    throw new KubectlError(`timed out waiting for the condition${where}`);
  }
}
