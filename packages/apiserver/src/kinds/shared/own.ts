// Reading maps whose keys clients choose: "constructor" is a key like any other, and not what every object inherits.

export function own<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}
