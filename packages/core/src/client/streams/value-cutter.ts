// Cuts whole JSON values out of bytes that come in chunks and gives their text. A value that crosses a border between
// chunks is gathered in one buffer that is used again; nothing of a chunk is kept.
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
const nothing: Buffer = Buffer.alloc(0);
const openingBracket = 0x5b;
const closingBracket = 0x5d;

export class ValueCutter {
  readonly #maxBytes: number;
  readonly #maxDepth: number;
  readonly #Fault: StreamErrorClass;
  readonly #scanner = new ValueScanner();
  #chunk = nothing;
  #isChunkAscii = true;
  #isChunkOurs = false;
  /** What came before the present chunk. */
  #offset = 0;
  // The beginning of a value that goes on in the next chunk.
  #gathered = nothing;
  #gatheredBytes = 0;
  #isGatheredAscii = true;
  // The value that was cut last, or is being cut.
  #isInValue = false;
  #position = 0;
  #from = 0;
  #end = 0;

  constructor(limits: ValueLimits, Fault: StreamErrorClass) {
    this.#maxBytes = limits.maxValueBytes ?? 64 * 1024 * 1024;
    this.#maxDepth = limits.maxDepth ?? 10_000;
    this.#Fault = Fault;
  }

  /** Whether a value has begun and not ended. */
  get isInValue(): boolean {
    return this.#isInValue;
  }

  /** Where in the body the value that was cut last, or is being cut, begins. */
  get position(): number {
    return this.#position;
  }

  /** How much of the body has come so far. */
  get endPosition(): number {
    return this.#offset + this.#chunk.length;
  }

  /** The offset in the body of an index into the present chunk. */
  positionOf(index: number): number {
    return this.#offset + index;
  }

  /** `isOurs` says that nobody else has these bytes. */
  enter(chunk: Buffer, { isOurs = false }: { readonly isOurs?: boolean } = {}): void {
    this.#offset += this.#chunk.length;
    this.#chunk = chunk;
    this.#isChunkOurs = isOurs;
    this.#isChunkAscii = isAscii(chunk);
  }

  /** Gives back what begins at this index of the chunk: it will come again. */
  giveBack(from: number): void {
    this.#chunk = this.#chunk.subarray(0, from);
  }

  /** Cuts the value that begins at this index of the chunk. The index after it, or -1 when it goes on. */
  begin(from: number): number {
    this.#position = this.#offset + from;
    this.#scanner.begin(this.#chunk[from] as number);
    this.#gatheredBytes = 0;
    this.#isInValue = true;
    return this.goOn(from);
  }

  /** Goes on with a value that began in an earlier chunk. */
  goOn(from = 0): number {
    const end = this.#scanner.scan(this.#chunk, from);
    const until = end === -1 ? this.#chunk.length : end;
    this.#checkLimits(this.#gatheredBytes + until - from);
    if (end === -1 || this.#gatheredBytes > 0) this.#gather(from, until);
    this.#from = from;
    this.#end = end;
    this.#isInValue = end === -1;
    return end;
  }

  /** What is not longer than this cannot be nested too deep: each level takes two bytes at least. */
  get shallowBytes(): number {
    return 2 * this.#maxDepth - 1;
  }

  /** Takes someone's word for where a text ends, unless it is too large. JSON.parse is the proof, which reads it next. */
  trust(from: number, end: number): boolean {
    if (end - from > this.#maxBytes) return false;
    this.#position = this.#offset + from;
    this.#gatheredBytes = 0;
    this.#from = from;
    this.#end = end;
    return true;
  }

  /** The text of the value that was cut last. */
  text(): string {
    if (this.#gatheredBytes > 0) return this.#gatheredText();
    if (this.#isChunkAscii) return this.#chunk.toString("latin1", this.#from, this.#end);
    return this.#toText(this.#chunk.subarray(this.#from, this.#end));
  }

  /** The text that was trusted, in brackets. Where the bytes around it are ours they lend their place: no second copy. */
  textInBrackets(): string {
    const before = this.#from - 1;
    const behind = this.#end;
    if (!this.#isChunkOurs || before < 0 || behind >= this.#chunk.length) return `[${this.text()}]`;
    const lentBefore = this.#chunk[before] as number;
    const lentBehind = this.#chunk[behind] as number;
    this.#chunk[before] = openingBracket;
    this.#chunk[behind] = closingBracket;
    this.#from = before;
    this.#end = behind + 1;
    try {
      return this.text();
    } finally {
      this.#chunk[before] = lentBefore;
      this.#chunk[behind] = lentBehind;
    }
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
    this.#makeRoom(this.#gatheredBytes + until - from);
    this.#chunk.copy(this.#gathered, this.#gatheredBytes, from, until);
    this.#isGatheredAscii = this.#isChunkAscii && (this.#gatheredBytes === 0 || this.#isGatheredAscii);
    this.#gatheredBytes += until - from;
  }

  #makeRoom(wanted: number): void {
    // One giant must not be paid for until the end of a watch that lasts an hour.
    const isGiant = this.#gatheredBytes === 0 && this.#gathered.length > 16 * smallBufferBytes;
    if (wanted <= this.#gathered.length && !isGiant) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(smallBufferBytes, 2 ** Math.ceil(Math.log2(wanted))));
    this.#gathered.copy(larger, 0, 0, this.#gatheredBytes);
    this.#gathered = larger;
  }

  #gatheredText(): string {
    if (this.#isGatheredAscii) return this.#gathered.toString("latin1", 0, this.#gatheredBytes);
    return this.#toText(this.#gathered.subarray(0, this.#gatheredBytes));
  }

  #toText(bytes: Buffer): string {
    if (isUtf8(bytes)) return bytes.toString("utf8");
    throw new this.#Fault("value is not UTF-8", { reason: "Decode", position: this.#position });
  }
}
