// Gives a lease back, so that others need not wait until it has run out: nobody as its holder, for one second. Only if the
// server says that it is ours: what we remember may be old. A conflict means that somebody wrote meanwhile; then it is read
// again.
import { isConflict } from "../api/index.ts";
import { type Clock, timeoutSignal } from "../base/index.ts";
import type { LeaseStore } from "./lease-lock.ts";
import { type LeaseRecord, leaseTime, type SeenLease } from "./lease-record.ts";

export interface ReleaseOptions {
  readonly identity: string;
  readonly clock: Clock;
  /** For all of it. */
  readonly limitMs: number;
}

/** What is written to give a lease back; undefined when there is nothing to give, or nothing that is ours. */
export function releasedRecord(
  lease: SeenLease | undefined,
  { identity, wallMs }: { readonly identity: string; readonly wallMs: number },
): LeaseRecord | undefined {
  if (lease === undefined || lease.record.holder !== identity) return undefined;
  const renewTime = leaseTime(wallMs);
  return { ...lease.record, holder: "", leaseDurationMs: 1000, acquireTime: renewTime, renewTime };
}

/** Whether there was anything to give back. */
export async function releaseLease(lock: LeaseStore, options: ReleaseOptions): Promise<boolean> {
  const { identity, clock, limitMs } = options;
  // A clean-up has a signal of its own: the one that stopped us has fired.
  using limited = timeoutSignal(new AbortController().signal, limitMs, { clock, what: "releasing the lease" });
  for (;;) {
    const lease = await lock.read(limited.signal);
    const record = releasedRecord(lease, { identity, wallMs: clock.now() });
    if (record === undefined) return false;
    try {
      await lock.write(lease, record, limited.signal);
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}
