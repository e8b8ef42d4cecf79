import { describe, expect, test } from "vitest";
import { Terminal, toTerminal } from "./terminal.ts";

describe("what a terminal makes of keys", () => {
  for (const [what, keys, input, echo] of [
    ["nothing before the line ends", ["ec", "ho"], ["", ""], ["ec", "ho"]],
    ["a line", ["a\rb"], ["a\n"], ["a\r\nb"]],
    ["a correction", ["ab\u007fc\r"], ["ac\n"], ["ab\b \bc\r\n"]],
    ["no correction of nothing", ["\u007fa\r"], ["a\n"], ["a\r\n"]],
    ["no keys without a character", ["\u001bx\r"], ["x\n"], ["x\r\n"]],
  ] as const) {
    test(what, () => {
      const terminal = new Terminal();
      const typed = keys.map((some) => terminal.type(some));
      expect([typed.map((one) => one.input), typed.map((one) => one.echo)]).toEqual([input, echo]);
    });
  }

  test("Ctrl-D ends the input on an empty line only", () => {
    const terminal = new Terminal();
    expect([terminal.type("a\u0004").isEnd, terminal.type("\r").isEnd, terminal.type("\u0004").isEnd]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("Ctrl-C drops the line", () => {
    const terminal = new Terminal();
    expect(terminal.type("abc\u0003")).toEqual({ input: "", echo: "abc^C\r\n", isEnd: false, isInterrupted: true });
    expect(terminal.type("d\r").input).toBe("d\n");
  });

  test("lines begin at the left", () => expect(toTerminal("a\nb\r\n")).toBe("a\r\nb\r\n"));
});
