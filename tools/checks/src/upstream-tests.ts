// Which of client-go's tests our tests answer to. `tools/checks/data/upstream-tests.json` names upstream's tests, by package
// and file; each part of ours keeps beside its code (`upstream-tests/*.json`) which tests of ours show the same behaviour,
// or why it does not apply here. `docs/upstream-tests.md` is the same as a table for people.
//
// Promise: a section that is shown has a row for each of its names; at most a tenth do not apply; and after a run every
// test that a row names has run and passed.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { listFiles, readFiles, repositoryRoot } from "./repository.ts";

export const upstreamTablePath = "docs/upstream-tests.md";
const namesPath = "tools/checks/data/upstream-tests.json";

/** The packages of client-go whose every test is answered; those of later parts join as the parts do. */
export const shownSections: readonly string[] = [
  "tools/cache",
  "tools/cache/synctrack",
  "util/workqueue",
  "tools/leaderelection",
  "tools/leaderelection/resourcelock",
  "tools/record",
  "tools/events",
];

export interface OurTest {
  readonly file: string;
  /** The titles of suites and test, joined by " > ". */
  readonly test: string;
}

/** One of upstream's tests: shown by these of ours, or not, and why. */
export interface UpstreamRow {
  /** `package/file TestName`. */
  readonly upstream: string;
  readonly ours?: readonly OurTest[];
  readonly doesNotApply?: string;
}

type UpstreamNames = { readonly [section: string]: { readonly [file: string]: readonly string[] } };

export function readUpstreamNames(): UpstreamNames {
  return JSON.parse(readFileSync(join(repositoryRoot, namesPath), "utf8")) as UpstreamNames;
}

export function readUpstreamRows(): readonly UpstreamRow[] {
  const paths = listFiles(".json").filter((path) => /^packages\/core\/.*\/upstream-tests\/[^/]+\.json$/.test(path));
  return readFiles(paths).flatMap(({ text }) => JSON.parse(text) as UpstreamRow[]);
}

/** What is wrong with the rows themselves: unknown names, names without a row, rows that say nothing. */
export function findRowFaults(
  names: UpstreamNames,
  rows: readonly UpstreamRow[],
  sections: readonly string[],
): readonly string[] {
  const known = new Set(Object.keys(names).flatMap((section) => namesOf(names, section)));
  const answered = new Set(rows.map((row) => row.upstream));
  const wanted = sections.flatMap((section) => namesOf(names, section));
  const away = rows.filter((row) => row.doesNotApply !== undefined && wanted.includes(row.upstream)).length;
  return [
    ...rows.filter((row) => !known.has(row.upstream)).map((row) => `upstream has no test "${row.upstream}"`),
    ...rows.filter(saysNothing).map((row) => `"${row.upstream}" has neither a test of ours nor a reason`),
    ...wanted.filter((name) => !answered.has(name)).map((name) => `"${name}" has no row`),
    ...(away * 10 > wanted.length ? [`${away} of ${wanted.length} do not apply: more than a tenth`] : []),
  ];
}

function saysNothing({ ours = [], doesNotApply = "" }: UpstreamRow): boolean {
  return (ours.length === 0) === (doesNotApply === "");
}

function namesOf(names: UpstreamNames, section: string): readonly string[] {
  const files = Object.entries(names[section] ?? {});
  return files.flatMap(([file, tests]) => tests.map((test) => `${section}/${file} ${test}`));
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

/** Tests that rows name and that no report of vitest's shows as passed. Only files of the given kind are looked for. */
export function findUnshownTests(
  rows: readonly UpstreamRow[],
  reports: readonly string[],
  isWanted: (file: string) => boolean,
): readonly string[] {
  const passed = new Set<string>();
  for (const report of reports) {
    for (const file of (JSON.parse(report) as Report).testResults) {
      const path = relative(repositoryRoot, file.name).replaceAll("\\", "/");
      for (const { ancestorTitles, title, status } of file.assertionResults) {
        if (status === "passed") passed.add(`${path} ${[...ancestorTitles, title].join(" > ")}`);
      }
    }
  }
  return rows.flatMap(({ upstream, ours = [] }) =>
    ours
      .filter(({ file, test }) => isWanted(file) && !passed.has(`${file} ${test}`))
      .map(({ file, test }) => `${upstream}: ${file} "${test}" did not run or did not pass`),
  );
}

/** The table for people. */
export function printUpstreamTable(names: UpstreamNames, rows: readonly UpstreamRow[]): string {
  const byName = new Map<string, UpstreamRow[]>();
  for (const row of rows) byName.set(row.upstream, [...(byName.get(row.upstream) ?? []), row]);
  const sections = Object.keys(names).filter((section) => namesOf(names, section).some((name) => byName.has(name)));
  const parts = sections.map((section) => {
    const lines = namesOf(names, section).map(
      (name) => `| ${shortName(section, name)} | ${answerTo(byName.get(name))} |`,
    );
    return `## ${section}\n\n| client-go's test | shown by |\n|---|---|\n${lines.join("\n")}\n`;
  });
  return `${tableHead}\n${parts.join("\n")}`;
}

function shortName(section: string, name: string): string {
  const [file = "", test = ""] = name.slice(section.length + 1).split(" ");
  return `${file} · ${test.replaceAll("_", "\\_")}`;
}

function answerTo(rows: readonly UpstreamRow[] = []): string {
  const answers = rows.flatMap(({ ours = [], doesNotApply }) => [
    ...ours.map(({ file, test }) => `\`${file.split("/").at(-1)}\`: ${escapeCell(test)}`),
    ...(doesNotApply === undefined ? [] : [`does not apply: ${escapeCell(doesNotApply)}`]),
  ]);
  return answers.length === 0 ? "not yet" : answers.join("<br>");
}

function escapeCell(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("*", "\\*");
}

const tableHead = `# client-go's tests and ours

Each of client-go's tests names a behaviour. This table says which of our tests show it, or why it does not apply to us.
It is written by \`npm run upstream-tests\` from the \`upstream-tests\` folders beside the code; \`npm run check\` fails when a
name has no row, or when a test that a row names did not run and pass.
`;
