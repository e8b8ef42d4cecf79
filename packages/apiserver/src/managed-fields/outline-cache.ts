// Sets of paths by the outline of what they were made of, for a while: an outline is much quicker to take than a set is to make, and most objects
// are like one that came before. Forgotten all at once when there are too many.
import type { FieldSet } from "./field-set.ts";

/** Characters of outlines. */
const mostKept = 2 ** 20;
const longestKept = 2 ** 15;

export class OutlineCache {
  #sets = new WeakMap<object, Map<string, FieldSet>>();
  #keptLength = 0;

  /** Outlines say nothing without what they are outlines by: a schema, or an object that others are compared with. */
  get(by: object, outline: string): FieldSet | undefined {
    return this.#sets.get(by)?.get(outline);
  }

  keep(by: object, outline: string, set: FieldSet): void {
    if (outline.length > longestKept) return;
    this.#keptLength += outline.length;
    if (this.#keptLength > mostKept) {
      this.#sets = new WeakMap();
      this.#keptLength = outline.length;
    }
    const known = this.#sets.get(by);
    if (known === undefined) this.#sets.set(by, new Map([[outline, set]]));
    else known.set(outline, set);
  }
}
