// All faults of an object, for checks that begin at several of its fields: `collectObjectFaults((at) => { at("data")… })`.
import type { Fault } from "@kubeloop/core/api";
import { ValidationPath } from "./validation-path.ts";

/** A field of the object itself, by name: "spec", "metadata". */
export type ObjectPaths = (field: string) => ValidationPath;

export function collectObjectFaults(check: (at: ObjectPaths) => void): readonly Fault[] {
  const faults: Fault[] = [];
  check((field) => new ValidationPath(faults, field, {}));
  return faults;
}
