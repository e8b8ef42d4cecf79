import { controllerDescriptors } from "@kubeloop/controller-manager";
import { describe, expect, test } from "vitest";
import {
  findControllerRowFaults,
  printShares,
  readControllerTestNames,
  readControllerTestRows,
} from "./controller-tests.ts";

const written = controllerDescriptors
  .filter(({ start }) => start !== undefined)
  .map(({ name }) => name.replace(/-controller$/, ""));

test("every written controller says which of upstream's tests it answers to", () => {
  expect(findControllerRowFaults(readControllerTestNames(), readControllerTestRows(), written)).toEqual([]);
});

describe("rows are refused", () => {
  const ours = [{ file: "a.test.ts", test: "b" }];
  const shown = (name: string) => ({ upstream: name, ours });
  const four = ["TestA", "TestB", "TestC", "TestD"];
  test.each([
    ["where a name has none", { x: four }, { x: four.slice(1).map(shown) }, ["x: TestA has no row"]],
    [
      "where one says nothing",
      { x: ["TestA"] },
      { x: [{ upstream: "TestA" }] },
      ["x: TestA has neither a test of ours nor a reason"],
    ],
    [
      "where too many are left out",
      { x: four },
      { x: [shown("TestA"), shown("pkg/x TestB"), shown("TestC"), { upstream: "TestD", leftOut: "Go" }] },
      ["x: only 3 of 4 are shown"],
    ],
    ["where a controller has none", {}, {}, ["x has no table of upstream's tests"]],
  ])("%s", (_name, names, rows, faults) => expect(findControllerRowFaults(names, rows, ["x"])).toEqual(faults));
});

test("the shares are printed for people", () => {
  expect(
    printShares({
      x: [
        { upstream: "TestA", ours: [{ file: "", test: "" }] },
        { upstream: "TestB", leftOut: "Go" },
      ],
    }),
  ).toBe("x 1 of 2");
});
