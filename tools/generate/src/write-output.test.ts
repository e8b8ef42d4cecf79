import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { header } from "./output.ts";
import { differingFiles, writeOutput } from "./write-output.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "generate-"));
});
afterEach(() => rm(folder, { recursive: true }));

const files = new Map([
  ["a.ts", `${header}a`],
  ["deep/er/b.ts", `${header}b`],
]);

test("what is missing differs, is written once, and then does not differ", async () => {
  expect(await differingFiles(folder, files)).toEqual(["a.ts", "deep/er/b.ts"]);
  expect(await writeOutput(folder, files)).toEqual(["a.ts", "deep/er/b.ts"]);
  expect(await writeOutput(folder, files)).toEqual([]);
  expect(await readFile(join(folder, "deep/er/b.ts"), "utf8")).toBe(`${header}b`);
});

test("our own left-over file is removed, a stranger's is left alone", async () => {
  await writeOutput(folder, files);
  await writeFile(join(folder, "old.ts"), `${header}old`);
  await writeFile(join(folder, "stranger.ts"), "mine");
  expect(await writeOutput(folder, files)).toEqual(["old.ts"]);
  expect(await readFile(join(folder, "stranger.ts"), "utf8")).toBe("mine");
});

test("a folder that does not exist yet is empty", async () => {
  expect(await differingFiles(join(folder, "none"), files)).toEqual(["a.ts", "deep/er/b.ts"]);
});
