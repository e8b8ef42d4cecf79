import { controllerNames } from "@kubeloop/controllers";
import { describe, expect, test } from "vitest";
import { selectControllers } from "./select-controllers.ts";

const known = [
  { name: "serviceaccount-token-controller", alias: "serviceaccount-token" },
  { name: "job-controller", alias: "job" },
  { name: "ttl-controller", alias: "ttl" },
  { name: "token-cleaner-controller", alias: "tokencleaner", isOffByDefault: true },
];
const [tokens, job, ttl, cleaner] = known.map((one) => one.name);

describe("--controllers", () => {
  for (const [entries, selected, faults] of [
    [["*"], [tokens, job, ttl], []],
    [[], [tokens], []],
    [["*", "-ttl"], [tokens, job], []],
    [["*", "-ttl-controller"], [tokens, job], []],
    [["-ttl", "*"], [tokens, job], []],
    [["*", "tokencleaner"], [tokens, job, ttl, cleaner], []],
    [["job"], [tokens, job], []],
    [["job", "-job"], [tokens, job], []],
    [["-job", "job", "*"], [tokens, ttl], []],
    [["job", "-job-controller"], [tokens, job], []],
    [["*", "-serviceaccount-token"], [tokens, job, ttl], []],
    [
      ["*", "nonsense", "-more"],
      [tokens, job, ttl],
      ["nonsense", "more"],
    ],
    [["*", ""], [tokens, job, ttl], [""]],
  ] as const) {
    test(`${JSON.stringify(entries)} starts ${selected.length} of four`, () => {
      expect(selectControllers(entries, known)).toEqual({
        selected,
        faults: faults.map((entry) => `"${entry}" is not in the list of known controllers`),
      });
    });
  }

  test("the default starts all but those off by default", () => {
    expect(selectControllers(["*"], controllerNames).selected).toHaveLength(49);
  });
});
