// What is wrong with a text as JSON, in Go's words: `invalid character 'x' looking for beginning of value`, `unexpected end of
// JSON input`. Looked at only when something is wrong, or may be too deep: JSON.parse is quicker to say yes.
//
// A loop, not a recursion: a body of three million brackets is answered, not died of.
import { quote } from "@kubeloop/core/api";

/** Go refuses what is nested deeper. */
const maxNesting = 10_000;

/** Undefined if the text is JSON. The bytes are looked at one by one, as Go does: messages show a byte, not a character. */
export function findJsonFault(bytes: Uint8Array): string | undefined {
  return new SyntaxScan(bytes).run();
}

/** Whether JSON may be nested too deep: it has brackets enough. */
export function mayBeTooDeep(text: string): boolean {
  if (text.length <= 2 * maxNesting) return false;
  let brackets = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++brackets > maxNesting) return true;
    }
  }
  return false;
}

type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

const whereAfterValue = { object: "after object key:value pair", list: "after array element" } as const;

class SyntaxScan {
  readonly #bytes: Uint8Array;
  /** What is open, innermost last. */
  readonly #open: ("object" | "list")[] = [];
  #at = 0;
  #expected: Expected = "value";

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  run(): string | undefined {
    for (;;) {
      const byte = this.#nextAfterSpace();
      if (byte === undefined) return this.#expected === "nothing" ? undefined : endOfInput;
      const fault = this.#step(byte);
      if (fault !== undefined) return fault;
    }
  }

  #nextAfterSpace(): number | undefined {
    while (isSpace(this.#bytes[this.#at])) this.#at++;
    return this.#bytes[this.#at++];
  }

  #step(byte: number): string | undefined {
    switch (this.#expected) {
      case "nothing":
        return invalid(byte, "after top-level value");
      case "colon":
        if (byte !== 0x3a) return invalid(byte, "after object key");
        this.#expected = "value";
        return undefined;
      case "key":
      case "key-or-end":
        if (byte === 0x7d && this.#expected === "key-or-end") return this.#close();
        if (byte !== 0x22) return invalid(byte, "looking for beginning of object key string");
        this.#expected = "colon";
        return this.#string();
      case "comma-or-end":
        return this.#afterValue(byte);
      case "value-or-end":
      case "value":
        if (byte === 0x5d && this.#expected === "value-or-end") return this.#close();
        return this.#value(byte);
    }
  }

  #afterValue(byte: number): string | undefined {
    const container = this.#open.at(-1) ?? "list";
    if (byte === 0x2c) {
      this.#expected = container === "object" ? "key" : "value";
      return undefined;
    }
    return byte === (container === "object" ? 0x7d : 0x5d) ? this.#close() : invalid(byte, whereAfterValue[container]);
  }

  #value(byte: number): string | undefined {
    if (byte === 0x7b || byte === 0x5b) {
      if (this.#open.length >= maxNesting) return invalid(byte, "exceeded max depth");
      this.#open.push(byte === 0x7b ? "object" : "list");
      this.#expected = byte === 0x7b ? "key-or-end" : "value-or-end";
      return undefined;
    }
    this.#ended();
    if (byte === 0x22) return this.#string();
    if (byte === 0x2d || isDigit(byte)) return this.#number(byte);
    const word = literals[byte];
    return word === undefined ? invalid(byte, "looking for beginning of value") : this.#literal(word);
  }

  #close(): undefined {
    this.#open.pop();
    this.#ended();
  }

  #ended(): void {
    this.#expected = this.#open.length === 0 ? "nothing" : "comma-or-end";
  }

  /** From behind the opening quote. */
  #string(): string | undefined {
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) return endOfInput;
      if (byte === 0x22) return undefined;
      if (byte < 0x20) return invalid(byte, "in string literal");
      const fault = byte === 0x5c ? this.#escape() : undefined;
      if (fault !== undefined) return fault;
    }
  }

  #escape(): string | undefined {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) return endOfInput;
    if (byte !== 0x75) return escapes.has(byte) ? undefined : invalid(byte, "in string escape code");
    for (const end = this.#at + 4; this.#at < end; this.#at++) {
      const digit = this.#bytes[this.#at];
      if (digit === undefined) return endOfInput;
      if (!isHexDigit(digit)) return invalid(digit, "in \\u hexadecimal character escape");
    }
    return undefined;
  }

  /** From behind its first byte. */
  #number(first: number): string | undefined {
    if (first === 0x2d) {
      const digit = this.#bytes[this.#at++];
      if (digit === undefined) return endOfInput;
      if (!isDigit(digit)) return invalid(digit, "in numeric literal");
      if (digit !== 0x30) this.#digits();
    } else if (first !== 0x30) this.#digits();
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++;
      const fault = this.#someDigits("after decimal point in numeric literal");
      if (fault !== undefined) return fault;
    }
    const exponent = this.#bytes[this.#at];
    if (exponent !== 0x65 && exponent !== 0x45) return undefined;
    this.#at++;
    const sign = this.#bytes[this.#at];
    if (sign === 0x2b || sign === 0x2d) this.#at++;
    return this.#someDigits("in exponent of numeric literal");
  }

  #digits(): void {
    while (isDigit(this.#bytes[this.#at])) this.#at++;
  }

  #someDigits(where: string): string | undefined {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) return endOfInput;
    if (!isDigit(byte)) return invalid(byte, where);
    this.#digits();
    return undefined;
  }

  /** From behind its first letter. */
  #literal(word: string): string | undefined {
    for (const letter of word.slice(1)) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) return endOfInput;
      if (byte !== letter.charCodeAt(0)) return invalid(byte, `in literal ${word} (expecting '${letter}')`);
    }
    return undefined;
  }
}

const endOfInput = "unexpected end of JSON input";
const literals: { readonly [first: number]: string } = { 116: "true", 102: "false", 110: "null" };
const escapes = new Set([...'bfnrt\\/"'].map((letter) => letter.charCodeAt(0)));

function invalid(byte: number, where: string): string {
  return `invalid character ${quoteByte(byte)} ${where}`;
}

function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${quote(String.fromCharCode(byte)).slice(1, -1)}'`;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46);
}
