import { describe, expect, test } from "vitest";
import { warningHeaders } from "./warning-headers.ts";

describe("warnings are headers that any client can read", () => {
  for (const [fact, warnings, headers] of [
    ["none is no header", [], {}],
    ["one has a code and quotes", ["a"], { warning: ['299 - "a"'] }],
    ["quotes and backslashes are escaped", ['"\\'], { warning: ['299 - "\\"\\\\"'] }],
    ["other scripts stay", ["ü 😀"], { warning: ['299 - "ü 😀"'] }],
    ["an end of line is left out", ["a\r\nset-cookie: b", "c"], { warning: ['299 - "c"'] }],
    ["half a character is left out", ["\ud800"], {}],
    ["nothing is nothing", [""], {}],
    ["one that fits is whole", ["a".repeat(4096)], { warning: [`299 - "${"a".repeat(4096)}"`] }],
    ["one that does not is cut", ["a".repeat(4097)], { warning: [`299 - "${"a".repeat(256)}"`] }],
    ["characters count, not their parts", ["😀".repeat(4096)], { warning: [`299 - "${"😀".repeat(4096)}"`] }],
  ] as const) {
    test(fact, () => expect(warningHeaders(warnings)).toEqual(headers));
  }

  test("of very many the first are kept", () => {
    const warnings = Array.from({ length: 1_000 }, (_, i) => `${i} ${"a".repeat(300)}`);
    const { warning = [] } = warningHeaders(warnings);
    expect(warning).toHaveLength(16);
    expect(warning[0]).toHaveLength(256 + '299 - ""'.length);
  });
});
