import { describe, expect, test } from "vitest";
import { bool, duration, int32, string, strings } from "./flag.ts";
import { parseFlags } from "./flag-set.ts";
import { parseGoDuration, printGoDuration } from "./go-duration.ts";
import { printUsage } from "./usage.ts";

describe("a duration", () => {
  test.each([
    ["0", 0, "0s"],
    ["15s", 15_000, "15s"],
    ["1m", 60_000, "1m0s"],
    ["1h30m", 5_400_000, "1h30m0s"],
    ["8760h0m0s", 31_536_000_000, "8760h0m0s"],
    ["1.5s", 1500, "1.5s"],
    ["250ms", 250, "250ms"],
    ["10us", 0.01, "10µs"],
    ["5ns", 0.000005, "5ns"],
    ["-2m", -120_000, "-2m0s"],
    ["1h1ms", 3_600_001, "1h0m0.001s"],
  ])("%s is %d ms, and printed %s", (text, ms, printed) => {
    expect(parseGoDuration(text)).toBeCloseTo(ms, 9);
    expect(printGoDuration(ms)).toBe(printed);
  });
});

const name = string("name", "x", "The name.");
const list = strings("list", ["*"], "A list.");
const isOn = bool("is-on", false, "Whether.", { short: "o" });
const level = int32("level", 1, "How much.", { short: "v" });
const wait = duration("wait", "5s", "How long.");
const old = bool("old", false, "Old.", { deprecated: "use --is-on" });
const groups = [{ name: "all", flags: [name, list, isOn, level, wait, old] }];

describe("a command line", () => {
  test.each([
    [["--name=a"], name, "a"],
    [["--name", "a"], name, "a"],
    [["--name="], name, ""],
    [["--name=a=b"], name, "a=b"],
    [["--list=a,b", "--list=c"], list, ["a", "b", "c"]],
    [['--list="a,b",c'], list, ["a,b", "c"]],
    [[], list, ["*"]],
    [["--is-on"], isOn, true],
    [["--is_on=false"], isOn, false],
    [["-o"], isOn, true],
    [["-v", "3"], level, 3],
    [["-v3"], level, 3],
    [["-ov=0x10"], level, 16],
    [["--", "--is-on"], isOn, false],
  ])("%j", (args, flag, value) => expect(parseFlags(groups, args).get(flag as typeof name)).toEqual(value));

  test("says what was given, and what stood beside the flags", () => {
    const parsed = parseFlags(groups, ["a", "--level=1", "b", "--", "-c"]);
    expect(parsed.isSet(level)).toBe(true);
    expect(parsed.isSet(name)).toBe(false);
    expect(parsed.args).toEqual(["a", "b", "-c"]);
  });
});

describe("the help", () => {
  test("is a group of flags in two columns, without deprecated ones", () => {
    expect(printUsage(groups)).toBe(`All flags:

  -o, --is-on           Whether.
  -v, --level int32     How much. (default 1)
      --list strings    A list. (default [*])
      --name string     The name. (default "x")
      --wait duration   How long. (default 5s)
`);
  });

  test("marks what has no effect yet", () => {
    expect(printUsage([{ name: "g", flags: [{ ...name, isInert: true }] }])).toContain(
      '(default "x") (has no effect yet)',
    );
  });

  test("wraps words to a terminal's width", () => {
    const long = string("long", "", "one two three four five six seven eight nine ten eleven twelve");
    const lines = printUsage([{ name: "g", flags: [long] }], { columns: 60 }).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(lines.length).toBeGreaterThan(4);
  });
});
