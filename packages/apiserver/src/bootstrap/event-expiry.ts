// Events are news, not records: one that nobody has written to for an hour is deleted. What was written when is told from the storage's
// log; what was there before is looked at once.
import type { KubernetesObject } from "@kubeloop/core/api";
import { type Clock, RingBuffer } from "@kubeloop/core/base";
import { RequestYieldBudget } from "../storage/request-yield-budget.ts";
import type { Storage } from "../storage/storage.ts";

export const eventLifetimeMs = 60 * 60_000;
const sweepMs = 60_000;
const collection = "events";

interface Written {
  readonly key: string;
  readonly revision: number;
  readonly atMs: number;
}

/** Runs until the signal aborts. */
export async function expireEvents(storage: Storage, clock: Clock, signal: AbortSignal): Promise<void> {
  const background = clock.labelled({ kind: "background", name: "event expiry" });
  const { log } = storage;
  const written = new RingBuffer<Written>();
  const note = (key: string, object: KubernetesObject) => {
    const revision = Number(object.metadata.resourceVersion);
    written.push({ key, revision, atMs: background.monotonic() });
  };
  let position = await noteAll(storage, note);
  while (!signal.aborted) {
    await background.sleep(sweepMs, signal);
    const yieldBudget = new RequestYieldBudget(background, signal);
    for (;;) {
      if (yieldBudget.isUsedUp()) await yieldBudget.yield();
      const event = position === undefined ? "forgotten" : log.at(collection, position);
      if (event === undefined) break;
      if (event === "forgotten" || position === undefined) {
        // So much happened that the log has moved on: everything counts as just written.
        position = await noteAll(storage, note);
        continue;
      }
      position++;
      if (event.after !== undefined) note(event.key, event.after);
    }
    await deleteExpired(storage, written, { beforeMs: background.monotonic() - eventLifetimeMs, yieldBudget });
  }
}

async function noteAll(
  storage: Storage,
  note: (key: string, object: KubernetesObject) => void,
): Promise<number | undefined> {
  const { objects, revision } = await storage.list(collection, {});
  for (const object of objects) note(`${object.metadata.namespace}/${object.metadata.name}`, object);
  return storage.log.positionAfter(collection, revision);
}

async function deleteExpired(
  storage: Storage,
  written: RingBuffer<Written>,
  { beforeMs, yieldBudget }: { readonly beforeMs: number; readonly yieldBudget: RequestYieldBudget },
): Promise<void> {
  for (let first = written.peek(); first !== undefined && first.atMs <= beforeMs; first = written.peek()) {
    written.shift();
    // Written again since then, or gone: not this entry's business.
    await storage.write([{ collection, key: first.key, expected: first.revision, object: undefined }]);
    if (yieldBudget.isUsedUp()) await yieldBudget.yield();
  }
}
