import { describe, expect, test } from "vitest";
import { ConformanceError } from "./conformance-error.ts";
import { help, parseOptions } from "./options.ts";

test("class A with upstream's manager, unless told otherwise", () => {
  expect(parseOptions([])).toMatchObject({ words: [], manager: "upstream", fast: false, update: false });
  expect(parseOptions(["AS", "--manager=ours", "--fast"])).toMatchObject({
    words: ["AS"],
    manager: "ours",
    fast: true,
  });
});

test("with all parts of ours the manager is ours", () => {
  expect(parseOptions(["S", "--ours"])).toMatchObject({ manager: "ours", ours: true });
  expect(parseOptions(["--manager=ours"])).toMatchObject({ manager: "ours", ours: false });
});

describe("what cannot be understood is one sentence that leads to --help", () => {
  for (const [args, sentence] of [
    [["--colour"], "Unknown option '--colour'"],
    [["--manager=mine"], '--manager must be upstream or ours, not "mine"'],
    [["--procs=0"], '--procs must be a whole number from 1 on, not "0"'],
    [["--timeout=soon"], '--timeout must be a whole number from 1 on, not "soon"'],
  ] as const) {
    test(args.join(" "), () => {
      const told = () => parseOptions(args);
      expect(told).toThrow(ConformanceError);
      expect(told).toThrow(new RegExp(`^${sentence}[^\n]*; --help tells more$`));
    });
  }
});

test("the help names every option", () => {
  for (const option of ["manager", "ours", "fast", "passing", "update", "list", "procs", "timeout", "help"]) {
    expect(help).toContain(`--${option}`);
  }
});
