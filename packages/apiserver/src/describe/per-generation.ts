// What is made of a catalogue, made anew only when the catalogue has changed.
import type { Catalogue } from "../resources/registry/catalogue.ts";

/** Returns what `make` made for the catalogue's generation, which it is asked for once. What is made belongs to this catalogue alone. */
export function perGeneration<T>(catalogue: Pick<Catalogue, "generation">, make: () => T): () => T {
  let made: { readonly generation: number; readonly value: T } | undefined;
  return () => {
    const { generation } = catalogue;
    if (made?.generation !== generation) made = { generation, value: make() };
    return made.value;
  };
}
