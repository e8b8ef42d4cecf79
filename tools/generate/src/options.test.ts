import { expect, test } from "vitest";
import { parseOptions } from "./options.ts";

test("without arguments nothing is asked for", () => {
  expect(parseOptions([])).toEqual({
    ...{ openapi: undefined, discovery: undefined, server: undefined, tokenFile: undefined, ca: undefined },
    ...{ out: undefined, check: false, help: false },
  });
});

test("every option is understood", () => {
  expect(parseOptions(["--openapi", "a", "--discovery=b", "--out", "c", "--check"])).toMatchObject({
    ...{ openapi: "a", discovery: "b", out: "c", check: true },
  });
  expect(parseOptions(["--server", "https://x", "--token-file", "t", "--ca", "c"])).toMatchObject({
    ...{ server: "https://x", tokenFile: "t", ca: "c" },
  });
});

for (const [fact, argv, message] of [
  ["an unknown option", ["--speed"], /^unknown option '--speed'$/],
  ["an option without its value", ["--out"], /^option '--out <value>' argument missing$/],
  ["a stray word", ["out"], /^unexpected argument 'out'/],
  ["one file without the other", ["--openapi", "a"], /^--openapi and --discovery must be given together$/],
  ["a server beside files", ["--server", "http://x", "--openapi", "a", "--discovery", "b"], /^--server cannot be/],
  ["credentials without a server", ["--ca", "a"], /^--token-file and --ca need --server$/],
  ["a server that is no URL", ["--server", "x:6443"], /^--server must be an http or https URL, got x:6443$/],
] as const) {
  test(`${fact} is refused in one sentence`, () => expect(() => parseOptions(argv)).toThrow(message));
}
