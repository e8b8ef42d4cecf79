// What the checks of volumes' types are made of.
import { checkPresent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";

export type SourceCheck<T> = (source: T, place: FaultPlace) => void;

/** Fields that must be there, and nothing else to be said. */
export function checkFields<Name extends string>(
  ...names: readonly Name[]
): SourceCheck<{ readonly [name in Name]?: string }> {
  return (source, place) => {
    for (const name of names) checkPresent(source[name], place.at(name));
  };
}

export const rangeText = (low: number, high: number) => `must be between ${low} and ${high}, inclusive`;
