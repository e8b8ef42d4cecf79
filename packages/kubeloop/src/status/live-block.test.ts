import { expect, test } from "vitest";
import { LiveBlock } from "./live-block.ts";

/** Shows what a terminal would, which knows the few sequences that are used. */
class Screen {
  readonly columns: number;
  writes = 0;
  #rows: string[] = [""];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    this.writes++;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences.
    for (const [piece, count] of text.matchAll(/\u001b\[(\d*)[AKJ]|[\s\S]/g)) {
      if (piece === "\n") this.#down();
      else if (piece === "\r") this.#column = 0;
      else if (piece.endsWith("A") && piece.length > 1) this.#row = Math.max(0, this.#row - Number(count));
      else if (piece.endsWith("K") && piece.length > 1)
        // As xterm does: behind the last column the cursor is still on it.
        this.#rows[this.#row] = this.#line().slice(0, Math.min(this.#column, this.columns - 1));
      else if (piece.endsWith("J") && piece.length > 1) {
        this.#rows[this.#row] = this.#line().slice(0, this.#column);
        this.#rows.length = this.#row + 1;
      } else {
        this.#rows[this.#row] = this.#line().slice(0, this.#column) + piece + this.#line().slice(this.#column + 1);
        this.#column++;
      }
    }
  }

  get text(): string {
    return this.#rows.join("\n");
  }

  #line(): string {
    return this.#rows[this.#row] ?? "";
  }

  #down(): void {
    this.#row++;
    this.#column = 0;
    this.#rows[this.#row] ??= "";
  }
}

function newScreen(columns = 40) {
  const screen = new Screen(columns);
  screen.write("$ kubeloop up\n");
  screen.writes = 0;
  return { screen, block: new LiveBlock(screen) };
}

test("lines replace those before, whether there are more or fewer, longer or shorter", () => {
  const { screen, block } = newScreen();
  block.show(["one", "two"]);
  expect(screen.text).toBe("$ kubeloop up\none\ntwo\n");
  block.show(["longer than one", "2", "three"]);
  expect(screen.text).toBe("$ kubeloop up\nlonger than one\n2\nthree\n");
  block.show(["short"]);
  expect(screen.text).toBe("$ kubeloop up\nshort\n");
  block.clear();
  expect(screen.text).toBe("$ kubeloop up\n");
});

test("a line as wide as the terminal is shown to its end", () => {
  const { screen, block } = newScreen(10);
  block.show(["0123456789"]);
  block.show(["012345678…", "x"]);
  expect(screen.text).toBe("$ kubeloop up\n012345678…\nx\n");
});

test("the same lines are not written again, and others are one write", () => {
  const { screen, block } = newScreen();
  block.show(["one", "two"]);
  expect(screen.writes).toBe(1);
  block.show(["one", "two"]);
  expect(screen.writes).toBe(1);
  block.show(["one", "three"]);
  expect(screen.writes).toBe(2);
});

test("other output scrolls above the block", () => {
  const { screen, block } = newScreen();
  const print = (text: string) => block.around(() => screen.write(text));
  print("before\n");
  block.show(["one", "two"]);
  print("said\nmore\n");
  expect(screen.text).toBe("$ kubeloop up\nbefore\nsaid\nmore\none\ntwo\n");
  block.show(["uno"]);
  expect(screen.text).toBe("$ kubeloop up\nbefore\nsaid\nmore\nuno\n");
});

test("what Ctrl-C echoes goes with the block", () => {
  const { screen, block } = newScreen();
  block.show(["one", "two"]);
  screen.write("^C");
  block.clear();
  expect(screen.text).toBe("$ kubeloop up\n");
});

test("after the terminal became narrower, the rows of the old lines are counted as they were wrapped", () => {
  const written: string[] = [];
  const terminal = { columns: 40, write: (text: string) => written.push(text) };
  const block = new LiveBlock(terminal);
  block.show(["a line of 20 columns", "short"]);
  terminal.columns = 10;
  block.show(["short"]);
  expect(written.at(-1)).toBe("\r\u001b[3A\u001b[Kshort\n\u001b[J");
});

test("characters of two columns count as two in the rows of old lines", () => {
  const written: string[] = [];
  const terminal = { columns: 40, write: (text: string) => written.push(text) };
  const block = new LiveBlock(terminal);
  block.show(["\u001b[1m五つの広い文字列\u001b[0m"]);
  terminal.columns = 10;
  block.show(["short"]);
  expect(written.at(-1)).toBe("\r\u001b[2A\u001b[Kshort\n\u001b[J");
});
