import { describe, expect, test } from "vitest";
import { askPlugin } from "./admission.fixture.ts";
import { runtimeClass } from "./runtime-class.ts";

const classOf = (name: string, more = {}) => ({
  kind: "RuntimeClass",
  apiVersion: "node.k8s.io/v1",
  metadata: { name },
  handler: "h",
  ...more,
});
const stored = {
  "node.k8s.io/runtimeclasses": [
    classOf("plain"),
    classOf("heavy", { overhead: { podFixed: { cpu: "500m" } } }),
    classOf("placed", {
      scheduling: {
        nodeSelector: { disk: "ssd" },
        tolerations: [{ key: "t", operator: "Exists", effect: "NoSchedule" }],
      },
    }),
  ],
};
const ask = (spec: object) =>
  askPlugin(runtimeClass, { object: { kind: "Pod", apiVersion: "v1", metadata: { name: "a" }, spec }, stored });
const toleration = { key: "t", operator: "Exists", effect: "NoSchedule" };

describe("a pod", () => {
  test.each([
    ["without a class stays as it is", {}, {}],
    ["of a plain class, too", { runtimeClassName: "plain" }, { runtimeClassName: "plain" }],
    [
      "gets its class's overhead",
      { runtimeClassName: "heavy" },
      { runtimeClassName: "heavy", overhead: { cpu: "500m" } },
    ],
    [
      "may say its overhead itself",
      { runtimeClassName: "heavy", overhead: { cpu: "0.5" } },
      { runtimeClassName: "heavy", overhead: { cpu: "500m" } },
    ],
    [
      "goes where its class is",
      { runtimeClassName: "placed", nodeSelector: { zone: "a" } },
      { runtimeClassName: "placed", nodeSelector: { zone: "a", disk: "ssd" }, tolerations: [toleration] },
    ],
    [
      "keeps what covers its class's tolerations",
      { runtimeClassName: "placed", tolerations: [{ operator: "Exists" }] },
      { runtimeClassName: "placed", nodeSelector: { disk: "ssd" }, tolerations: [{ operator: "Exists" }] },
    ],
    [
      "loses what those cover",
      { runtimeClassName: "placed", tolerations: [{ key: "t", operator: "Equal", value: "1", effect: "NoSchedule" }] },
      { runtimeClassName: "placed", nodeSelector: { disk: "ssd" }, tolerations: [toleration] },
    ],
    [
      "keeps what they do not cover",
      { runtimeClassName: "placed", tolerations: [{ key: "t", operator: "Exists", effect: "NoExecute" }] },
      {
        runtimeClassName: "placed",
        nodeSelector: { disk: "ssd" },
        tolerations: [{ key: "t", operator: "Exists", effect: "NoExecute" }, toleration],
      },
    ],
  ])("%s", async (_, spec, expected) => {
    const { object, refusal } = await ask(spec);
    expect([refusal, object]).toEqual(["", expect.objectContaining({ spec: expected })]);
  });

  test.each([
    [{ runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
    [
      { runtimeClassName: "heavy", overhead: { cpu: "1" } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [{ overhead: { cpu: "1" } }, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"],
    [
      { runtimeClassName: "placed", nodeSelector: { disk: "hdd" } },
      "conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd",
    ],
  ])("is refused with %j", async (spec, why) => {
    expect((await ask(spec)).refusal).toBe(`pods "a" is forbidden: ${why}`);
  });
});
