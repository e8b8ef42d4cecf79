// Waits until an object is as somebody wants it: it is read, and then followed by a watch, which starts anew where it breaks off.
import type { Clock } from "@kubeloop/core/base";
import { timeoutSignal } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { KubectlError } from "./kubectl-error.ts";
import type { AnyObject } from "./object-printer.ts";
import { objectsAt } from "./requests.ts";
import type { NamedPlace } from "./targets.ts";

/** What is asked of each state; undefined is the state of an object that is not there. It may throw. */
export type Check = (object: AnyObject | undefined, isFirst: boolean) => boolean;

/** Returns the object for which `check` was true. */
export async function untilObject(
  client: Client,
  place: NamedPlace,
  check: Check,
  signal: AbortSignal,
): Promise<AnyObject | undefined> {
  const objects = objectsAt(client, place);
  const fieldSelector = `metadata.name=${place.name}`;
  for (let isFirst = true; ; isFirst = false) {
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
