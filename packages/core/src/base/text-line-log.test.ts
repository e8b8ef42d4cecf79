import { describe, expect, test } from "vitest";
import { KubeloopError } from "./errors.ts";
import type { Log, LogLevel } from "./log.ts";
import { textLineLog } from "./text-line-log.ts";

const linesOf = (say: (log: Log) => void, level?: LogLevel) => {
  const lines: string[] = [];
  say(textLineLog({ write: (line) => lines.push(line), now: () => 0, ...(level ? { level } : {}) }));
  return lines.map((line) => line.replace("1970-01-01T00:00:00.000Z ", ""));
};

describe("a line for people", () => {
  const facts: readonly (readonly [fact: string, say: (log: Log) => void, expected: string])[] = [
    ["has level and message", (log) => log.warn("something is slow"), "WARN something is slow"],
    [
      "has fields as key=value",
      (log) => log.error("sync failed", { key: "a/b", tries: 3 }),
      "ERROR sync failed key=a/b tries=3",
    ],
    ["begins with who says it", (log) => log.with({ reflector: "pods" }).warn("x"), "WARN reflector pods: x"],
    [
      "names everyone it comes through, the outermost first",
      (log) => log.with({ controller: "foos" }).with({ key: "shop/a" }).warn("x", { n: 1 }),
      "WARN controller foos, key shop/a: x n=1",
    ],
    [
      "names them also where a name looks like the end of one",
      (log) => log.with({ a: "b: c" }).with({ d: 1 }).warn("x"),
      'WARN a "b: c", d 1: x',
    ],
    ["leaves out what is not there", (log) => log.warn("x", { row: undefined, error: null }), "WARN x error=null"],
    ["quotes what has spaces", (log) => log.warn("x", { why: "no such pod" }), 'WARN x why="no such pod"'],
    ["stays one line whatever a value has in it", (log) => log.warn("x", { why: "a\nb" }), 'WARN x why="a\\nb"'],
    [
      "shows what an error says, without its stack",
      (log) => log.warn("x", { error: new Error("no") }),
      "WARN x error=no",
    ],
    [
      "shows what was below an error",
      (log) => log.warn("x", { error: new KubeloopError("list failed", { reason: "Odd", cause: new Error("reset") }) }),
      'WARN x error="list failed: reset"',
    ],
    [
      "does not repeat what the error has said of its cause",
      (log) => log.warn("x", { error: new Error("failed: reset", { cause: new Error("reset") }) }),
      'WARN x error="failed: reset"',
    ],
    ["shows objects as JSON", (log) => log.warn("x", { list: ["a", 1n] }), 'WARN x list=["a","1"]'],
    ["cuts what is very long", (log) => log.warn("x", { long: "y".repeat(600) }), `WARN x long=${"y".repeat(500)}…`],
  ];
  for (const [fact, say, expected] of facts) {
    test(fact, () => expect(linesOf(say)).toEqual([expected]));
  }

  test("ends with a ring of causes", () => {
    const error = new Error("a");
    error.cause = new Error("b", { cause: error });
    expect(linesOf((log) => log.warn("x", { error }))).toEqual(['WARN x error="a: b"']);
  });

  test("begins with the time", () => {
    const lines: string[] = [];
    textLineLog({ write: (line) => lines.push(line), now: () => 0 }).info("x");
    expect(lines).toEqual(["1970-01-01T00:00:00.000Z INFO x"]);
  });

  test("is followed by the stack at level debug", () => {
    const [line = ""] = linesOf((log) => log.warn("x", { error: new Error("no") }), "debug");
    expect([line.split("\n")[0], line.includes("text-line-log.test.ts")]).toEqual(["WARN x error=no", true]);
  });

  for (const [level, expected] of [
    [undefined, ["INFO x", "WARN x", "ERROR x"]],
    ["warn", ["WARN x", "ERROR x"]],
    ["debug", ["DEBUG x", "INFO x", "WARN x", "ERROR x"]],
  ] as const) {
    test(`at level ${level ?? "(none given)"} there are ${expected.length} of four`, () => {
      const say = (log: Log) => {
        for (const method of ["debug", "info", "warn", "error"] as const) log[method]("x");
      };
      expect(linesOf(say, level)).toEqual(expected);
    });
  }
});
