import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { plant } from "@kubeloop/simulation-suite";
import { expect, test } from "vitest";
import { foundBugs } from "./planted-bugs.contract.ts";

// Whether they are noticed takes longer: planted-bugs.slow.test.ts.
test.each(foundBugs)("can still be planted: $name", async ({ name, file, edits }) => {
  const text = await readFile(join(import.meta.dirname, "../../../../core/src", file), "utf8");
  expect(plant(name, text, edits)).not.toBe(text);
});

test("there are some of informers and some of the server", () => {
  expect(foundBugs).toHaveLength(7);
});
