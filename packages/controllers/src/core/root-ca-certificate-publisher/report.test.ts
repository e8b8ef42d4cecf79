import { newNotFound, newStatusError } from "@kubeloop/core/api";
import { create, nothing, plan } from "@kubeloop/core/contract";
import { configMaps } from "@kubeloop/core/resources";
import { Answers, newConfigMap, outcomeOf } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { report, syncDuration, syncTotal } from "./report.ts";

const notes = { beganMs: 1000 };
const measured = (error: Error | undefined, nowMs = 1250) => {
  const action = create(configMaps, newConfigMap("shop/kube-root-ca.crt"));
  const done = plan("publish", [[action]], { notes });
  const outcome = outcomeOf(done, () => (error === undefined ? undefined : { status: "failed", error }));
  return report({}, outcome, { nowMs, answer: (question) => new Answers().answer(question) }).measures;
};

describe("a sync is counted by its code", () => {
  test.each([
    ["without failure: 200", undefined, "200"],
    ["with the server's code", newNotFound({ group: "", resource: "configmaps" }, "test"), "404"],
    ["with a conflict", newStatusError({ code: 409, reason: "Conflict", message: "" }), "409"],
    ["with a Status that has no code: 500", newStatusError({ code: 0, reason: "", message: "" }), "500"],
    ["with any other failure: 500", new Error("test"), "500"],
  ])("%s", (_fact, error, code) => {
    expect(measured(error)).toEqual([syncTotal.inc({ code }), syncDuration.observe(0.25, { code })]);
  });
});

test("a clock that was set back gives no negative time", () => {
  expect(measured(undefined, 900)).toContainEqual(syncDuration.observe(0, { code: "200" }));
});

test("one that had nothing to do is counted, too", () => {
  const outcome = outcomeOf(nothing("published", { notes }));
  const { measures } = report({}, outcome, { nowMs: 1000, answer: () => undefined });
  expect(measures).toEqual([syncTotal.inc({ code: "200" }), syncDuration.observe(0, { code: "200" })]);
});

test("buckets are upstream's: fifteen, from a millisecond, each twice the one before", () => {
  const { buckets = [] } = syncDuration.definition;
  expect([buckets.length, buckets[0], buckets.at(-1)]).toEqual([15, 0.001, 16.384]);
});
