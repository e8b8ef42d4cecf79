import { expect, test } from "vitest";
import { controllerNames } from "./controller-names.ts";

test("there are 52 of them, three of them the clouds'", () => {
  expect(controllerNames).toHaveLength(52);
  expect(controllerNames.filter((one) => one.isCloud)).toHaveLength(3);
});

test("no name or alias means two controllers", () => {
  const words = controllerNames.flatMap((one) => [one.name, ...(one.alias ? [one.alias] : [])]);
  expect(new Set(words).size).toBe(words.length);
});

test("three are off by default", () => {
  expect(controllerNames.filter((one) => one.isOffByDefault).map((one) => one.name)).toEqual([
    "bootstrap-signer-controller",
    "token-cleaner-controller",
    "selinux-warning-controller",
  ]);
});
