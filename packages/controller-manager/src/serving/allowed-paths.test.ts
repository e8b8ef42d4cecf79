import { expect, test } from "vitest";
import { newAllowedPaths } from "./allowed-paths.ts";

test.each([
  [["/healthz"], "/healthz", true],
  [["/healthz"], "/healthz/ping", false],
  [["/healthz"], "/healthz/", false],
  [["/healthz"], "//healthz", false],
  [["healthz"], "/healthz", true],
  [["/open/*"], "/open/door", true],
  [["/open/*"], "/open/", true],
  [["/open/*"], "/open", false],
  [["open*"], "/opener", true],
  [["/"], "/", true],
  [["/"], "/metrics", false],
  [["/*"], "/metrics", true],
  [["*"], "/metrics", true],
  [[""], "/", true],
  [[], "/", false],
] as const)("of %j, %s: %s", (allowed, path, isAllowed) => expect(newAllowedPaths(allowed)(path)).toBe(isAllowed));

test.each(["/a*b", "*/b", "/a/**"])("%s is refused", (path) => {
  expect(() => newAllowedPaths(["/ok", path])).toThrow(`only trailing * allowed in "${path.replace(/^\//, "")}"`);
});
