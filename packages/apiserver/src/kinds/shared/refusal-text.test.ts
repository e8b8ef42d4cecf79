import { describe, expect, test } from "vitest";
import { refusalText } from "./refusal-text.fixture.ts";

const status = (...fields: readonly string[]) => {
  const causes = fields.map((field) => ({ field, message: "Required value" }));
  return { message: `X "x" is invalid: ${listed(fields)}`, details: { causes } };
};
const listed = (fields: readonly string[]) => `[${fields.map((field) => `${field}: Required value`).join(", ")}]`;

describe("what a server refuses is told in one order", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      "keys of a map are sorted",
      ["spec.hard[services]", "spec.hard[pods]"],
      ["spec.hard[pods]", "spec.hard[services]"],
    ],
    [
      "items of a list stay",
      ["spec.ports[1].name", "spec.ports[0].name"],
      ["spec.ports[1].name", "spec.ports[0].name"],
    ],
    ["fields stay", ["spec.b", "spec.a"], ["spec.b", "spec.a"]],
    ["maps stay apart", ["b[y]", "b[x]", "a[y]", "a[x]"], ["b[x]", "b[y]", "a[x]", "a[y]"]],
    ["a map below an item is sorted", ["c[0].l[b]", "c[0].l[a]", "c[1].l[a]"], ["c[0].l[a]", "c[0].l[b]", "c[1].l[a]"]],
  ])("%s", (_name, said, told) => {
    expect(refusalText(status(...said))).toBe(`X "x" is invalid: ${listed(told)}`);
  });

  test.each([
    ["one field is told in its order, and once", "spec.f", "f: spec.f: b, spec.f: a"],
    ["one key is told in its order", "spec.m[k]", "f: spec.m[k]: b, spec.m[k]: a"],
    ["labels are sorted", "metadata.labels", "f: metadata.labels: a, metadata.labels: b"],
  ])("what is said of %s", (_name, field, told) => {
    const causes = ["b", "a", "b"].map((message) => ({ field, message }));
    const message = `bad: [${field}: b, ${field}: a]`;
    expect(refusalText({ message, details: { causes } })).toBe(told.replace(/^f: (.*)$/, "bad: [$1]"));
  });

  test("a message that does not list its causes stays", () => {
    expect(refusalText({ message: "no", details: { causes: [{ field: "f", message: "no" }] } })).toBe("no");
    expect(refusalText({ message: "no" })).toBe("no");
  });
});
