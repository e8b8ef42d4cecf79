// Both ways between the two versions of an autoscaler; the words of the annotations are held by recorded-answers.test.ts.
import type { autoscalingv2 } from "@kubeloop/core/api";
import { deepFreeze } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import type { Draft } from "../kind-rules.ts";
import { decodeBehavior } from "./carried-behavior.ts";
import { decodeMetrics } from "./carried-metrics.ts";
import { cpuMetric } from "./defaults.ts";
import { fromFirstVersion, toFirstVersion } from "./first-version.ts";
import { ShapeError } from "./json-shape.ts";

type Autoscaler = autoscalingv2.HorizontalPodAutoscaler;
const metric = {
  name: "m",
  selector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "c", operator: "Exists" }] },
};
const describedObject = { kind: "K", name: "n", apiVersion: "g/v1" };

const autoscaler: Autoscaler = deepFreeze({
  kind: "HorizontalPodAutoscaler",
  apiVersion: "autoscaling/v2",
  metadata: { name: "a", annotations: { kept: "yes" } },
  spec: {
    scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [
      { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "1500m" } } },
      { type: "Object", object: { describedObject, metric, target: { type: "Value", value: "10" } } },
      { type: "Object", object: { describedObject, metric, target: { type: "AverageValue", averageValue: "3" } } },
      { type: "External", external: { metric, target: { type: "Value", value: "2" } } },
      { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 60 } },
      },
      cpuMetric(50),
    ],
    behavior: { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 2 }], tolerance: "100m" } },
  },
  status: {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [{ type: "Pods", pods: { metric, current: { averageValue: "7" } } }],
    conditions: [{ type: "A", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z", reason: "r" }],
  },
});

test("what goes to the first version and comes back is what it was", () => {
  const there = structuredClone(toFirstVersion(autoscaler)) as Parameters<typeof fromFirstVersion>[0];
  expect(fromFirstVersion(there)).toEqual(autoscaler);
});

test("one without anything to carry has no annotations for it", () => {
  const plain: Autoscaler = {
    ...autoscaler,
    metadata: { name: "a" },
    spec: { scaleTargetRef: { kind: "K", name: "n" }, maxReplicas: 1, metrics: [cpuMetric()] },
    status: { desiredReplicas: 0 },
  };
  const shown = toFirstVersion(plain);
  expect(shown.metadata).toEqual({ name: "a" });
  expect(shown.spec.targetCPUUtilizationPercentage).toBe(80);
});

describe("what is in an annotation is read as Go reads it", () => {
  test("names in any case, what is not known passed over, null as nothing", () => {
    const text = [{ TYPE: "Resource", Resource: { NAME: "cpu", targetAverageValue: "0.5", x: 1 }, pods: null }];
    const target = { type: "AverageValue", averageValue: "500m" };
    expect(decodeMetrics(text)).toEqual([{ type: "Resource", resource: { name: "cpu", target } }]);
  });

  test.each<readonly [string, unknown]>([
    ["no list", {}],
    ["a list of text", ["a"]],
    ["a type that is a number", [{ type: 5 }]],
    ["an amount that is none", [{ type: "Pods", pods: { targetAverageValue: "x" } }]],
    ["a share that is a fraction", [{ type: "Resource", resource: { targetAverageUtilization: 1.5 } }]],
  ])("%s is refused", (_, value) => {
    expect(() => decodeMetrics(value)).toThrow(ShapeError);
  });

  test("behavior that says nothing is none", () => {
    expect(decodeBehavior({})).toBeUndefined();
    expect(
      decodeBehavior({ ScaleUp: null, ScaleDown: {} }) as Draft<autoscalingv2.HorizontalPodAutoscalerBehavior>,
    ).toEqual({
      scaleDown: { policies: [] },
    });
  });
});
