// The part of docs/conformance.md that is made of the table: how many specs of each class pass, and why the others of classes A and S do not.
import { classes, countRows, reasonOf, type SpecClass, type SpecRow } from "./spec-table.ts";

const begin = "<!-- made of tools/conformance/data/specs.json by npm run test:conformance -- --update -->";
const end = "<!-- end -->";

/** The page with its made part new. */
export function withTable(page: string, rows: readonly SpecRow[]): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/conformance.md has lost its lines ${begin} and ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${printTable(rows)}\n${page.slice(to)}`;
}

export function printTable(rows: readonly SpecRow[]): string {
  const letters = Object.keys(classes) as SpecClass[];
  const lineOf = (name: string, needs: string, some: readonly SpecRow[]) => {
    const { pass, fail, notRun } = countRows(some);
    return `| ${name} | ${needs} | ${some.length} | ${pass} | ${fail} | ${notRun} |`;
  };
  const counts = [
    "| class | needs of a node | specs | pass | fail | not run |",
    "|---|---|---|---|---|---|",
    ...letters.map((letter) =>
      lineOf(
        letter,
        classes[letter],
        rows.filter((row) => row.class === letter),
      ),
    ),
    lineOf("all", "", rows),
  ];
  const open = rows.filter((row) => ["A", "S"].includes(row.class) && row.result !== "pass");
  const reasonTold = (row: SpecRow) => reasonOf(row) ?? "no reason is written down";
  const reasons = [...new Set(open.map(reasonTold))].sort();
  const left = reasons.flatMap((reason) => {
    const some = open.filter((row) => reasonTold(row) === reason);
    return [
      "",
      `${some.length === 1 ? "One spec" : `${some.length} specs`}: ${reason}`,
      "",
      ...some.map(({ spec, result }) => `- ${spec.replaceAll(/([[\]<>*_])/g, "\\$1")} (${result})`),
    ];
  });
  return [...counts, "", "## What classes A and S lack", ...left, ""].join("\n");
}
