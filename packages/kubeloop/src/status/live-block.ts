// A few lines at the end of a terminal's output that are drawn again in place, while other output scrolls above them.
//
// Promises
// - Each change is one write, and lines that stay the same cause none: nothing flickers.
// - The cursor is in the line below the block, and neither hidden nor moved elsewhere: whenever the process ends, the terminal is as it was.
// - After a resize, the rows that the old lines were wrapped into are counted, not their number.
import { stripVTControlCharacters } from "node:util";
import { rowsOf } from "./text-width.ts";

/** A terminal: standard output is one, if it is one. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

export class LiveBlock {
  readonly #terminal: Pick<Terminal, "columns" | "write">;
  #lines: readonly string[] = [];

  constructor(terminal: Pick<Terminal, "columns" | "write">) {
    this.#terminal = terminal;
  }

  /** Draws these lines instead of the ones before. */
  show(lines: readonly string[]): void {
    if (lines.length === this.#lines.length && lines.every((line, index) => line === this.#lines[index])) return;
    // Cleared first: behind a line as wide as the terminal, the cursor may still be on its last character.
    const drawn = `${this.#toTop()}${lines.map((line) => `${clearLine}${line}\n`).join("")}${clearBelow}`;
    this.#lines = lines;
    this.#terminal.write(drawn);
  }

  /** Lets other output, which ends with a newline, go above the block. */
  around(write: () => void): void {
    const { length } = this.#lines;
    if (length > 0) this.#terminal.write(`${this.#toTop()}${clearBelow}`);
    write();
    if (length > 0) this.#terminal.write(this.#lines.map((line) => `${line}\n`).join(""));
  }

  /** Takes the block away. */
  clear(): void {
    this.show([]);
  }

  #toTop(): string {
    const { columns } = this.#terminal;
    const rows = this.#lines.reduce((sum, line) => sum + rowsOf(stripVTControlCharacters(line), columns), 0);
    return rows === 0 ? "\r" : `\r\u001b[${rows}A`;
  }
}

const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";
