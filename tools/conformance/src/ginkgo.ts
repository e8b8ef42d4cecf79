// How the suite is called, and what its report says. ginkgo shares the specs out among processes of e2e.test and runs those that are marked as
// serial alone, after the others.
import { ConformanceError } from "./conformance-error.ts";
import type { Outcome, Outcomes } from "./spec-table.ts";

export interface SuiteCall {
  /** The paths of e2e.test and kubectl. */
  readonly suite: string;
  readonly kubectl: string;
  readonly kubeconfig: string;
  /** Where the report and what specs write by the way go. */
  readonly folder: string;
  readonly specs: readonly string[];
  readonly procs: number;
  readonly timeoutMinutes: number;
  /** How often a spec may fail before it has failed. */
  readonly attempts: number;
}

export const reportName = "report.json";

/** What follows `ginkgo`. */
export function ginkgoArguments(call: SuiteCall): readonly string[] {
  return [
    `--procs=${call.procs}`,
    "--no-color",
    "--keep-going",
    `--timeout=${call.timeoutMinutes}m`,
    `--flake-attempts=${call.attempts}`,
    `--focus=${focusOf(call.specs)}`,
    `--output-dir=${call.folder}`,
    `--json-report=${reportName}`,
    call.suite,
    "--",
    "--provider=skeleton",
    `--kubeconfig=${call.kubeconfig}`,
    `--kubectl-path=${call.kubectl}`,
    `--e2e-output-dir=${call.folder}`,
    "--dump-logs-on-failure=false",
    "--disable-log-dump=true",
  ];
}

/** A pattern that matches these specs only. ginkgo puts the name of the suite before that of the spec. */
export function focusOf(specs: readonly string[]): string {
  const escaped = specs.map((spec) => spec.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return `^Kubernetes e2e suite (?:${escaped.join("|")})$`;
}

export interface SuiteReport {
  readonly outcomes: Outcomes;
  /** How long each spec took that ran. */
  readonly seconds: ReadonlyMap<string, number>;
  /** Those that passed only when they were tried again. */
  readonly flaky: readonly string[];
  /** What went wrong before the first spec or after the last, if anything. */
  readonly suiteFailure: string | undefined;
}

interface SpecReport {
  readonly ContainerHierarchyTexts?: readonly string[] | null;
  readonly LeafNodeType?: string;
  readonly LeafNodeText?: string;
  readonly State?: string;
  readonly RunTime?: number;
  readonly NumAttempts?: number;
  readonly Failure?: { readonly Message?: string };
}

/** Takes the text of ginkgo's JSON report apart. Only the specs that were asked for are looked at. */
export function readReport(text: string, specs: readonly string[]): SuiteReport {
  const asked = new Set(specs);
  const outcomes = new Map<string, Outcome>();
  const seconds = new Map<string, number>();
  const flaky: string[] = [];
  let suiteFailure: string | undefined;
  for (const report of specReportsOf(text)) {
    const name = [...(report.ContainerHierarchyTexts ?? []), report.LeafNodeText ?? ""].join(" ");
    const message = firstLine(report.Failure?.Message ?? "");
    if (report.LeafNodeType !== "It") {
      if (isFailed(report.State)) suiteFailure ??= `${report.LeafNodeType}: ${message}`;
      continue;
    }
    const outcome = outcomeOf(report.State, message);
    if (!asked.has(name) || outcome === undefined) continue;
    outcomes.set(name, outcome);
    seconds.set(name, (report.RunTime ?? 0) / 1e9);
    if (outcome.result === "pass" && (report.NumAttempts ?? 1) > 1) flaky.push(name);
  }
  return { outcomes, seconds, flaky, suiteFailure };
}

function specReportsOf(text: string): readonly SpecReport[] {
  const suites = JSON.parse(text) as readonly { readonly SpecReports?: readonly SpecReport[] | null }[];
  if (!Array.isArray(suites))
    throw new ConformanceError("ginkgo's report is no list of suites", { reason: "NoReport" });
  return suites.flatMap(({ SpecReports }) => SpecReports ?? []);
}

const isFailed = (state: string | undefined) =>
  state === "failed" || state === "panicked" || state === "timedout" || state === "aborted";

/** None for a spec that was cut off: nobody knows what would have become of it. */
function outcomeOf(state: string | undefined, message: string): Outcome | undefined {
  if (state === "passed") return { result: "pass" };
  if (state === "skipped" && message !== "") return { result: "skip", message };
  if (state === "failed" || state === "panicked" || state === "timedout") return { result: "fail", message };
  return undefined;
}

const longestMessage = 200;

/** The first line with anything in it, cut to a length that a table can hold. */
function firstLine(message: string): string {
  const line = message.split("\n").find((each) => each.trim() !== "") ?? "";
  return line.trim().slice(0, longestMessage);
}
