// Every TypeScript snippet in the documents compiles and runs and prints what it says; every command is run by some test. Those that show
// a part of a file are held to it by tutorial.test.ts.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { documentedCommands } from "./documented-commands.ts";
import { type CodeBlock, codeBlocks, commandsOf, promisedOutput } from "./documents.ts";
import { listFiles, readFiles, repositoryRoot } from "./repository.ts";

const documents = readFiles(listFiles(".md"));
const blocks = documents.flatMap(codeBlocks);
const snippets = blocks.filter((block) => block.language === "ts" && block.from === undefined);
const folder = join(repositoryRoot, ".cache/snippets");
const fileOf = (block: CodeBlock) => join(folder, `${block.path.replaceAll(/[^\w]+/g, "-")}-${block.line}.ts`);

describe("TypeScript snippets", () => {
  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    // A module of its own each, so that names do not clash.
    for (const block of snippets) writeFileSync(fileOf(block), `${block.text}export {};\n`);
    const options = { noEmit: true, composite: false, declaration: false, noUnusedLocals: false };
    const config = { extends: "../../tsconfig.base.json", compilerOptions: options, include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  });

  test("there are some", () => expect(snippets.length).toBeGreaterThan(2));

  test("all compile, as strictly as our own sources", { timeout: 60_000 }, () => {
    const tsc = join(repositoryRoot, "node_modules/typescript/bin/tsc");
    try {
      execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
    } catch (error) {
      expect(String((error as { stdout?: string }).stdout)).toBe("");
      throw error;
    }
  });

  for (const block of snippets) {
    test(`${block.path}:${block.line} runs and prints what it says`, async () => {
      const printed: string[] = [];
      const spy = vi.spyOn(console, "log").mockImplementation((...values) => {
        printed.push(values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" "));
      });
      try {
        await import(/* @vite-ignore */ fileOf(block));
      } finally {
        spy.mockRestore();
      }
      expect(printed).toEqual(promisedOutput(block));
    });
  }
});

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
  const known = ["ts", "sh", "text", "json", "yaml"];
  expect(
    blocks.filter((block) => !known.includes(block.language)).map((block) => `${block.path}:${block.line}`),
  ).toEqual([]);
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
