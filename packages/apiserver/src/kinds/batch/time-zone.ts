// Names of time zones, as the platform's own data knows them. Unlike the platform, a server tells small letters from capitals.

/** By the name in small letters. Old names are not listed by the platform, though it knows them. */
let listedNames: ReadonlyMap<string, string> | undefined;

export function isTimeZone(name: string): boolean {
  if (name === "" || name === "UTC" || name === "Local") return true;
  // Offsets are no names, and every part of a name begins with a capital.
  if (!name.split("/").every((part) => /^[A-Z]/.test(part))) return false;
  listedNames ??= new Map(Intl.supportedValuesOf("timeZone").map((each) => [each.toLowerCase(), each]));
  const listed = listedNames.get(name.toLowerCase());
  if (listed !== undefined) return listed === name;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
