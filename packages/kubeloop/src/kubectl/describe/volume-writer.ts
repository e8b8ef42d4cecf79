// How the source of a volume is written: its kind and its facts, one below the other.
import type { Description } from "./description.ts";
import { sortedKeys, type Texts } from "./description.ts";

export type Fact = readonly [title: string, value: string | number | boolean | undefined];
export type Source = readonly [type: string, ...facts: readonly Fact[]];

export function writeSource(to: Description, [type, ...facts]: Source): void {
  to.line(2, "Type:", type);
  for (const fact of facts) to.line(2, ...fact);
}

export function optionalFact({ optional = false }: { readonly optional?: boolean }): Fact {
  return ["Optional:", optional];
}

/** Lists and maps as Go prints them. */
export function printGoList(items: readonly string[] = []): string {
  return `[${items.join(" ")}]`;
}

export function printGoMap(texts: Texts = {}): string {
  return `map[${sortedKeys(texts)
    .map((key) => `${key}:${texts[key]}`)
    .join(" ")}]`;
}

interface Reference {
  readonly name?: string;
  readonly namespace?: string;
}

/** A pointer to a reference as Go prints it. */
export function printReference(reference: Reference | undefined, isNamespaced: boolean): string {
  if (reference === undefined) return "nil";
  const { name = "", namespace = "" } = reference;
  return isNamespaced
    ? `&SecretReference{Name:${name},Namespace:${namespace},}`
    : `&LocalObjectReference{Name:${name},}`;
}
