// What `--controllers` means, as a pure function: `*` starts all that are not off by default, `foo` starts foo, `-foo` does
// not. The first entry that names a controller wins over `*` and over later ones. Names of 1.18 count as the names of today.
import type { ControllerName } from "@kubeloop/controllers";

export interface ControllerSelection {
  /** Canonical names, in the order of `known`. */
  readonly selected: readonly string[];
  /** Sentences about entries that name nothing. */
  readonly faults: readonly string[];
}

// Built before all others, from files: it does not listen to the list.
const alwaysStarted = "serviceaccount-token-controller";

/** The entries with the names of today, as upstream's configuration has them; what names nothing stays as it is. */
export function canonicalEntries(entries: readonly string[], known: readonly ControllerName[]): readonly string[] {
  const canonical = canonicalNames(known);
  return entries.map((entry) => {
    const sign = entry.startsWith("-") ? "-" : "";
    const given = entry.slice(sign.length);
    return `${sign}${canonical.get(given) ?? given}`;
  });
}

function canonicalNames(known: readonly ControllerName[]): ReadonlyMap<string, string> {
  const canonical = new Map(known.map(({ name }) => [name, name]));
  for (const { name, alias } of known) if (alias !== undefined) canonical.set(alias, name);
  return canonical;
}

export function selectControllers(entries: readonly string[], known: readonly ControllerName[]): ControllerSelection {
  const canonical = canonicalNames(known);
  const verdicts = new Map<string, boolean>();
  const faults: string[] = [];
  for (const entry of entries) {
    if (entry === "*") continue;
    const isOff = entry.startsWith("-");
    const given = isOff ? entry.slice(1) : entry;
    const name = canonical.get(given);
    if (name === undefined) faults.push(`"${given}" is not in the list of known controllers`);
    else if (!verdicts.has(name)) verdicts.set(name, !isOff);
  }
  const hasStar = entries.includes("*");
  const isSelected = ({ name, isOffByDefault }: ControllerName) =>
    name === alwaysStarted || (verdicts.get(name) ?? (hasStar && isOffByDefault !== true));
  return { selected: known.filter(isSelected).map((one) => one.name), faults };
}
