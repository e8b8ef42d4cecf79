// Lists and maps that were given, and empty, where a server prints null for one that was not given: `rules: []` of a Role. The normal form has null
// for both, because storage does not tell them apart; but whoever gave one manages that field.

const emptyIn = new WeakMap<object, ReadonlySet<string>>();

export function noteGivenEmpty(object: object, names: ReadonlySet<string>): void {
  emptyIn.set(object, names);
}

export const isGivenEmpty = (object: object, name: string): boolean => emptyIn.get(object)?.has(name) === true;

/** The copy of an object, of which the same is known. */
export function withGivenEmpty<T extends object>(copy: T, original: object): T {
  const names = emptyIn.get(original);
  if (names !== undefined) emptyIn.set(copy, names);
  return copy;
}
