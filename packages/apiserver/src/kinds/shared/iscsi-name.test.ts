import { expect, test } from "vitest";
import { isIscsiName } from "./iscsi-name.ts";

for (const [name, expected] of [
  ["iqn.2015-02.example.com:test", true],
  ["iqn.2015-02.example.com", false],
  ["iqn.2015-02.example.com:", false],
  ["iqn.2015-02.:test", false],
  ["iqn.2015-02.example.com:a:b", true],
  ["iqn.2015-02.example.com:a b", false],
  ["iqn.2015-02.example.com:a,b:c", false],
  ["iqn.2015-02.a!b:c iqn.2015-02.d:e", true],
  ["iqn!iqn.2015-02.example.com:test", true],
  ["iqn.2015-2.example.com:test", false],
  ["iqn.2015-02.exa_mple.com:test", false],
  ["eui.0123456789ABCDEF", true],
  ["eui.0123456789ABCDE", false],
  ["naa.0123456789abcdef0123456789abcdef", true],
  ["naa.01234567890123456789", false],
  ["wwn.0123456789", undefined],
] as const) {
  test(`${name} is ${expected === undefined ? "of no known kind" : expected ? "a name" : "none"}`, () =>
    expect(isIscsiName(name)).toBe(expected));
}

// Three megabytes of beginnings took hours when each was followed to the end.
test("what begins again and again is looked at once", () => {
  expect(isIscsiName("iqn.2015-02.a".repeat(200_000))).toBe(false);
  expect(isIscsiName(`${"iqn.2015-02.a:".repeat(200_000)},`)).toBe(false);
});
