import { expect, test } from "vitest";
import { pemBlocks } from "./pem-blocks.ts";

const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const shown = (text: string) => pemBlocks(text).map(({ type, hasHeaders, der }) => [type, hasHeaders, der.toString()]);

test.each<readonly [string, string, unknown]>([
  ["nothing", "", []],
  ["text that is none", "nonsense", []],
  ["a block", block("A", "YQ=="), [["A", false, "a"]]],
  ["a block in the middle of text", `b\n${block("A", "YQ==")}c`, [["A", false, "a"]]],
  [
    "two blocks",
    block("A", "YQ==") + block("B", "Yg=="),
    [
      ["A", false, "a"],
      ["B", false, "b"],
    ],
  ],
  ["a block with headers", block("A", "k: v\n\nYQ=="), [["A", true, "a"]]],
  ["lines that end as in Windows", block("A", "YQ==").replaceAll("\n", "\r\n"), [["A", false, "a"]]],
  ["a block that is not ended", "-----BEGIN A-----\nYQ==\n", []],
  [
    "a block that is ended as another",
    `-----BEGIN A-----\nYQ==\n-----END B-----\n${block("C", "Yg==")}`,
    [["C", false, "b"]],
  ],
  ["a beginning inside a line", "x-----BEGIN A-----\nYQ==\n-----END A-----\n", []],
])("%s", (_, text, blocks) => {
  expect(shown(text)).toEqual(blocks);
});

test("a text full of beginnings is read once", () => {
  // 3 MB, as large as a body may be: reading it again for each line would not end.
  expect(pemBlocks("-----BEGIN A-----\n".repeat(170_000))).toEqual([]);
});
