// Every snippet in the documents runs on this Node, as whoever reads it would run it, and prints what it says: JavaScript as it stands,
// TypeScript as the compiler makes JavaScript of it with the options that the README names. Every command is run by some test. Those that show a
// part of a file are held to it by tutorial.test.ts.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { documentedCommands } from "./documented-commands.ts";
import { type CodeBlock, codeBlocks, commandsOf, promisedOutput } from "./documents.ts";
import { listFiles, readFiles, repositoryRoot } from "./repository.ts";
import type { SnippetRun } from "./run-snippets.ts";

const documents = readFiles(listFiles(".md"));
const blocks = documents.flatMap(codeBlocks);
const snippets = blocks.filter(({ language, from }) => ["ts", "js"].includes(language) && from === undefined);
const typed = snippets.filter(({ language }) => language === "ts");
const folder = join(repositoryRoot, ".cache/snippets");
const nameOf = ({ path, line }: CodeBlock) => `${path.replaceAll(/[^\w]+/g, "-")}-${line}`;
/** What Node is given. */
const programOf = (block: CodeBlock) =>
  block.language === "ts" ? join(folder, "compiled", `${nameOf(block)}.js`) : join(folder, `${nameOf(block)}.mjs`);

describe("snippets", () => {
  let compiler = "";
  const runs = new Map<string, SnippetRun>();

  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, "compiled"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    for (const block of snippets) {
      // A module of its own each, so that names do not clash.
      if (block.language === "ts") writeFileSync(join(folder, `${nameOf(block)}.ts`), `${block.text}export {};\n`);
      else writeFileSync(programOf(block), block.text);
    }
    compiler = compile();
    for (const run of runAll()) runs.set(run.file, run);
  });

  test("there are some, in both languages", () => {
    expect(typed.length).toBeGreaterThan(2);
    expect(snippets.length - typed.length).toBeGreaterThan(2);
  });

  test("the TypeScript ones compile, as strictly as our own sources, with what the README says they need", () => {
    expect(compiler).toBe("");
  });

  for (const block of snippets) {
    test(`${block.path}:${block.line} runs and prints what it says`, () => {
      const { printed, error } = runs.get(programOf(block)) ?? { printed: [], error: "was not run" };
      expect(error).toBeUndefined();
      expect(printed).toEqual(promisedOutput(block));
    });
  }

  for (const path of new Set(blocks.filter(({ language }) => language === "ts").map((block) => block.path))) {
    test(`${path} says that its snippets are TypeScript, and where to read what that needs`, () => {
      const text = documents.find((document) => document.path === path)?.text;
      expect(text).toContain("Snippets here are TypeScript: [what they need](../README.md#snippets).");
    });
  }
});

/** Returns what the compiler complains of. */
function compile(): string {
  const options = {
    target: "ES2022",
    lib: ["ES2022"],
    types: ["node"],
    rootDir: ".",
    outDir: "compiled",
    composite: false,
    declaration: false,
    noUnusedLocals: false,
  };
  const config = { extends: "../../tsconfig.base.json", compilerOptions: options, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  try {
    return execFileSync(process.execPath, [join(repositoryRoot, "node_modules/typescript/bin/tsc"), "-p", folder], {
      encoding: "utf8",
    });
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

/** In one process of plain Node, against the packages as they are built. */
function runAll(): readonly SnippetRun[] {
  const runner = join(repositoryRoot, "tools/checks/dist/run-snippets.js");
  const printed = execFileSync(process.execPath, [runner, ...snippets.map(programOf)], { encoding: "utf8" });
  return printed
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as SnippetRun);
}

describe("commands", () => {
  const commands = blocks
    .filter((block) => block.language === "sh")
    .flatMap((block) => commandsOf(block).map((command) => [`${block.path}:${block.line}`, command] as const));

  for (const [place, command] of commands) {
    test(`${place}: \`${command}\` is run by a test`, () => {
      expect(Object.keys(documentedCommands)).toContain(command);
    });
  }

  test("no test runs a command that no document names any more", () => {
    expect(
      Object.keys(documentedCommands).filter((known) => !commands.some(([, command]) => command === known)),
    ).toEqual([]);
  });
});

test("every code block says what it is, so that none slips by", () => {
  const known = ["ts", "js", "sh", "text", "json", "yaml"];
  // Other languages only as the text of a file, which a test runs.
  const ofFiles = ["python", "go"];
  const isKnown = ({ language, from }: CodeBlock) =>
    known.includes(language) || (from !== undefined && ofFiles.includes(language));
  expect(blocks.filter((block) => !isKnown(block)).map((block) => `${block.path}:${block.line}`)).toEqual([]);
});

describe("taking documents apart", () => {
  const document = {
    path: "x.md",
    text: "a\n```ts\nf(1); // prints: 2\n```\n```sh\n$ npm ci && \\\n  npm test # slow\n# no\n```\n",
  };

  test("blocks know their language and line", () => {
    expect(codeBlocks(document).map(({ language, line }) => [language, line])).toEqual([
      ["ts", 2],
      ["sh", 5],
    ]);
  });

  test("snippets say what they print", () => {
    expect(codeBlocks(document).map(promisedOutput)).toEqual([["2"], []]);
  });

  test("commands come without comments, joined where continued", () => {
    expect(codeBlocks(document).map(commandsOf)[1]).toEqual(["npm ci &&    npm test"]);
  });
});
