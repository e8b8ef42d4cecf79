// What the documents promise: their code blocks, taken apart so that tests can run every one of them.
import type { SourceFile } from "./repository.ts";

export interface CodeBlock {
  readonly path: string;
  readonly line: number;
  /** The word after the fence: `ts`, `sh`, … Empty when there is none. */
  readonly language: string;
  /** The file that it shows a part of, if the fence names one after the language: such a part is no program of its own. */
  readonly from: string | undefined;
  readonly text: string;
}

export function codeBlocks(document: SourceFile): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = document.text.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const fence = /^\s*```(\S*)(?:[ \t]+(\S+))?/.exec(lines[i] ?? "");
    if (fence === null) continue;
    const start = i + 1;
    do i++;
    while (i < lines.length && !/^\s*```\s*$/.test(lines[i] ?? ""));
    const text = `${lines.slice(start, i).join("\n")}\n`;
    blocks.push({ path: document.path, line: start, language: fence[1] ?? "", from: fence[2], text });
  }
  return blocks;
}

/** What a snippet says it prints: the `// prints: …` at the end of its lines, in order. */
export function promisedOutput(block: CodeBlock): readonly string[] {
  return [...block.text.matchAll(/\/\/ prints: (.*)$/gm)].map((match) => (match[1] ?? "").trim());
}

/** The commands of a shell block: one a line, continued lines joined, comments and empty lines left out. */
export function commandsOf(block: CodeBlock): readonly string[] {
  return block.text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) =>
      line
        .replace(/\s+#.*$/, "")
        .replace(/^\$ /, "")
        .trim(),
    )
    .filter((line) => line !== "" && !line.startsWith("#"));
}
