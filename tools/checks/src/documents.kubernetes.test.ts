// The documents' snippets that need a real cluster: each exports a function of a signal, which is called here. That they
// compile is checked with all others, in documents.test.ts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeBlocks } from "./documents.ts";
import { readFiles, repositoryRoot } from "./repository.ts";

const snippets = readFiles(["docs/real-cluster.md"])
  .flatMap(codeBlocks)
  .filter((block) => block.language === "ts");

test("there are some", () => expect(snippets.length).toBeGreaterThan(0));

for (const block of snippets) {
  test(`${block.path}:${block.line} works against a real cluster`, async () => {
    const folder = join(repositoryRoot, ".cache/kubernetes-snippets");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `line-${block.line}.ts`);
    writeFileSync(file, block.text);
    const exported = Object.values(
      (await import(/* @vite-ignore */ file)) as Record<string, (signal: AbortSignal) => unknown>,
    );
    expect(exported.length).toBeGreaterThan(0);
    for (const run of exported) expect(await run(new AbortController().signal)).toBeTruthy();
  });
}
