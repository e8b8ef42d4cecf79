// `npm run test:conformance [-- classes or patterns]`: finds or builds e2e.test, starts a control plane for it, runs the chosen specs, and
// compares what became of them with the table.
//
// Exit status: zero when every spec that passes in the table passed, and also where Go is missing, which it says in one sentence. Anything else
// is a failure: a spec that passed and does not, a spec of which the run says nothing though the table has it as passing, a suite that did not start.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@kubeloop/core/base";
import { type Binaries, pathOf, SupervisedProcess } from "@kubeloop/real-cluster";
import { ConformanceError } from "./conformance-error.ts";
import { ControlPlane } from "./control-plane.ts";
import { ginkgoArguments, readReport, reportName, type SuiteReport } from "./ginkgo.ts";
import { type ConformanceOptions, help, parseOptions } from "./options.ts";
import { withTable } from "./page.ts";
import { printRun } from "./print-run.ts";
import { findPrograms } from "./programs.ts";
import {
  type Comparison,
  compare,
  isLeftOut,
  readTable,
  reasonOf,
  type SpecRow,
  selectRows,
  withOutcomes,
  writeTable,
} from "./spec-table.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const logs = join(root, ".cache/conformance");
const results = join(root, ".cache/test-results");
const pagePath = join(root, "docs/conformance.md");
const say = (sentence: string) => console.log(`conformance: ${sentence}`);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const options = parseOptions(args);
  if (options.help) {
    console.log(help);
    return 0;
  }
  const table = await readTable();
  const rows = chosenRows(table, options);
  if (rows.length === 0)
    throw new ConformanceError("no spec is called so; --list shows what a word chooses", { reason: "Usage" });
  if (options.list) {
    for (const row of rows) console.log([row.class, row.result, row.spec, reasonOf(row) ?? ""].join("\t"));
    return 0;
  }
  const binaries = await findPrograms({ env: process.env, say }, signal);
  if (binaries === undefined) return 0;
  const beganMs = systemClock.monotonic();
  const report = await runSuite(rows, options, binaries, signal);
  const took = Math.round((systemClock.monotonic() - beganMs) / 1000);
  const comparison = compare(rows, report.outcomes);
  if (options.update) {
    const updated = withOutcomes(table, report.outcomes);
    await writeTable(updated);
    await writeFile(pagePath, withTable(await readFile(pagePath, "utf8"), updated));
    say("the table and docs/conformance.md are written");
  }
  await writeCounts(rows, comparison);
  for (const line of printRun({ rows, report, comparison, isUpdated: options.update })) console.log(line);
  say(`${rows.length} specs in ${took} s; the logs are in ${logs}`);
  return comparison.lost.length > 0 || report.suiteFailure !== undefined ? 1 : 0;
}

function chosenRows(table: readonly SpecRow[], { words, fast, passing }: ConformanceOptions): readonly SpecRow[] {
  const named =
    words.length === 0 ? selectRows(table, ["A"]).filter((row) => !isLeftOut(row)) : selectRows(table, words);
  return named.filter((row) => (!fast || row.fast === true) && (!passing || row.result === "pass"));
}

/** For the closing line of `.ci/run`, in the form of vitest's reports: what the table expects to fail counts as left out. */
async function writeCounts(rows: readonly SpecRow[], { lost, won }: Comparison): Promise<void> {
  const numPassedTests = rows.filter(({ result }) => result === "pass").length - lost.length + won.length;
  const numPendingTests = rows.length - numPassedTests - lost.length;
  const report = { numPassedTests, numFailedTests: lost.length, numPendingTests };
  await mkdir(results, { recursive: true });
  await writeFile(join(results, `conformance-node${process.versions.node.split(".")[0]}.json`), JSON.stringify(report));
}

async function runSuite(
  rows: readonly SpecRow[],
  options: ConformanceOptions,
  binaries: Binaries,
  signal: AbortSignal,
): Promise<SuiteReport> {
  const { procs, timeoutMinutes, fast, server } = options;
  // Whatever asks something of a node can be judged only where there are nodes.
  const ours = options.ours || rows.some((row) => row.class !== "A");
  const manager = ours ? "ours" : options.manager;
  const specs = rows.map(({ spec }) => spec);
  await rm(logs, { recursive: true, force: true });
  await mkdir(logs, { recursive: true });
  await using plane = await ControlPlane.open({ binaries, manager, ours, server, logs }, signal);
  say(
    `running ${specs.length} specs, ${procs} at a time, with ${whose(manager, ours)}${server === "real" ? " on a real kube-apiserver" : ""}`,
  );
  const logPath = join(logs, "ginkgo.log");
  const flags = ginkgoArguments({
    suite: pathOf(binaries, "e2e.test"),
    kubectl: pathOf(binaries, "kubectl"),
    kubeconfig: plane.kubeconfig,
    folder: logs,
    specs,
    procs,
    timeoutMinutes,
    // Where few specs run in a busy place, one that passes the second time is told of and is no failure.
    attempts: fast ? 2 : 1,
  });
  const ginkgo = await SupervisedProcess.start({
    path: pathOf(binaries, "ginkgo"),
    flags,
    logPath,
    folder: logs,
    throwAwayFolder: join(logs, "nothing"),
  });
  const stop = () => void ginkgo.stop(20_000);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await ginkgo.exited;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  return readReport(await readReportFile(logPath), specs);
}

async function readReportFile(logPath: string): Promise<string> {
  try {
    return await readFile(join(logs, reportName), "utf8");
  } catch (cause) {
    const printed = (await readFile(logPath, "utf8")).split("\n").slice(-20).join("\n");
    throw new ConformanceError(`ginkgo left no report; it printed:\n${printed}`, { reason: "NoReport", cause });
  }
}

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));
process.once("SIGTERM", () => interrupted.abort(new Error("interrupted")));
process.exitCode = await main(process.argv.slice(2), interrupted.signal).catch((error: unknown) => {
  console.error(`conformance: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});

function whose(manager: ConformanceOptions["manager"], ours: boolean): string {
  if (ours) return "our controller manager, scheduler and nodes";
  return `${manager === "ours" ? "our" : "upstream's"} controller manager`;
}
