// The recipes for node:test and Jest, as docs/testing.md shows them; that for Vitest is a test by itself.
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
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

test("Jest has a cluster for a file of tests", async () => {
  const jest = createRequire(import.meta.url).resolve("jest/bin/jest");
  // An installed package is in node_modules and is not translated; here it is beside them.
  const config = {
    rootDir: import.meta.dirname,
    testMatch: ["**/jest-test.cjs"],
    transform: {},
    testEnvironment: "node",
  };
  const { stdout } = await run(process.execPath, [jest, "--ci", "--json", "--config", JSON.stringify(config)]);
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numTotalTests: 1 });
});
