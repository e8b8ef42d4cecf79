// Decodes a Kubernetes list from bytes, item by item, as they arrive; the response is never held whole. It is synchronous:
// call `push` for each chunk, `end` at the end, then read `metadata`.
//
// Top-level keys may come in any order, with any white space, and unknown ones are skipped (but must be well-formed).
// `items` may be null, or absent where the kind says List. A Status in place of a list is thrown as a StatusError.
// Anything else that is not a list is a ListDecodeError with its position.
import { Buffer } from "node:buffer";
import type { ListMeta } from "../../api/generated/types/meta/v1.ts";
import { decodeObject } from "../../api/object.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import { CarriedBytes } from "./carried-bytes.ts";
import { ListDecodeError } from "./decode-errors.ts";
import type { ChunkDecoder } from "./decode-stream.ts";
import type { ItemIdentity } from "./item-identity.ts";
import { checkIsList, decodeListMeta, itemIdentity } from "./list-envelope.ts";
import { type ListState, transitions } from "./list-grammar.ts";
import { ValueCutter, type ValueLimits } from "./value-cutter.ts";

/** The kind of the items, if the list does not have it or has it only after its items; and limits for one item. */
export interface ListDecoderOptions extends ValueLimits, Partial<ItemIdentity> {}

const braceByte = 0x7b;
const quoteByte = 0x22;
const bracketByte = 0x5b;
const commaByte = 0x2c;

export class ListDecoder<T extends KubernetesObject> implements ChunkDecoder<T> {
  readonly #cutter: ValueCutter;
  readonly #given: ListDecoderOptions;
  /** The top-level fields without the items. A Map, because the keys come from outside. */
  readonly #envelope = new Map<string, unknown>();
  #state: ListState = "start";
  #key = "";
  #count = 0;
  #hasItems = false;
  #identity: Partial<ItemIdentity> = {};
  /** The bytes between two items, if they could be guessed from the first and the guess has held so far. */
  #border: Buffer | undefined;
  /** The incomplete item at the end of a chunk. */
  readonly #carried = new CarriedBytes();
  #metadata: ListMeta | undefined;

  constructor(options: ListDecoderOptions = {}) {
    this.#given = options;
    this.#cutter = new ValueCutter(options, ListDecodeError);
  }

  /** The list's metadata. Known after `end`. */
  get metadata(): ListMeta {
    if (this.#metadata !== undefined) return this.#metadata;
    throw this.#fault("metadata is known only after the last item", this.#cutter.positionOf(0));
  }

  push(chunk: Buffer, items: T[]): void {
    const isOurs = this.#carried.length > 0;
    this.#readAll(this.#carried.take(chunk), items, { isOurs });
  }

  end(items: T[]): void {
    // The end: no separator follows the last item.
    this.#border = undefined;
    this.#readAll(this.#carried.take(Buffer.alloc(0)), items, { isOurs: true });
    if (this.#state !== "end") {
      const position = this.#cutter.endPosition;
      throw new ListDecodeError("list ends in the middle", { reason: "UnexpectedEnd", position });
    }
    const envelope = Object.fromEntries(this.#envelope);
    checkIsList(envelope, { hasItems: this.#hasItems });
    this.#metadata = decodeListMeta(envelope);
  }

  #readAll(chunk: Buffer, items: T[], whose: { readonly isOurs: boolean }): void {
    this.#cutter.enter(chunk, whose);
    let at = this.#cutter.isInValue ? this.#accept(this.#cutter.goOn(), chunk, items) : 0;
    while (at < chunk.length) {
      const byte = chunk[at] as number;
      if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d && byte !== 0x0b && byte !== 0x0c)) at++;
      else at = this.#read(byte, at, chunk, items);
    }
  }

  #read(byte: number, at: number, chunk: Buffer, items: T[]): number {
    const next = transitions[this.#state][byte];
    if (next !== undefined) {
      this.#state = next;
      return at + 1;
    }
    switch (this.#state) {
      case "first key":
      case "key":
        if (byte === quoteByte) return this.#accept(this.#cutter.begin(at), chunk, items);
        break;
      case "value":
        if (this.#key === "items" && byte === bracketByte) return this.#enterItems(at);
        return this.#accept(this.#cutter.begin(at), chunk, items);
      case "first item":
      case "item":
        if (byte === braceByte) return this.#readItem(at, chunk, items);
        throw this.#fault(`items[${this.#count}] is not an object`, this.#cutter.positionOf(at));
    }
    const found = JSON.stringify(String.fromCharCode(byte));
    throw this.#fault(`unexpected ${found} where ${this.#state} was due`, this.#cutter.positionOf(at));
  }

  #readItem(at: number, chunk: Buffer, items: T[]): number {
    this.#state = "item";
    const border = this.#border;
    if (border === undefined) return this.#accept(this.#cutter.begin(at), chunk, items);
    const window = chunk.subarray(at, at + this.#cutter.shallowBytes);
    const length = window.lastIndexOf(border) + 1;
    if (length > 0) {
      if (this.#addRun(at, at + length, items)) return at + length;
      // Do not try a guess again after it failed once.
      this.#border = undefined;
    } else if (at + window.length === chunk.length && window.length < this.#cutter.shallowBytes) {
      return this.#carry(at, chunk);
    }
    const end = this.#cutter.begin(at);
    if (end !== -1 && !mayFollow(border, chunk, end - 1)) this.#border = undefined;
    return this.#accept(end, chunk, items);
  }

  // The separator probably comes with the next chunk: scanning for the item's end would cost more than reading it again.
  #carry(at: number, chunk: Buffer): number {
    // With its comma, which is replaced by a bracket for a moment.
    const hasComma = at > 0 && chunk[at - 1] === commaByte;
    const from = hasComma ? at - 1 : at;
    if (hasComma) this.#state = "after item";
    this.#cutter.giveBack(from);
    this.#carried.keep(chunk.subarray(from));
    return chunk.length;
  }

  /**
   * Takes all items up to a guessed separator at once, which is much faster than scanning for the end of each. The result does not
   * depend on the guess: a text that parses between brackets consists of whole items with commas between them, wherever it was cut.
   * Returns false without taking anything if it does not parse or an item is wrong; the caller then scans, which finds the error and
   * its position.
   */
  #addRun(from: number, end: number, items: T[]): boolean {
    if (!this.#cutter.trust(from, end)) return false;
    const before = items.length;
    try {
      for (const json of JSON.parse(this.#cutter.textInBrackets()) as unknown[]) {
        items.push(decodeObject(json, this.#identity) as T);
      }
    } catch {
      items.length = before;
      return false;
    }
    this.#count += items.length - before;
    this.#state = "after item";
    return true;
  }

  /** Takes the value that the cutter has just finished. Returns the index to continue from. */
  #accept(end: number, chunk: Buffer, items: T[]): number {
    if (end === -1) return chunk.length;
    switch (this.#state) {
      case "first key":
      case "key":
        this.#key = this.#parse() as string;
        this.#state = "colon";
        break;
      case "item":
        if (this.#count === 0) this.#border = guessBorder(this.#cutter.text());
        this.#addItem(this.#parse(), items);
        break;
      default:
        this.#addToEnvelope(this.#parse());
        this.#state = "after value";
    }
    return end;
  }

  #addItem(json: unknown, items: T[]): void {
    try {
      items.push(decodeObject(json, this.#identity) as T);
    } catch (cause) {
      const fault = `items[${this.#count}]: ${cause instanceof Error ? cause.message : "cannot be decoded"}`;
      throw this.#fault(fault, this.#cutter.position, cause);
    }
    this.#count++;
    this.#state = "after item";
  }

  #addToEnvelope(json: unknown): void {
    if (this.#key !== "items") {
      this.#envelope.set(this.#key, json);
      return;
    }
    if (json !== null) throw this.#fault("items is not a list", this.#cutter.position);
    this.#noteItems(this.#cutter.position);
  }

  #enterItems(at: number): number {
    this.#noteItems(this.#cutter.positionOf(at));
    this.#identity = itemIdentity(Object.fromEntries(this.#envelope), this.#given);
    this.#state = "first item";
    return at + 1;
  }

  #noteItems(position: number): void {
    // JSON.parse would let the later one win; but the earlier one's items were already returned.
    if (this.#hasItems) throw this.#fault("items appears twice", position);
    this.#hasItems = true;
  }

  #parse(): unknown {
    try {
      return JSON.parse(this.#cutter.text());
    } catch (cause) {
      const value = this.#state === "value" ? JSON.stringify(this.#key) : "a key";
      const what = this.#state === "item" ? `items[${this.#count}]` : value;
      throw this.#fault(`malformed JSON in ${what}`, this.#cutter.position, cause);
    }
  }

  #fault(fault: string, position: number, cause?: unknown): ListDecodeError {
    return new ListDecodeError(fault, { reason: "Decode", position, cause });
  }
}

// Items of one kind begin with the same key, and servers write no white space.
function guessBorder(item: string): Buffer | undefined {
  const firstKey = /^\{"[\w./-]+":/.exec(item)?.[0];
  return firstKey === undefined ? undefined : Buffer.from(`},${firstKey}`);
}

/** Whether the separator is, or may be, at this index: if the chunk ends first, that is not known. */
function mayFollow(border: Buffer, chunk: Buffer, at: number): boolean {
  return at + border.length > chunk.length || chunk.compare(border, 0, border.length, at, at + border.length) === 0;
}
