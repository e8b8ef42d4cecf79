// The facts file holds the faults Kubernetes 1.36 finds, word for word.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  asPrefix,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validatePathSegmentName,
  validatePercent,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
  validateWildcardDns1123Subdomain,
} from "./validation.ts";

type Facts = Readonly<Record<string, readonly [string, string[]][]>>;
const facts: Facts = JSON.parse(readFileSync(new URL("./validation.facts.json", import.meta.url), "utf8"));

for (const [name, validate] of [
  ["dns1123label", validateDns1123Label],
  ["dns1123subdomain", validateDns1123Subdomain],
  ["dns1035", validateDns1035Label],
  ["wildcard", validateWildcardDns1123Subdomain],
  ["qualified", validateQualifiedName],
  ["labelvalue", validateLabelValue],
  ["portname", validatePortName],
  ["percent", validatePercent],
  ["configkey", validateConfigMapKey],
  ["pathsegment", validatePathSegmentName],
] as const) {
  describe(name, () => {
    test.each(facts[name] ?? [])("%j", (value, faults) => expect(validate(value)).toEqual(faults));
    test("has facts", () => expect(facts[name]?.length).toBeGreaterThan(50));
  });
}

test("a prefix may end with a dash", () => {
  const validate = asPrefix(validateDns1123Label);
  expect(validate("web-")).toEqual([]);
  expect(validate("Web-")).not.toEqual([]);
  expect(validate("-")).not.toEqual([]);
});

test("ports", () => {
  expect(validatePortNumber(443)).toEqual([]);
  expect(validatePortNumber(0)).toEqual(["must be between 1 and 65535, inclusive"]);
});

// Quadratic work on these would outlast the test's time limit many times over.
test("hostile text of megabytes is refused", () => {
  expect(validateDns1123Subdomain(`${"a".repeat(2_000_000)}!`)).not.toEqual([]);
  expect(validateQualifiedName(`${"a.".repeat(1_000_000)}!`)).not.toEqual([]);
});
