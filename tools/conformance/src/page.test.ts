import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { printTable, withTable } from "./page.ts";
import { classes, isSpecClass, readTable, reasonOf, type SpecRow } from "./spec-table.ts";

const table = await readTable();
const page = await readFile(new URL("../../../docs/conformance.md", import.meta.url), "utf8");

test("docs/conformance.md has the table as it is: npm run test:conformance -- --update writes it", () => {
  expect(page).toBe(withTable(page, table));
});

test("no fewer specs pass than ever before: raise this number with the table", () => {
  expect(table.filter(({ result }) => result === "pass").length).toBeGreaterThanOrEqual(176);
});

test("the README has the number", async () => {
  const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  expect(readme).toContain(`${table.filter(({ result }) => result === "pass").length} of the 446 specs`);
});

test("the table has the 446 specs of the suite, each once and in a class that there is", () => {
  expect(table).toHaveLength(446);
  expect(new Set(table.map(({ spec }) => spec)).size).toBe(446);
  expect(table.filter((row) => !isSpecClass(row.class))).toEqual([]);
});

test("every spec that does not pass says why", () => {
  expect(table.filter((row) => row.result !== "pass" && reasonOf(row) === undefined).map(({ spec }) => spec)).toEqual(
    [],
  );
});

test("the fast ones pass, and are a few dozens", () => {
  const fast = table.filter((row) => row.fast === true);
  expect(fast.filter(({ result }) => result !== "pass")).toEqual([]);
  expect(fast.length).toBeGreaterThan(24);
});

describe("printTable", () => {
  const row = (spec: string, more: Partial<SpecRow>): SpecRow => ({
    class: "A",
    file: "a.go",
    spec,
    result: "pass",
    ...more,
  });
  const text = printTable([
    row("[sig-a] one", {}),
    row("[sig-a] two", { result: "fail", reason: "needs custom resources" }),
    row("[sig-a] three", { result: "not run", reason: "needs custom resources" }),
    row("[sig-a] four", { class: "Z", result: "not run" }),
  ]);
  test("counts each class, and all", () => {
    expect(text).toContain(`| A | ${classes.A} | 3 | 1 | 1 | 1 |`);
    expect(text).toContain(`| Z | ${classes.Z} | 1 | 0 | 0 | 1 |`);
    expect(text).toContain("| all |  | 4 | 1 | 1 | 2 |");
  });
  test("names what class A lacks, by reason, and nothing of other classes", () => {
    expect(text.split("## What classes A and S lack\n")[1]).toBe(
      "\n2 specs: needs custom resources\n\n- \\[sig-a\\] two (fail)\n- \\[sig-a\\] three (not run)\n",
    );
  });
  test("a page that has lost its marks is a fault", () => {
    expect(() => withTable("# nothing", [])).toThrow("has lost its lines");
  });
});
