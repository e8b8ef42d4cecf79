// What a lease says about who leads, and how a Lease object says it. Everything else in the object (labels, annotations,
// fields of newer versions) is carried along untouched.
import { type coordinationv1, printMicroTime } from "../api/index.ts";

export interface LeaseRecord {
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly leaseDurationMs: number;
  /** How often it changed hands: grows with every take-over, so it can fence off writers of the past. */
  readonly transitions: number;
  /** Wall time, as the holder wrote it: for people. Nobody decides by it. */
  readonly acquireTime: string;
  readonly renewTime: string;
}

/** A lease as it was read or written, and what it says. */
export interface SeenLease {
  readonly record: LeaseRecord;
  /** The object, to be written back with changes. */
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

/** The object with this record in it, everything else as it was. */
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

/** Six digits, as a Lease wants them. */
export function leaseTime(wallMs: number): string {
  return printMicroTime(wallMs);
}

/** Whether two readings are of the same writing. Labels and versions may differ: they say nothing about the holder. */
export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.transitions === b.transitions &&
    a.renewTime === b.renewTime &&
    a.acquireTime === b.acquireTime &&
    a.leaseDurationMs === b.leaseDurationMs
  );
}
