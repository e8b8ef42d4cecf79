// The bytes that were made of objects for the wire, so that each is made once however many clients read it.
//
// Promises
// - The encodings of a stored version are kept for as long as it is the current one. A version that is superseded or deleted loses them at once,
//   though the history may hold that version for minutes.
// - Of everything else (superseded versions that watchers still read, versions converted to another API version, frames of watches) the most
//   recent bytes are kept, up to a limit for the whole process.
import { RingBuffer } from "@kubeloop/core/base";

/** Enough for what many watchers read at the same time. */
const defaultRecentBytes = 16 * 1024 * 1024;

/** The latest encodings, up to a number of bytes; the oldest are dropped first. It holds no object, only what was made of it. */
export class RecentEncodings {
  readonly #maxBytes: number;
  readonly #byObject = new WeakMap<object, Map<string, Uint8Array>>();
  readonly #oldestFirst = new RingBuffer<{ readonly held: Map<string, Uint8Array>; readonly form: string }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many bytes are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the encoding of the object in this form, which `make` makes if it is not held. */
  of(object: object, form: string, make: () => Uint8Array): Uint8Array {
    let held = this.#byObject.get(object);
    const known = held?.get(form);
    if (known !== undefined) return known;
    const bytes = make();
    if (held === undefined) {
      held = new Map();
      this.#byObject.set(object, held);
    }
    held.set(form, bytes);
    this.#oldestFirst.push({ held, form });
    this.#bytes += bytes.length;
    while (this.#bytes > this.#maxBytes) this.#dropOldest();
    return bytes;
  }

  #dropOldest(): void {
    const oldest = this.#oldestFirst.shift();
    if (oldest === undefined) return;
    this.#bytes -= oldest.held.get(oldest.form)?.length ?? 0;
    oldest.held.delete(oldest.form);
  }
}

const recent = new RecentEncodings(defaultRecentBytes);
const ofCurrent = new WeakMap<object, Map<string, Uint8Array> | undefined>();

/** The object is a stored version from now on: what is made of it is kept. */
export function noteCurrent(object: object): void {
  ofCurrent.set(object, undefined);
}

/** The object is no longer the current version: what was made of it is dropped. */
export function noteSuperseded(object: object): void {
  ofCurrent.delete(object);
}

/** Returns the encoding of a frozen object in this form. Kept as the promises above say. */
export function encodingOf(object: object, form: string, make: () => Uint8Array): Uint8Array {
  if (!ofCurrent.has(object)) return recent.of(object, form, make);
  let held = ofCurrent.get(object);
  if (held === undefined) {
    held = new Map();
    ofCurrent.set(object, held);
  }
  let bytes = held.get(form);
  if (bytes === undefined) {
    bytes = make();
    held.set(form, bytes);
  }
  return bytes;
}

/** Returns an encoding that is wanted only while many read it at the same time, such as a frame of a watch. */
export function recentEncodingOf(object: object, form: string, make: () => Uint8Array): Uint8Array {
  return recent.of(object, form, make);
}

/** How many bytes are kept for a current version; 0 for every other object. For tests. */
export function keptBytesOf(object: object): number {
  let bytes = 0;
  for (const each of ofCurrent.get(object)?.values() ?? []) bytes += each.length;
  return bytes;
}
