import { expect, test } from "vitest";
import { isCiStep, shareLines } from "./ci-shares.ts";
import { readFiles } from "./repository.ts";

test.each([
  ["a step within its share", 7 * 60, ["npm test: 7.0 minutes of its 14 (50 %)"]],
  ["one that takes twice as much", 28 * 60, ["npm test: 28.0 minutes of its 14 (200 %)"]],
  [
    "one that takes more",
    28 * 60 + 6,
    [
      "npm test: 28.1 minutes of its 14 (201 %)",
      "WARNING: npm test took more than twice its share; move what takes minutes to npm run test:long, or change the share in tools/checks/src/ci-shares.ts",
    ],
  ],
] as const)("%s", (_, seconds, lines) => {
  expect(shareLines("npm test", seconds)).toEqual(lines);
});

test("every step of .ci/run has a share", () => {
  const [script] = readFiles([".ci/run"]);
  const steps = [...(script?.text ?? "").matchAll(/^shared "([^"]+)"/gm)].map((match) => match[1] ?? "");
  expect(steps.length).toBeGreaterThan(3);
  expect(steps.filter((step) => !isCiStep(step))).toEqual([]);
});
