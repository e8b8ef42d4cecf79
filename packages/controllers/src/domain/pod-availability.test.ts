import { printTime } from "@kubeloop/core/api";
import { newPod } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { podAvailability } from "./pod-availability.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const readyFor = (seconds: number, status = "True") =>
  newPod("p", {
    status: { conditions: [{ type: "Ready", status, lastTransitionTime: printTime(nowMs - seconds * 1000) }] },
  });
const readySinceWhenever = newPod("p", { status: { conditions: [{ type: "Ready", status: "True" }] } });

test.each([
  ["no pods", [], 10, [0, 0, undefined]],
  ["without minimum all ready pods are available", [readyFor(0), readySinceWhenever], undefined, [2, 2, undefined]],
  ["pods that are not ready count for nothing", [readyFor(100, "False")], 10, [0, 0, undefined]],
  ["a pod is available after exactly the minimum", [readyFor(10)], 10, [1, 1, undefined]],
  ["one that is not yet is waited for", [readyFor(4), readyFor(20)], 10, [2, 1, 6000]],
  ["of several, the next one", [readyFor(1), readyFor(7), readyFor(4)], 10, [3, 0, 3000]],
  ["one that does not say since when is never waited for", [readySinceWhenever], 10, [1, 0, undefined]],
] as const)("%s", (_name, pods, minReadySeconds, [ready, available, nextInMs]) => {
  expect(podAvailability(pods, { minReadySeconds, nowMs })).toEqual({ ready, available, nextInMs });
});
