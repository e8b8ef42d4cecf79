// Finds the end of one JSON value in chunks of bytes. It only counts brackets outside strings:
// JSON.parse, which follows, checks that the value is well-formed. For a well-formed value the end is exact.
//
// Its state is a few numbers, so a value of a megabyte in a thousand chunks is scanned only once.

const quote = 0x22;
const backslash = 0x5c;
// `[` and `{`, `]` and `}` differ in one bit.
const bracketBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

type Shape = "nested" | "text" | "scalar";

export class ValueScanner {
  /** The deepest nesting in this value. */
  #deepest = 0;
  #depth = 0;
  #shape: Shape = "nested";
  #isInText = false;
  #isEscaped = false;

  get deepest(): number {
    return this.#deepest;
  }

  /** Starts a value with this first byte. */
  begin(firstByte: number): void {
    this.#shape = firstByte === quote ? "text" : (firstByte | bracketBit) === opening ? "nested" : "scalar";
    this.#deepest = 0;
    this.#depth = 0;
    this.#isInText = false;
    this.#isEscaped = false;
  }

  /** Returns the index after the value's last byte, or -1 if it continues in the next chunk. */
  scan(bytes: Uint8Array, from: number): number {
    return this.#shape === "scalar" ? scanScalar(bytes, from) : this.#scanBrackets(bytes, from);
  }

  // The hot loop: two plain loops over bytes, inside and outside strings, with everything in local variables.
  #scanBrackets(bytes: Uint8Array, from: number): number {
    const end = bytes.length;
    let at = from;
    let depth = this.#depth;
    let deepest = this.#deepest;
    let isInText = this.#isInText;
    if (this.#isEscaped && at < end) {
      this.#isEscaped = false;
      at++;
    }
    for (;;) {
      if (isInText) {
        while (at < end) {
          const byte = bytes[at++];
          if (byte === quote) {
            isInText = false;
            break;
          }
          if (byte === backslash && at++ === end) this.#isEscaped = true;
        }
        if (isInText) break;
        if (depth === 0) return at;
      }
      while (at < end) {
        const byte = bytes[at++] as number;
        if (byte === quote) {
          isInText = true;
          break;
        }
        const bracket = byte | bracketBit;
        if (bracket === opening) {
          if (++depth > deepest) deepest = depth;
        } else if (bracket === closing && --depth === 0) {
          this.#deepest = deepest;
          return at;
        }
      }
      if (!isInText) break;
    }
    this.#depth = depth;
    this.#deepest = deepest;
    this.#isInText = isInText;
    return -1;
  }
}

// A number or a literal ends at the next delimiter.
function scanScalar(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte <= 0x20 || byte === 0x2c || byte === 0x3a || (byte | bracketBit) === closing) return at;
  }
  return -1;
}
