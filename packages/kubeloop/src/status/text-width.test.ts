import { expect, test } from "vitest";
import { columnsOf, rowsOf } from "./text-width.ts";

test.each([
  ["a", 1],
  ["é", 1],
  ["…", 1],
  ["·", 1],
  ["ж", 1],
  ["❤", 1],
  ["漢", 2],
  ["か", 2],
  ["ｶ", 1],
  ["한", 2],
  ["Ａ", 2],
  ["𠮷", 2],
  ["🚀", 2],
  ["⌚", 2],
  ["\u{1f1e9}", 1],
  ["\u0301", 0],
  ["\u200d", 0],
  ["\ufe0f", 0],
])("%s is %i columns wide", (character, width) => {
  expect(columnsOf(character)).toBe(width);
});

test.each([
  ["", 10, 1],
  ["0123456789", 10, 1],
  ["0123456789a", 10, 2],
  ["漢漢漢漢漢", 10, 1],
  ["漢漢漢漢漢a", 10, 2],
  ["a漢漢漢漢漢", 10, 2],
  ["漢漢漢", 3, 3],
  ["e\u0301".repeat(10), 10, 1],
  ["🚀".repeat(11), 10, 3],
  ["漢", 1, 1],
  ["abc", 0, 3],
])("%s takes in %i columns %i rows", (text, columns, rows) => {
  expect(rowsOf(text, columns)).toBe(rows);
});
