import type { Query } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { checkLogOptions } from "./log-options.ts";

for (const [what, query, words] of [
  ["lines that are no number", [["tailLines", "x"]], 'strconv.ParseInt: parsing "x": invalid syntax'],
  ["fewer lines than none", [["tailLines", "-1"]], "tailLines: Invalid value: -1: must be greater than or equal to 0"],
  ["no bytes", [["limitBytes", "0"]], "limitBytes: Invalid value: 0: must be greater than 0"],
  ["no seconds", [["sinceSeconds", "0"]], "sinceSeconds: Invalid value: 0: must be greater than 0"],
  [
    "two beginnings",
    [
      ["sinceSeconds", "1"],
      ["sinceTime", "2020-01-01T00:00:00Z"],
    ],
    "at most one of `sinceTime` or `sinceSeconds` may be specified",
  ],
  ["a time that is none", [["sinceTime", "x"]], 'parsing time "x"'],
  ["one stream of two", [["stream", "Stdout"]], "stream: Forbidden: may not be specified"],
] as const) {
  test(`${what} cannot be asked for`, () => expect(() => checkLogOptions(query as Query, "p")).toThrow(words));
}

test("lines, bytes and a time can", () => {
  const query: Query = [
    ["tailLines", "0"],
    ["limitBytes", "1"],
    ["sinceTime", "2020-01-01T00:00:00Z"],
    ["follow", "true"],
  ];
  expect(() => checkLogOptions(query, "p")).not.toThrow();
});
