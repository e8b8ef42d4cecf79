// The recipes for operators in other languages, as docs/testing.md shows them: with this machine's Python and Go.
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const cli = join(import.meta.dirname, "../../packages/kubeloop/dist/bundle/esm/cli.js");
const env = { ...process.env, KUBELOOP: `${process.execPath} ${cli}`, KUBECONFIG: "" };

for (const [language, program, question, args, passed] of [
  ["Python", "python3", "--version", ["-B", "-m", "unittest", "test_web"], /^OK$/m],
  ["Go", "go", "version", ["test", "-count=1", "-v", "./..."], /^--- PASS: TestThreePodsRun/m],
] as const) {
  const isMissing = spawnSync(program, [question]).status !== 0;
  test.skipIf(isMissing)(`in ${language} the tests have a cluster of their own`, async () => {
    const { stdout, stderr } = await run(program, args, { cwd: import.meta.dirname, env });
    expect(stdout + stderr).toMatch(passed);
  });
}
