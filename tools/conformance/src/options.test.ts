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

test("on a real server all other parts are ours", () => {
  expect(parseOptions(["S", "--server=real"])).toMatchObject({ manager: "ours", ours: true, server: "real" });
  expect(parseOptions([])).toMatchObject({ server: "embedded" });
});

describe("what cannot be understood is one sentence that leads to --help", () => {
  for (const [args, sentence] of [
    [["--colour"], "Unknown option '--colour'"],
    [["--manager=mine"], '--manager must be upstream or ours, not "mine"'],
    [["--server=mine"], '--server must be embedded or real, not "mine"'],
    [["--server=real", "--update"], "--update is for the embedded server"],
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
  for (const option of ["manager", "ours", "server", "fast", "passing", "update", "list", "procs", "timeout", "help"]) {
    expect(help).toContain(`--${option}`);
  }
});
