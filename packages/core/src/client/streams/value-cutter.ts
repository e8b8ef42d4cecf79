// Cuts whole JSON values out of bytes that come in chunks and gives their text. Only a value that crosses a border between
// chunks is copied, into one buffer that is used again; nothing of a chunk is kept.
//
// Promises: characters split by a border come out whole; bytes that are not UTF-8 are an error, never replaced; a value
// beyond the limits is an error before it has been gathered whole.
import { Buffer, isAscii, isUtf8 } from "node:buffer";
import type { StreamErrorClass } from "./decode-errors.ts";
import { ValueScanner } from "./value-scanner.ts";

export interface ValueLimits {
  /** The largest single value: an item of a list, an event of a watch. Default 64 MiB. */
  readonly maxValueBytes?: number;
  /** How deep brackets may nest. Default 10,000, as in Go. */
  readonly maxDepth?: number;
}

const smallBufferBytes = 64 * 1024;

export class ValueCutter {
  readonly #maxBytes: number;
  readonly #maxDepth: number;
  readonly #Fault: StreamErrorClass;
  readonly #scanner = new ValueScanner();
  /** What came before the present chunk. */
  #offset = 0;
  #chunk: Buffer = Buffer.alloc(0);
  #isChunkAscii = true;
  // The beginning of a value that goes on in the next chunk.
  #gathered: Buffer = Buffer.alloc(0);
  #gatheredBytes = 0;
  #isGatheredAscii = true;
  #isInValue = false;
  #text = "";
  #position = 0;

  constructor(limits: ValueLimits, Fault: StreamErrorClass) {
    this.#maxBytes = limits.maxValueBytes ?? 64 * 1024 * 1024;
    this.#maxDepth = limits.maxDepth ?? 10_000;
    this.#Fault = Fault;
  }

  /** Whether a value has begun and not ended. */
  get isInValue(): boolean {
    return this.#isInValue;
  }

  /** The text of the value that was cut last. */
  get text(): string {
    return this.#text;
  }

  /** Where in the body the value that was cut last, or is being cut, begins. */
  get position(): number {
    return this.#position;
  }

  /** The offset in the body of an index into the present chunk. */
  positionOf(index: number): number {
    return this.#offset + index;
  }

  /** How much of the body has come so far. */
  get endPosition(): number {
    return this.#offset + this.#chunk.length;
  }

  enter(chunk: Buffer): void {
    this.#offset += this.#chunk.length;
    this.#chunk = chunk;
    this.#isChunkAscii = isAscii(chunk);
  }

  /** Cuts the value that begins at this index of the chunk. The index after it, or -1 when it goes on. */
  begin(from: number): number {
    this.#position = this.#offset + from;
    this.#scanner.begin(this.#chunk[from] as number);
    this.#isInValue = true;
    return this.goOn(from);
  }

  /** Goes on with a value that began in an earlier chunk. */
  goOn(from = 0): number {
    const end = this.#scanner.scan(this.#chunk, from);
    const until = end === -1 ? this.#chunk.length : end;
    this.#checkLimits(this.#gatheredBytes + until - from);
    if (end === -1 || this.#gatheredBytes > 0) this.#gather(from, until);
    if (end === -1) return end;
    this.#text = this.#gatheredBytes > 0 ? this.#takeGathered() : this.#textOf(from, end);
    this.#isInValue = false;
    return end;
  }

  /**
   * Takes someone's word for where a value ends, or refuses (false). JSON.parse is the proof: no JSON object is the
   * beginning of another, so a text that parses was cut at the right place.
   */
  trust(from: number, end: number): boolean {
    const bytes = end - from;
    // Each level takes two bytes at least: what is short cannot be too deep.
    if (bytes > this.#maxBytes || bytes >= 2 * this.#maxDepth) return false;
    this.#position = this.#offset + from;
    this.#text = this.#textOf(from, end);
    return true;
  }

  #checkLimits(bytes: number): void {
    const position = this.#position;
    if (bytes > this.#maxBytes) {
      throw new this.#Fault(`value of more than ${this.#maxBytes} bytes`, { reason: "TooLarge", position });
    }
    if (this.#scanner.deepest > this.#maxDepth) {
      throw new this.#Fault(`value nested more than ${this.#maxDepth} deep`, { reason: "TooDeep", position });
    }
  }

  #gather(from: number, until: number): void {
    const bytes = this.#gatheredBytes + until - from;
    if (bytes > this.#gathered.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(smallBufferBytes, 2 ** Math.ceil(Math.log2(bytes))));
      this.#gathered.copy(larger, 0, 0, this.#gatheredBytes);
      this.#gathered = larger;
    }
    this.#chunk.copy(this.#gathered, this.#gatheredBytes, from, until);
    this.#gatheredBytes = bytes;
    this.#isGatheredAscii &&= this.#isChunkAscii;
  }

  #takeGathered(): string {
    const text = this.#toText(this.#gathered.subarray(0, this.#gatheredBytes), this.#isGatheredAscii);
    this.#gatheredBytes = 0;
    this.#isGatheredAscii = true;
    // One giant must not be paid for until the end of a watch that lasts an hour.
    if (this.#gathered.length > 16 * smallBufferBytes) this.#gathered = Buffer.alloc(0);
    return text;
  }

  #textOf(from: number, end: number): string {
    if (this.#isChunkAscii) return this.#chunk.toString("latin1", from, end);
    return this.#toText(this.#chunk.subarray(from, end), false);
  }

  #toText(bytes: Buffer, isKnownAscii: boolean): string {
    if (isKnownAscii) return bytes.toString("latin1");
    if (isUtf8(bytes)) return bytes.toString("utf8");
    throw new this.#Fault("value is not UTF-8", { reason: "Decode", position: this.#position });
  }
}
