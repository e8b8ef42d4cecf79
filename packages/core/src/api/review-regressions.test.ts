// Facts whose loss no other table noticed.
import { expect, test } from "vitest";
import { newRequirement, printSelector, selectorOf } from "./label-selector.ts";
import { newExpired, newGone } from "./new-status-error.ts";
import { isExpired, isGone, isResourceExpired } from "./status-error.ts";
import { applyStrategicMerge } from "./strategic-merge/index.ts";
import { asPrefix, validateDns1123Label } from "./validation.ts";

test("a set's values print sorted, however the requirement was made", () => {
  const selector = selectorOf([newRequirement({ key: "x", operator: "in", values: ["b", "a"] })]);
  expect(printSelector(selector)).toBe("x in (a,b)");
});

test("deleting from a list of primitives takes every occurrence", () => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", finalizers: ["a", "b", "a"] } };
  const patch = { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } };
  expect(applyStrategicMerge(object, patch)).toMatchObject({ metadata: { finalizers: ["b"] } });
});

test("Gone and Expired share a code and are told apart by reason", () => {
  const [gone, expired] = [newGone("gone"), newExpired("expired")];
  expect([isExpired(gone), isExpired(expired)]).toEqual([false, true]);
  expect([isGone(gone), isResourceExpired(gone), isResourceExpired(expired)]).toEqual([true, true, true]);
});

test("a prefix is checked as if a suffix followed", () => {
  const validate = asPrefix(validateDns1123Label);
  expect(validate("web-")).toEqual([]);
  expect(validate("-")).not.toEqual([]);
  expect(validate("we_b-")).not.toEqual([]);
  expect(validate(`${"a".repeat(63)}-`)).toEqual([]);
  expect(validate(`${"a".repeat(64)}-`)).not.toEqual([]);
});
