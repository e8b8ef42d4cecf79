import { describe, expect, test } from "vitest";
import { Description, writeAnnotations, writeAttributes, writeLabels } from "./description.ts";

function written(write: (to: Description) => void): string {
  const to = new Description();
  write(to);
  return to.toString();
}

describe("labels", () => {
  for (const [what, labels, margin, text] of [
    ["none", undefined, "", "Labels:  <none>\n"],
    ["are in the order of their keys", { b: "2", a: "" }, "", "Labels:  a=\n         b=2\n"],
    ["nested have the margin before each part", { b: "2", a: "1" }, "  ", "  Labels:    a=1\n             b=2\n"],
  ] as const) {
    test(what, () => expect(written((to) => writeLabels(to, "Labels", labels, margin))).toBe(text));
  }
});

describe("annotations", () => {
  const long = "x".repeat(150);
  for (const [what, annotations, text] of [
    ["none", {}, "A:  <none>\n"],
    ["that only kubectl reads are none", { "kubectl.kubernetes.io/last-applied-configuration": "{}" }, "A:  <none>\n"],
    ["short ones are beside their keys", { b: "2\n", a: "1" }, "A:  a: 1\n    b: 2\n"],
    ["of several lines are below", { a: "1\n2" }, "A:  a:\n      1\n      2\n"],
    ["of 140 bytes with their key fit", { a: "x".repeat(137) }, `A:  a: ${"x".repeat(137)}\n`],
    ["long ones are cut", { a: long }, `A:  a:\n      ${"x".repeat(138)}...\n`],
    ["cannot speak to the terminal", { a: "\u001b[31m\r" }, "A:  a: ^[[31m\\r\n"],
  ] as const) {
    test(what, () => expect(written((to) => writeAnnotations(to, "A", annotations))).toBe(text));
  }
});

test("attributes of a volume are cut after 140 bytes", () => {
  const text = written((to) => writeAttributes(to, "V", { a: "x".repeat(139), b: "x".repeat(138) }));
  expect(text).toBe(`    V:        a=${"x".repeat(138)}...\n              b=${"x".repeat(138)}\n`);
});

test("what comes after a flush is not aligned with what was before", () => {
  const to = new Description();
  to.line(0, "a", "b");
  to.flush();
  to.line(1, "long", 1, true, undefined);
  expect(to.toString()).toBe("a  b\n  long  1  true  \n");
});
