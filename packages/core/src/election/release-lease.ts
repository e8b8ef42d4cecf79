// Releases a lease, so that other replicas do not have to wait until it expires: writes an empty holder and a lease duration of one second. The
// lease is read first and released only if the server has this process as the holder, because the remembered lease may be old. After a
// conflict, which means that somebody wrote meanwhile, the lease is read again.
import { isConflict } from "../api/index.ts";
import { type Clock, timeoutSignal } from "../base/index.ts";
import type { LeaseStore } from "./lease-lock.ts";
import { type LeaseRecord, leaseTime, type SeenLease } from "./lease-record.ts";

export interface ReleaseOptions {
  readonly identity: string;
  readonly clock: Clock;
  /** Timeout for the whole release, including retries. */
  readonly limitMs: number;
}

/** Returns the record that releases the lease; undefined if there is no lease, or this process is not its holder. */
export function releasedRecord(
  lease: SeenLease | undefined,
  { identity, wallMs }: { readonly identity: string; readonly wallMs: number },
): LeaseRecord | undefined {
  if (lease === undefined || lease.record.holder !== identity) return undefined;
  const renewTime = leaseTime(wallMs);
  return { ...lease.record, holder: "", leaseDurationMs: 1000, acquireTime: renewTime, renewTime };
}

/** Returns whether the lease was released; false if this process did not hold it. */
export async function releaseLease(lock: LeaseStore, options: ReleaseOptions): Promise<boolean> {
  const { identity, clock, limitMs } = options;
  // The release has its own signal, because the signal that stopped the elector has aborted already.
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
