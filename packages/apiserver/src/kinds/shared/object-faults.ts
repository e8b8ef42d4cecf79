// All faults of an object, for checks that begin at several of its fields: `collectObjectFaults((at) => { at("data")… })`.
import type { Fault } from "@kubeloop/core/api";
import { FaultPlace } from "./fault-place.ts";

/** A field of the object itself, by name: "spec", "metadata". */
export type ObjectPlaces = (field: string) => FaultPlace;

export function collectObjectFaults(check: (at: ObjectPlaces) => void): readonly Fault[] {
  const faults: Fault[] = [];
  check((field) => new FaultPlace(faults, field, {}));
  return faults;
}
