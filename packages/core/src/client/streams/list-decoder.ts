// Decodes a Kubernetes list from its bytes, item by item, as they arrive; the answer is never held whole. A synchronous
// machine: `push` what came, `end` when nothing more comes, then ask `metadata`.
//
// Top-level keys may come in any order, with any white space, and unknown ones are skipped (but must be well-formed).
// `items` may be null, or absent where the kind says List. A Status in place of a list is thrown as a StatusError.
// Everything else that is not a list is a ListDecodeError with the place where it went wrong.
import { Buffer } from "node:buffer";
import type { ListMeta } from "../../api/generated/types/meta/v1.ts";
import { decodeObject } from "../../api/object.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import { CarriedBytes } from "./carried-bytes.ts";
import { ListDecodeError } from "./decode-errors.ts";
import type { ChunkDecoder } from "./decode-stream.ts";
import type { ItemIdentity } from "./item-identity.ts";
import { checkIsList, decodeListMeta, itemIdentity } from "./list-envelope.ts";
import { type ListPlace, moves } from "./list-grammar.ts";
import { ValueCutter, type ValueLimits } from "./value-cutter.ts";

/** What the items are, for lists that do not say, or not before their items; and how large and deep one may be. */
export interface ListDecoderOptions extends ValueLimits, Partial<ItemIdentity> {}

const braceByte = 0x7b;
const quoteByte = 0x22;
const bracketByte = 0x5b;
const commaByte = 0x2c;

export class ListDecoder<T extends KubernetesObject> implements ChunkDecoder<T> {
  readonly #cutter: ValueCutter;
  readonly #given: ListDecoderOptions;
  /** The top level without the items. A Map, because its keys come from outside. */
  readonly #envelope = new Map<string, unknown>();
  #place: ListPlace = "start";
  #key = "";
  #count = 0;
  #hasItems = false;
  #identity: Partial<ItemIdentity> = {};
  /** What stands between two items, when the first one let us guess it. */
  #border: Buffer | undefined;
  /** The item at the end of a chunk whose end has not been seen. */
  readonly #carried = new CarriedBytes();
  #metadata: ListMeta | undefined;

  constructor(options: ListDecoderOptions = {}) {
    this.#given = options;
    this.#cutter = new ValueCutter(options, ListDecodeError);
  }

  /** What the list says about itself. Known after `end`. */
  get metadata(): ListMeta {
    if (this.#metadata !== undefined) return this.#metadata;
    throw this.#fault("metadata is known only after the last item", this.#cutter.positionOf(0));
  }

  push(chunk: Buffer, items: T[]): void {
    const isOurs = this.#carried.length > 0;
    this.#readAll(this.#carried.take(chunk), items, { isOurs });
  }

  end(items: T[]): void {
    // Nothing follows, a border neither.
    this.#border = undefined;
    this.#readAll(this.#carried.take(Buffer.alloc(0)), items, { isOurs: true });
    if (this.#place !== "end") {
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
    const next = moves[this.#place][byte];
    if (next !== undefined) {
      this.#place = next;
      return at + 1;
    }
    switch (this.#place) {
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
    throw this.#fault(`unexpected ${found} where ${this.#place} was due`, this.#cutter.positionOf(at));
  }

  #readItem(at: number, chunk: Buffer, items: T[]): number {
    this.#place = "item";
    const border = this.#border;
    if (border === undefined) return this.#accept(this.#cutter.begin(at), chunk, items);
    const window = chunk.subarray(at, at + this.#cutter.shallowBytes);
    const length = window.lastIndexOf(border) + 1;
    if (length > 0) {
      if (this.#addRun(at, at + length, items)) return at + length;
      // What failed once is not tried again.
      this.#border = undefined;
    } else if (at + window.length === chunk.length && window.length < this.#cutter.shallowBytes) {
      return this.#carry(at, chunk);
    }
    const end = this.#cutter.begin(at);
    if (end !== -1 && !mayFollow(border, chunk, end - 1)) this.#border = undefined;
    return this.#accept(end, chunk, items);
  }

  // Most likely the border comes with the next chunk: scanning for the item's end would cost more than to read it again.
  #carry(at: number, chunk: Buffer): number {
    // With its comma, in whose place a bracket may stand for a moment.
    const hasComma = at > 0 && chunk[at - 1] === commaByte;
    const from = hasComma ? at - 1 : at;
    if (hasComma) this.#place = "after item";
    this.#cutter.giveBack(from);
    this.#carried.keep(chunk.subarray(from));
    return chunk.length;
  }

  /**
   * Takes all items up to a guessed border at once, which is much faster than to scan for the end of each. Nothing depends
   * on the guess: a text that parses between brackets is whole items with commas between them, wherever it was cut. False,
   * and nothing taken, when it does not or when something is wrong with an item; who then scans finds out what, and where.
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
    this.#place = "after item";
    return true;
  }

  /** Takes the value the cutter has just finished. Gives the index to go on from. */
  #accept(end: number, chunk: Buffer, items: T[]): number {
    if (end === -1) return chunk.length;
    switch (this.#place) {
      case "first key":
      case "key":
        this.#key = this.#parse() as string;
        this.#place = "colon";
        break;
      case "item":
        if (this.#count === 0) this.#border = guessBorder(this.#cutter.text());
        this.#addItem(this.#parse(), items);
        break;
      default:
        this.#addToEnvelope(this.#parse());
        this.#place = "after value";
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
    this.#place = "after item";
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
    this.#place = "first item";
    return at + 1;
  }

  #noteItems(position: number): void {
    // JSON would let the later one win; the earlier one's items are with the reader already.
    if (this.#hasItems) throw this.#fault("items appears twice", position);
    this.#hasItems = true;
  }

  #parse(): unknown {
    try {
      return JSON.parse(this.#cutter.text());
    } catch (cause) {
      const value = this.#place === "value" ? JSON.stringify(this.#key) : "a key";
      const what = this.#place === "item" ? `items[${this.#count}]` : value;
      throw this.#fault(`malformed JSON in ${what}`, this.#cutter.position, cause);
    }
  }

  #fault(fault: string, position: number, cause?: unknown): ListDecodeError {
    return new ListDecodeError(fault, { reason: "Decode", position, cause });
  }
}

// Items of one kind begin with the same key, and a server writes them without white space.
function guessBorder(item: string): Buffer | undefined {
  const firstKey = /^\{"[\w./-]+":/.exec(item)?.[0];
  return firstKey === undefined ? undefined : Buffer.from(`},${firstKey}`);
}

/** Whether the border stands at this index, or may: who knows, where the chunk ends first. */
function mayFollow(border: Buffer, chunk: Buffer, at: number): boolean {
  return at + border.length > chunk.length || chunk.compare(border, 0, border.length, at, at + border.length) === 0;
}
