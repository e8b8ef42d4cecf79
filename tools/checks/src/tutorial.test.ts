// Where a document shows a part of a file (the fence names it), it shows what is there, line by line; and the tutorial shows all of the
// sample controller: it is that code.
import { describe, expect, test } from "vitest";
import { codeBlocks } from "./documents.ts";
import { listFiles, readFiles } from "./repository.ts";

const parts = readFiles(listFiles(".md"))
  .flatMap(codeBlocks)
  .flatMap((block) => (block.from === undefined ? [] : [{ ...block, from: block.from }]));
const texts = new Map(readFiles([...new Set(parts.map(({ from }) => from))]).map(({ path, text }) => [path, text]));

describe("parts of files in the documents", () => {
  test("there are some", () => expect(parts.length).toBeGreaterThan(5));

  for (const { path, line, from, text } of parts) {
    test(`${path}:${line} is part of ${from}`, () => {
      expect(`\n${texts.get(from)}`).toContain(`\n${text}`);
    });
  }
});

describe("the first operator", () => {
  const tutorial = parts.filter(({ path }) => path === "docs/first-operator.md");

  for (const file of [
    "foo-crd.yaml",
    "foo-deployment.ts",
    "reconcile-style.ts",
    "run-operator.ts",
    "contract-style.ts",
  ]) {
    test(`all of ${file} is in the tutorial, its imports included`, () => {
      const from = `examples/sample-controller/${file}`;
      const shown = new Set(tutorial.filter((part) => part.from === from).flatMap(({ text }) => text.split("\n")));
      expect(linesOf(texts.get(from) ?? "").filter((line) => !shown.has(line))).toEqual([]);
    });
  }

  // The registry has none of them yet: what is not named here is not found.
  test("a project of one's own installs every package of ours that those it names depend on", () => {
    const [{ text = "" } = {}] = readFiles(["docs/first-operator.md"]);
    const named = [...text.matchAll(/\/tmp\/kubeloop-(?:\{([^}]+)\}-|([a-z-]+)-)?0\.0\.0\.tgz/g)].flatMap(
      ([, several, one]) => several?.split(",") ?? [one ?? "kubeloop"],
    );
    const manifests = readFiles(named.map((name) => `packages/${name}/package.json`));
    const needed = manifests.flatMap((file) =>
      Object.keys((JSON.parse(file.text) as { dependencies?: object }).dependencies ?? {}),
    );
    const ours = needed.filter((name) => name.startsWith("@kubeloop/")).map((name) => name.replace("@kubeloop/", ""));
    expect(new Set(named)).toEqual(new Set([...ours, "kubeloop"]));
  });

  test("a file without its header", () => {
    expect(linesOf('// a\n// b\nimport { x } from "x";\n\nconst z = 1;\n')).toEqual([
      'import { x } from "x";',
      "const z = 1;",
    ]);
  });
});

function linesOf(text: string): readonly string[] {
  const body = text.replace(/^(?:(?:\/\/|#).*\n)*/, "");
  return body.split("\n").filter((line) => line.trim() !== "");
}
