// Where the fields of the messages stand that are being read: for each field where it begins, and where its last part does. Messages within messages
// put their notes behind those of the message around them, so that reading allocates nothing.

export class FieldNotes {
  #places = new Int32Array(512);
  #used = 0;
  /** Where the parts begin of a message that comes in several, by its note. */
  #parts: Map<number, number[]> | undefined;

  /** Forgets everything. */
  clear(): void {
    this.#used = 0;
    this.#parts = undefined;
  }

  /** Returns the note of the first of that many fields; the next field's is 2 more. */
  open(fieldCount: number): number {
    const base = this.#used;
    this.#used = base + 2 * fieldCount;
    if (this.#used > this.#places.length) {
      const larger = new Int32Array(this.#used * 2);
      larger.set(this.#places);
      this.#places = larger;
    }
    const places = this.#places;
    // Few: a loop is faster than a call.
    for (let i = base; i < this.#used; i++) places[i] = 0;
    return base;
  }

  /** `base` is what `open` returned. */
  close(base: number): void {
    this.#used = base;
  }

  /** Where a scalar begins, behind its tag. 0 if the field is not there. */
  first(note: number): number {
    return this.#places[note] as number;
  }

  /** A part of a list or a map, whose tag is there. Kept as 1 more, because a tag may be the very first byte. */
  noteItem(note: number, at: number): void {
    if (this.#places[note] === 0) this.#places[note] = at + 1;
    this.#places[note + 1] = at + 1;
  }

  /** Where the tag of the first part of a list, a map or a message is. */
  firstTag(note: number): number {
    return (this.#places[note] as number) - 1;
  }

  lastItem(note: number): number {
    return (this.#places[note + 1] as number) - 1;
  }

  /** A value of which the last one counts. */
  noteScalar(note: number, at: number): void {
    this.#places[note] = at;
  }

  /** A message, which may come in parts, whose tag is there. Kept as 1 more, too. */
  notePart(note: number, at: number): void {
    const first = this.#places[note] as number;
    if (first === 0) {
      this.#places[note] = at + 1;
      return;
    }
    this.#parts ??= new Map();
    const parts = this.#parts.get(note);
    if (parts === undefined) this.#parts.set(note, [first - 1, at]);
    else parts.push(at);
  }

  hasParts(note: number): boolean {
    return this.#parts?.has(note) === true;
  }

  /** Where the tags of the parts are. Undefined unless there is more than one. They are forgotten. */
  takeParts(note: number): readonly number[] | undefined {
    if (this.#parts === undefined) return undefined;
    const parts = this.#parts.get(note);
    this.#parts.delete(note);
    return parts;
  }
}
