import type { corev1 } from "@kubeloop/core/api";
import { newPod, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { lastChangeTriggerTime, triggerTimesOf, withTriggerTime } from "./trigger-times.ts";

const at = (minute: number) => `2024-05-01T12:0${minute}:00Z`;
const service = (minute: number): corev1.Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", creationTimestamp: at(minute) },
});
const pod = (name: string, minute?: number) =>
  stored(
    newPod(`shop/${name}`, {
      status: {
        conditions: minute === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: at(minute) }],
      },
    }),
  );

type Look = readonly [service: number, ...pods: (readonly [name: string, minute?: number])[]];
const timesOf = ([created, ...pods]: Look) =>
  triggerTimesOf(
    service(created),
    pods.map(([name, minute]) => pod(name, minute)),
  );

describe("the time of the last change is", () => {
  for (const [what, before, now, expected] of [
    ["the creation of a Service that is new", undefined, [1], at(1)],
    ["its creation also if it has pods", undefined, [1, ["a", 2], ["b", 3]], at(1)],
    ["that of a pod that was added", [1, ["a", 2]], [1, ["a", 2], ["b", 3]], at(3)],
    ["the earlier of two pods", [1, ["a", 2]], [1, ["a", 2], ["b", 4], ["c", 3]], at(3)],
    ["that of a pod that changed", [1, ["a", 2], ["b", 3]], [1, ["a", 2], ["b", 5]], at(5)],
    ["none if nothing has changed", [1, ["a", 2]], [1, ["a", 2]], undefined],
    ["none if a pod is gone", [1, ["a", 2], ["b", 3]], [1, ["a", 2]], undefined],
    ["that of a pod that was deleted and made anew", [1, ["a", 2]], [1, ["a", 4]], at(4)],
    ["the creation of a Service that was made anew", [1, ["a", 2]], [3, ["a", 2]], at(3)],
    ["none of a pod without a condition", [1], [1, ["a"]], undefined],
  ] as const) {
    test(what, () => {
      const earlier = before === undefined ? undefined : timesOf(before as Look);
      expect(lastChangeTriggerTime(earlier, timesOf(now as Look))).toBe(expected);
    });
  }
});

test("the annotation is set, overwritten and taken away; others stay", () => {
  const name = "endpoints.kubernetes.io/last-change-trigger-time";
  expect(withTriggerTime(undefined, at(1))).toEqual({ [name]: at(1) });
  expect(withTriggerTime({ a: "b", [name]: at(1) }, at(2))).toEqual({ a: "b", [name]: at(2) });
  expect(withTriggerTime({ a: "b", [name]: at(1) }, undefined)).toEqual({ a: "b" });
});
