import { expect, test } from "vitest";
import { patternFault } from "./pattern-fault.ts";

test.each(["", "^a+$", "a|b", "[a-z]{1,3}", "(?i)abc", "(?P<name>a)", "(?:a)", "\\d+\\.", "[(]", "\\("])(
  "%j can be used",
  (pattern) => {
    expect(patternFault(pattern)).toBeUndefined();
  },
);

test.each<readonly [string, string]>([
  ["a(", "missing closing ): `a(`"],
  ["a)", "unexpected ): `a)`"],
  ["[a", "missing closing ]: `[a`"],
  ["*a", "missing argument to repetition operator: `*`"],
  ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
  ["(?<!a)", "invalid or unsupported Perl syntax: `(?<!`"],
  ["(a)\\1", "invalid escape sequence: `\\1`"],
])("%j cannot: %s", (pattern, why) => {
  expect(patternFault(pattern)).toBe(`error parsing regexp: ${why}`);
});
