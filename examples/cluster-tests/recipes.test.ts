// The recipe for node:test, as docs/testing.md shows it; that for Vitest is a test by itself.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

test("node:test has a cluster for a file of tests", async () => {
  const { NODE_TEST_CONTEXT: _none, ...env } = process.env;
  const args = ["--test", "--test-reporter=tap", join(import.meta.dirname, "node-test.mjs")];
  const { stdout } = await run(process.execPath, args, { env });
  expect(stdout).toMatch(/^# pass 1$/m);
});
