import { expect, test } from "vitest";
import { alignTabs } from "./align-tabs.ts";

for (const [what, text, aligned] of [
  ["a column is as wide as its widest cell and two spaces", "a\tb\nlong\tc\n", "a     b\nlong  c\n"],
  ["a line without the column ends its block", "a\tb\nnothing\nlong\tc\n", "a  b\nnothing\nlong  c\n"],
  ["the last cell of a line is not padded", "a\tvery long\nb\tc\td\n", "a  very long\nb  c  d\n"],
  ["an inner block lies inside of the outer one", "a\tb\tc\nd\tlong\te\nf\tg\n", "a  b     c\nd  long  e\nf  g\n"],
  ["an empty cell has its width", "\tb\nlong\tc\n", "      b\nlong  c\n"],
  ["an empty column has two spaces", "\tb\n\tc\n", "  b\n  c\n"],
  ["characters count, not their units", "ü\tb\n😀\tc\naaa\td\n", "ü    b\n😀    c\naaa  d\n"],
  ["a form feed ends a line and all columns", "a\tb\flong\tc\n", "a  b\nlong  c\n"],
  ["a vertical tab ends a cell, too", "a\vb\nlong\tc\n", "a     b\nlong  c\n"],
  ["a text without a last newline stays so", "a\tb", "a  b"],
  ["no text", "", ""],
] as const) {
  test(what, () => expect(alignTabs(text)).toBe(aligned));
}
