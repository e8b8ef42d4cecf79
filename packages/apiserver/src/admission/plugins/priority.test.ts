import { describe, expect, test } from "vitest";
import { askPlugin, resourceOf, type Told } from "./admission.fixture.ts";
import { priority } from "./priority.ts";

const classOf = (name: string, value: number, more = {}) => ({
  kind: "PriorityClass",
  apiVersion: "scheduling.k8s.io/v1",
  metadata: { name },
  value,
  preemptionPolicy: "PreemptLowerPriority",
  ...more,
});
const pod = (spec: object) => ({ kind: "Pod", apiVersion: "v1", metadata: { name: "a" }, spec });
const stored = (...classes: readonly object[]) => ({ "scheduling.k8s.io/priorityclasses": classes });
const high = classOf("high", 1000, { preemptionPolicy: "Never" });
const usual = classOf("usual", 5, { globalDefault: true });
const lower = classOf("lower", 3, { globalDefault: true });
const lowers = "PreemptLowerPriority";

describe("a pod", () => {
  test.each([
    ["without a class", [], {}, { priority: 0, preemptionPolicy: lowers }],
    ["of everybody's class", [high, usual], {}, { priorityClassName: "usual", priority: 5, preemptionPolicy: lowers }],
    ["of the lower of two", [usual, lower], {}, { priorityClassName: "lower", priority: 3, preemptionPolicy: lowers }],
    [
      "of a class",
      [high, usual],
      { priorityClassName: "high" },
      { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" },
    ],
    [
      "that knows what it gets",
      [high],
      { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" },
      { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" },
    ],
  ])("%s", async (_, classes, spec, expected) => {
    const { object } = await askPlugin(priority, { object: pod(spec), stored: stored(...classes) });
    expect(object).toMatchObject({ spec: expected });
  });

  const rest = "must not be provided in pod spec; priority admission controller computed";
  const from = "from the given PriorityClass name";
  test.each([
    [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
    [{ priority: 7 }, `the integer value of priority (7) ${rest} 0 ${from}`],
    [{ preemptionPolicy: "Never" }, `the string value of PreemptionPolicy (Never) ${rest} ${lowers} ${from}`],
  ])("is refused with %j", async (spec, why) => {
    const { refusal } = await askPlugin(priority, { object: pod(spec) });
    expect(refusal).toBe(`pods "a" is forbidden: ${why}`);
  });

  test.each([
    ["keeps what it had", {}, { priority: 9, preemptionPolicy: "Never" }],
    ["is not stopped from wanting another: its rules do that", { priority: 1 }, { priority: 1 }],
  ])("that changes %s", async (_, spec, expected) => {
    const oldObject = pod({ priority: 9, preemptionPolicy: "Never" });
    const { object } = await askPlugin(priority, { operation: "UPDATE", object: pod(spec), oldObject });
    expect(object).toMatchObject({ spec: expected });
  });
});

describe("a class that wants to be everybody's", () => {
  const ask = (told: Told) =>
    askPlugin(priority, { resource: resourceOf("scheduling.k8s.io/priorityclasses"), ...told });
  const refused =
    'priorityclasses.scheduling.k8s.io "a" is forbidden: PriorityClass usual is already marked as default. Only one default can exist';
  test.each([
    ["is the first", { object: lower }, ""],
    ["is the second", { object: lower, stored: stored(usual) }, refused],
    ["becomes the second", { object: lower, stored: stored(usual), operation: "UPDATE" }, refused],
    ["is that already", { object: usual, stored: stored(usual), operation: "UPDATE" }, ""],
    ["does not want it", { object: high, stored: stored(usual) }, ""],
  ] as const)("%s", async (_, told, refusal) => {
    expect((await ask(told)).refusal).toBe(refusal);
  });
});
