// The fields of a lease that matter for the election, and their conversion from and to a Lease object. Everything else in the object (labels,
// annotations, fields of newer versions) is kept unchanged.
import { type coordinationv1, printMicroTime } from "../api/index.ts";

export interface LeaseRecord {
  /** Empty if the lease has no holder. */
  readonly holder: string;
  readonly leaseDurationMs: number;
  /** How many times the holder has changed. It grows with every takeover, so it can be used as a fencing token against former leaders. */
  readonly transitions: number;
  /** Wall time, as the holder wrote it. Only informative: no decision compares it with a clock. */
  readonly acquireTime: string;
  readonly renewTime: string;
}

/** A lease as it was read or written, with its record. */
export interface SeenLease {
  readonly record: LeaseRecord;
  /** The object, on which the next update is based. */
  readonly object: coordinationv1.Lease;
}

export function recordOf(object: coordinationv1.Lease): LeaseRecord {
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, acquireTime, renewTime } = object.spec ?? {};
  return {
    holder: holderIdentity ?? "",
    leaseDurationMs: (leaseDurationSeconds ?? 0) * 1000,
    transitions: leaseTransitions ?? 0,
    acquireTime: acquireTime ?? "",
    renewTime: renewTime ?? "",
  };
}

export function seenLease(object: coordinationv1.Lease): SeenLease {
  return { record: recordOf(object), object };
}

/** Returns the object with this record; everything else stays unchanged. */
export function withRecord(object: coordinationv1.Lease, record: LeaseRecord): coordinationv1.Lease {
  const { acquireTime: _, renewTime: __, ...rest } = object.spec ?? {};
  return {
    ...object,
    spec: {
      ...rest,
      holderIdentity: record.holder,
      leaseDurationSeconds: Math.round(record.leaseDurationMs / 1000),
      leaseTransitions: record.transitions,
      ...(record.acquireTime === "" ? {} : { acquireTime: record.acquireTime }),
      ...(record.renewTime === "" ? {} : { renewTime: record.renewTime }),
    },
  };
}

/** Returns a MicroTime (six digits for the fraction of a second), as the times of a Lease require. */
export function leaseTime(wallMs: number): string {
  return printMicroTime(wallMs);
}

/** Returns whether two reads returned the same record. Labels and resourceVersion may differ, because they say nothing about the holder. */
export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.transitions === b.transitions &&
    a.renewTime === b.renewTime &&
    a.acquireTime === b.acquireTime &&
    a.leaseDurationMs === b.leaseDurationMs
  );
}
