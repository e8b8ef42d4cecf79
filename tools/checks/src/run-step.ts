// One step of a check: a command whose output is the user's, timed, its failure the check's.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { systemClock } from "@kubeloop/core/base";
import { repositoryRoot } from "./repository.ts";

const startMs = systemClock.monotonic();

/** Runs a Node program of this workspace; ends this process with its code when it fails. */
export function runStep(name: string, program: string, args: readonly string[]): void {
  const stepMs = systemClock.monotonic();
  const result = spawnSync(process.execPath, [join(repositoryRoot, "node_modules", program), ...args], {
    cwd: repositoryRoot,
    stdio: "inherit",
  });
  const seconds = (systemClock.monotonic() - stepMs) / 1000;
  if (result.status !== 0) {
    console.error(`${name}: failed after ${seconds.toFixed(1)} s`);
    process.exit(result.status ?? 1);
  }
  console.log(`${name}: ok, ${seconds.toFixed(1)} s`);
}

/** Those that mostly compute use every core; vitest would leave one idle, which of two is half of them. */
const computing = ["unit", "slow", "long"];

/** Runs one of vitest's projects, or those of its files whose path has one of the words in it; its counts are kept for the closing line. */
export function runTests(project: string, words: readonly string[] = []): void {
  runStep(`${project} tests`, "vitest/vitest.mjs", [
    "run",
    ...words,
    "--project",
    project,
    ...(computing.includes(project) ? ["--maxWorkers=100%"] : []),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${join(repositoryRoot, ".cache/test-results", `${project}-node${nodeMajor}.json`)}`,
  ]);
}

const nodeMajor = process.versions.node.split(".")[0] ?? "";

export function sayDone(what: string): void {
  console.log(`${what}: ok, ${((systemClock.monotonic() - startMs) / 1000).toFixed(1)} s`);
}
