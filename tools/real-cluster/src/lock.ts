// A lock between processes: a file that names its owner. It saves double work and is not a guarantee: when an owner was
// killed, two waiters may both take over. What is done under it must therefore be safe to do twice.

import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { systemClock } from "@kubeloop/core/base";
import { hasCode } from "./errors.ts";
import { isAlive } from "./is-alive.ts";

const retryMs = 500;

/** Waits for the lock and holds it until disposed of. `onWait` is told once whose end is waited for. */
export async function openLock(
  path: string,
  onWait: (ownerPid: number) => void,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  for (let attempt = 0; ; attempt++) {
    if (await create(path)) return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    const ownerPid = await readOwner(path);
    if (ownerPid === undefined) continue;
    if (!isAlive(ownerPid)) {
      await rm(path, { force: true });
      continue;
    }
    if (attempt === 0) onWait(ownerPid);
    await systemClock.sleep(retryMs, signal);
  }
}

/** Written apart and then linked, so that nobody ever sees a lock without an owner. */
async function create(path: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${process.pid}\n`);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The owner's process id; undefined when the lock has just been released. */
async function readOwner(path: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(path, "utf8"), 10);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
