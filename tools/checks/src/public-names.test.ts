import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exportedNames, listSubpaths, printRecord, recordPath } from "./public-names.ts";
import { packageNames, repositoryRoot } from "./repository.ts";

test("the public names are those on record (npm run public-names, and review the change)", () => {
  expect(printRecord()).toBe(readFileSync(join(repositoryRoot, recordPath), "utf8"));
});

test("every package is on record, patterns written out", () => {
  const specifiers = listSubpaths().map((subpath) => subpath.specifier);
  expect(specifiers).toContain("@kubeloop/core/base");
  expect(specifiers).toContain("@kubeloop/core/types/core/v1");
  expect(new Set(specifiers.map((name) => name.split("/").slice(0, 2).join("/"))).size).toBe(packageNames.length);
});

describe("what counts as an exported name", () => {
  for (const [text, expected] of [
    ['export { a, type B, c as d } from "./x.ts";', ["a", "d", "type B"]],
    ['export type { A } from "./x.ts";', ["type A"]],
    ['export type * as corev1 from "./x.ts";', ["type corev1"]],
    ["export interface A {}\nexport type B = 1;\nexport const c = 1;", ["c", "type A", "type B"]],
    ["export function a() {}\nexport async function b() {}\nexport class C {}", ["C", "a", "b"]],
    ["// export const a = 1;\nconst b = 'export const c';", []],
  ] as const) {
    test(text.replaceAll("\n", " "), () => expect(exportedNames(text)).toEqual(expected));
  }
});
