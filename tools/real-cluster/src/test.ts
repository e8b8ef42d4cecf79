// What `npm run test:kubernetes` runs: finds or builds the programs, saying what it does, then runs the suites that need a
// real cluster: all of them, or with `--suite cluster` or `--suite differential` a part. Extra arguments go to vitest.
//
// Exit status: zero when tests ran and passed, and also where there is nothing to run them with (no Go, no programs), which
// it says in one sentence. Anything else is a failure, and so are zero tests: a suite that did not run has not passed.
// Suites that need a client which only Go can build (`*.go.kubernetes.test.ts`) are left out, and named, where Go is missing.
import { spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@kubeloop/core/base";
import { BinariesMissingError, findBinaries } from "./binaries.ts";
import { hasCode } from "./errors.ts";
import { clusterPrograms, foreignClients } from "./programs.ts";
import { filesOfSuite, findTestFiles, takeSuite, withoutGo } from "./test-files.ts";
import { countRun } from "./test-report.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const say = (sentence: string) => console.log(`real cluster: ${sentence}`);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { suite, rest } = takeSuite(args);
  const beganMs = systemClock.monotonic();
  try {
    await findBinaries(clusterPrograms, { mayBuild: true, say }, signal);
  } catch (error) {
    if (!(error instanceof BinariesMissingError)) throw error;
    if (error.hasGo || error.isAnythingThere) throw error;
    say(`the real-cluster suite was not run: ${error.message}`);
    return 0;
  }
  const all = await findTestFiles(root);
  const files = suite === undefined ? all : filesOfSuite(suite, all);
  const words = suite === undefined ? rest : [...files, ...rest];
  const chosen = (await hasForeignClients(signal)) ? words : withoutGo(words, files);
  const run = suite === undefined ? "kubernetes" : `kubernetes-${suite}`;
  const reportPath = join(root, `.cache/test-results/${run}-node${process.versions.node.split(".")[0]}.json`);
  await mkdir(dirname(reportPath), { recursive: true });
  await rm(reportPath, { force: true });
  const reports = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
  const status = await runVitest([...chosen, ...reports]);
  const count = countRun(await readReport(reportPath));
  say(
    `${count} tests ran in ${Math.round((systemClock.monotonic() - beganMs) / 1000)} s; vitest's status is ${status}`,
  );
  if (count > 0) return status;
  say("no test ran, which is a failure where a real cluster can be had");
  return status === 0 ? 1 : status;
}

/** Builds them where it can. Where it cannot, says which suites will be missing. */
async function hasForeignClients(signal: AbortSignal): Promise<boolean> {
  try {
    await findBinaries(foreignClients, { mayBuild: true, say }, signal);
    return true;
  } catch (error) {
    if (!(error instanceof BinariesMissingError) || error.hasGo) throw error;
    say(`the suites *.go.kubernetes.test.ts were not run: ${error.message}`);
    return false;
  }
}

function runVitest(args: readonly string[]): Promise<number> {
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  return new Promise((resolve, reject) => {
    // Every core: most of the time goes by in waiting for servers.
    const options = ["run", "--project", "kubernetes", "--maxWorkers=100%"];
    const child = spawn(process.execPath, [vitest, ...options, ...args], {
      cwd: root,
      stdio: "inherit",
    });
    child.once("error", reject);
    child.once("exit", (status) => resolve(status ?? 1));
  });
}

async function readReport(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined; // vitest ended before it had anything to report
    throw error;
  }
}

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));
process.exitCode = await main(process.argv.slice(2), interrupted.signal).catch((error: unknown) => {
  console.error(`real cluster: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
