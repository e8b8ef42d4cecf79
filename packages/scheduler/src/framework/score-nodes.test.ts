import { expect, test } from "vitest";
import { pickBest } from "./score-nodes.ts";

test.each<[string, readonly number[], number]>([
  ["a single node is the best", [5], 0],
  ["the highest score wins", [1, 3, 2], 1],
  ["of equal scores the first wins", [7, 7, 7, 7], 0],
  ["of equal children the left one rises", [1, 9, 9], 1],
  ["a tie deeper in the heap goes to the winner of the left branch", [0, 1, 2, 9, 0, 9], 3],
  ["a parent stays above an equal child", [9, 9, 1], 0],
  ["the heap's order is not that of the indexes: what sank first is met first", [5, 1, 8, 8, 8, 2, 3], 3],
])("%s", (_, scores, expected) => {
  expect(pickBest(scores)).toBe(expected);
});
