// What a terminal does between a keyboard and a process: it shows what is typed, lets people correct it, and hands over whole lines. Pure.

export interface Typed {
  /** What the process reads; "" if no line is complete. */
  readonly input: string;
  /** What is shown. */
  readonly echo: string;
  /** Ctrl-D on an empty line. */
  readonly isEnd: boolean;
  /** Ctrl-C. */
  readonly isInterrupted: boolean;
}

export class Terminal {
  #line = "";

  type(keys: string): Typed {
    let [input, echo] = ["", ""];
    for (const key of keys) {
      if (key === "\r" || key === "\n") {
        input += `${this.#line}\n`;
        echo += "\r\n";
        this.#line = "";
      } else if (key === "\u0003") {
        this.#line = "";
        return { input: "", echo: `${echo}^C\r\n`, isEnd: false, isInterrupted: true };
      } else if (key === "\u0004") {
        if (this.#line === "" && input === "") return { input, echo, isEnd: true, isInterrupted: false };
      } else if (key === "\u007f" || key === "\b") {
        if (this.#line !== "") echo += "\b \b";
        this.#line = this.#line.slice(0, -1);
      } else if (key >= " ") {
        this.#line += key;
        echo += key;
      }
    }
    return { input, echo, isEnd: false, isInterrupted: false };
  }
}

/** Lines on a terminal begin at its left side. */
export function toTerminal(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
