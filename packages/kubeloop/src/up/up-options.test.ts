import { describe, expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { parseUpOptions } from "./up-options.ts";

describe("what cannot be understood is one sentence", () => {
  for (const [args, sentence] of [
    [["--port", "-1"], "up: Option '--port' argument is ambiguous"],
    [["--nodes", "-1"], "up: Option '--nodes' argument is ambiguous"],
    [["--port=-1"], 'up: --port must be a whole number, not "-1"'],
    [["--colour"], "up: Unknown option '--colour'"],
    [["here"], "up: Unexpected argument 'here'"],
  ] as const) {
    test(args.join(" "), () => {
      const told = () => parseUpOptions(args);
      expect(told).toThrow(UsageError);
      expect(told).toThrow(new RegExp(`^${sentence}[^\n]*$`));
    });
  }
});

test("the controller manager runs unless it is left out", () => {
  expect(parseUpOptions([]).withoutManager).toBe(false);
  expect(parseUpOptions(["--without-manager"]).withoutManager).toBe(true);
});

test.each([
  [[], []],
  [["--enable-admission-plugins="], []],
  [["--enable-admission-plugins=NodeRestriction"], ["NodeRestriction"]],
  [
    ["--enable-admission-plugins", "A,B", "--enable-admission-plugins=C"],
    ["A", "B", "C"],
  ],
])("%j asks for the admission plugins %j", (args, names) => {
  expect(parseUpOptions(args).enableAdmissionPlugins).toEqual(names);
  const twin = args.map((word) => word.replace("--enable", "--disable"));
  expect(parseUpOptions(twin).disableAdmissionPlugins).toEqual(names);
});
