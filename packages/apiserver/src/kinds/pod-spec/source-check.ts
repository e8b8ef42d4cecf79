// What the checks of volumes' types are made of.
import { checkPresent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

export type SourceCheck<T> = (source: T, fldPath: ValidationPath) => void;

/** Fields that must be there, and nothing else to be said. */
export function checkFields<Name extends string>(
  ...names: readonly Name[]
): SourceCheck<{ readonly [name in Name]?: string }> {
  return (source, fldPath) => {
    for (const name of names) checkPresent(source[name], fldPath.at(name));
  };
}

export const rangeText = (low: number, high: number) => `must be between ${low} and ${high}, inclusive`;
