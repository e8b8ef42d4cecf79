import { describe, expect, test } from "vitest";
import { limitRepeats } from "./limit-repeats.ts";
import type { Log } from "./log.ts";
import { textLineLog } from "./text-line-log.ts";

function setUp() {
  const lines: string[] = [];
  let nowMs = 0;
  const written = textLineLog({ write: (line) => lines.push(line.slice(25)), now: () => 0, level: "debug" });
  const log = limitRepeats(written, { clock: { monotonic: () => nowMs } });
  const advance = (byMs: number) => {
    nowMs += byMs;
  };
  return { log, lines, advance };
}
/** Without a stack, so that one line remains. */
const failure = (message: string) => Object.assign(new Error(message), { stack: undefined });

describe("a repeated warning", () => {
  test("is written once, then once an interval with how many were suppressed", () => {
    const { log, lines, advance } = setUp();
    const pods = log.with({ reflector: "pods" });
    for (let second = 0; second <= 120; second++) {
      pods.warn("met a failure", { error: failure("refused") });
      advance(1000);
    }
    expect(lines).toEqual([
      "WARN reflector pods: met a failure error=refused",
      "WARN reflector pods: met a failure error=refused suppressed=59",
      "WARN reflector pods: met a failure error=refused suppressed=59",
    ]);
  });

  test("begins anew after a quiet time", () => {
    const { log, lines, advance } = setUp();
    log.warn("x");
    advance(60_000);
    log.warn("x");
    expect(lines).toEqual(["WARN x", "WARN x"]);
  });

  type Say = (log: Log) => void;
  const pairs: readonly (readonly [fact: string, first: Say, second: Say, lines: number])[] = [
    ["is the same with other fields", (log) => log.warn("x", { key: "a" }), (log) => log.warn("x", { key: "b" }), 1],
    [
      "is the same with other numbers in its error",
      (log) => log.warn("x", { error: failure("port 1") }),
      (log) => log.warn("x", { error: failure("port 22") }),
      1,
    ],
    [
      "is the same for two keys of a controller",
      (log) => log.with({ controller: "c" }).with({ key: "a" }).warn("x"),
      (log) => log.with({ controller: "c" }).with({ key: "b" }).warn("x"),
      1,
    ],
    [
      "is another with other words of a server",
      (log) => log.warn("server warning", { text: "a is deprecated" }),
      (log) => log.warn("server warning", { text: "b is deprecated" }),
      2,
    ],
    [
      "is another with another error",
      (log) => log.warn("x", { error: failure("a") }),
      (log) => log.warn("x", { error: failure("b") }),
      2,
    ],
    ["is another with another message", (log) => log.warn("x"), (log) => log.warn("y"), 2],
    [
      "is another from another source",
      (log) => log.with({ reflector: "pods" }).warn("x"),
      (log) => log.with({ reflector: "nodes" }).warn("x"),
      2,
    ],
    ["is another at another level", (log) => log.warn("x"), (log) => log.error("x"), 2],
    ["is not one if it is information", (log) => log.info("x"), (log) => log.info("x"), 2],
    ["is not one if it is for debugging", (log) => log.debug("x"), (log) => log.debug("x"), 2],
  ];
  for (const [fact, first, second, expected] of pairs) {
    test(fact, () => {
      const { log, lines } = setUp();
      first(log);
      second(log);
      expect(lines).toHaveLength(expected);
    });
  }

  test("is forgotten when a thousand others came after it", () => {
    const { log, lines } = setUp();
    const say = (n: number) => log.warn(`message ${n}`);
    for (let n = 0; n <= 1000; n++) say(n);
    say(1000);
    expect(lines).toHaveLength(1001);
    say(0);
    expect(lines).toHaveLength(1002);
  });
});
