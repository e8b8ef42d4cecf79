// Cuts whole JSON values out of chunks of bytes and returns their text. A value that crosses a chunk boundary
// is assembled in a reused buffer; the bytes of earlier chunks are not used again.
//
// Promises: characters split by a boundary come out whole; bytes that are not UTF-8 are an error, never replaced; a value
// beyond the limits is an error before it is assembled whole.
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
  /** The number of bytes before the current chunk. */
  #offset = 0;
  // The beginning of a value that continues in the next chunk.
  #gathered = nothing;
  #gatheredBytes = 0;
  #isGatheredAscii = true;
  // The last value, or the value being cut.
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

  /** The position in the body where the last value, or the value being cut, begins. */
  get position(): number {
    return this.#position;
  }

  /** The number of bytes received so far. */
  get endPosition(): number {
    return this.#offset + this.#chunk.length;
  }

  /** Converts an index in the current chunk to an offset in the body. */
  positionOf(index: number): number {
    return this.#offset + index;
  }

  /** `isOurs`: no other code uses these bytes. */
  enter(chunk: Buffer, { isOurs = false }: { readonly isOurs?: boolean } = {}): void {
    this.#offset += this.#chunk.length;
    this.#chunk = chunk;
    this.#isChunkOurs = isOurs;
    this.#isChunkAscii = isAscii(chunk);
  }

  /** Forgets the bytes of the chunk from this index on: they will be entered again. */
  giveBack(from: number): void {
    this.#chunk = this.#chunk.subarray(0, from);
  }

  /** Cuts the value that begins at this index. Returns the index after it, or -1 if it continues in the next chunk. */
  begin(from: number): number {
    this.#position = this.#offset + from;
    this.#scanner.begin(this.#chunk[from] as number);
    this.#gatheredBytes = 0;
    this.#isInValue = true;
    return this.goOn(from);
  }

  /** Continues a value that began in an earlier chunk. */
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

  /** A value of at most this length cannot be nested too deep, because each level takes at least two bytes. */
  get shallowBytes(): number {
    return 2 * this.#maxDepth - 1;
  }

  /** Accepts the given end of a text without scanning, unless it is too large. JSON.parse, which follows, verifies it. */
  trust(from: number, end: number): boolean {
    if (end - from > this.#maxBytes) return false;
    this.#position = this.#offset + from;
    this.#gatheredBytes = 0;
    this.#from = from;
    this.#end = end;
    return true;
  }

  /** Returns the text of the last value. */
  text(): string {
    if (this.#gatheredBytes > 0) return this.#gatheredText();
    if (this.#isChunkAscii) return this.#chunk.toString("latin1", this.#from, this.#end);
    return this.#toText(this.#chunk.subarray(this.#from, this.#end));
  }

  /**
   * Returns the text given to `trust`, in brackets. If the bytes around it are ours, the brackets replace them for a moment, which
   * saves a second copy.
   */
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
    // Release the buffer of one huge value, because a watch may last for an hour and would keep it until its end.
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
