import { printFault, printFaults } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { collectFaults, type ValidationPath } from "./validation-path.ts";

for (const [name, check, expected] of [
  ["a field of a field", (spec: ValidationPath) => spec.at("a", "b").required(), "spec.a.b: Required value"],
  ["an item of a list", (spec) => spec.at("a").item(2).at("b").forbidden("no"), "spec.a[2].b: Forbidden: no"],
  ["an item of a map", (spec) => spec.item("x/y").duplicate("v"), 'spec[x/y]: Duplicate value: "v"'],
  [
    "a field beside",
    (spec) => spec.beside("metadata").at("name").invalid("n", "bad"),
    'metadata.name: Invalid value: "n": bad',
  ],
  ["the whole object", (spec) => spec.at("a").whole.forbidden("no"), "[]: Forbidden: no"],
  ["a value that is not told", (spec) => spec.invalidWithoutValue("bad"), "spec: Invalid value: bad"],
  ["a thing that is not there", (spec) => spec.notFound("x", "look"), 'spec: Not found: "x": look'],
  [
    "each reason for itself",
    (spec) => spec.invalidFor(1, ["a", "b"]),
    "[spec: Invalid value: 1: a, spec: Invalid value: 1: b]",
  ],
  ["a check that failed", (spec) => spec.internal("oh"), "spec: Internal error: oh"],
] as const satisfies readonly (readonly [string, (spec: ValidationPath) => void, string])[]) {
  test(`tells ${name}`, () => expect(printFaults(collectFaults("spec", check))).toBe(expected));
}

test("counts the faults of all places together", () => {
  const counts: number[] = [];
  const faults = collectFaults("spec", (spec) => {
    counts.push(spec.faultCount);
    spec.at("a").required();
    counts.push(spec.at("b").faultCount);
  });
  expect(counts).toEqual([0, 1]);
  expect(faults.map(printFault)).toEqual(["spec.a: Required value"]);
});
