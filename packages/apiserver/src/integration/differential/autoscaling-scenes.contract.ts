// Horizontal pod autoscalers under both of their versions.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

/** In every way a change can be that is looked at for all kinds. */
const wrongMetadata = {
  metadata: { generateName: "A_b", labels: { "a b": "c" }, finalizers: ["x"], deletionGracePeriodSeconds: 5 },
};

const place = (version: string, name = "") =>
  `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers${name}`;
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const metric = {
  name: "m",
  selector: { matchLabels: { b: "c", a: "d" }, matchExpressions: [{ key: "e", operator: "In", values: ["f"] }] },
};
const describedObject = { apiVersion: "v1", kind: "Service", name: "s" };
const metrics = [
  { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "0.5Gi" } } },
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "1500m" } } },
  { type: "Object", object: { describedObject, metric, target: { type: "Value", value: "10" } } },
  {
    type: "Object",
    object: { describedObject, metric: { name: "n<o" }, target: { type: "AverageValue", averageValue: "3" } },
  },
  { type: "External", external: { metric, target: { type: "AverageValue", averageValue: "2" } } },
  {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 60 } },
  },
];
const currentMetrics = [
  { type: "Resource", resource: { name: "memory", current: { averageValue: "100Mi" } } },
  { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40, averageValue: "10m" } } },
  { type: "Pods", pods: { metric, current: { averageValue: "7" } } },
  { type: "Object", object: { describedObject, metric, current: { value: "8" } } },
  { type: "Object", object: { describedObject, metric, current: { averageValue: "9" } } },
  { type: "External", external: { metric, current: { averageValue: "11" } } },
  {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "c", current: { averageUtilization: 12 } },
  },
];
const conditions = [
  { type: "AbleToScale", status: "True", reason: "r", message: "a & b", lastTransitionTime: "2020-01-01T00:00:00Z" },
  { type: "ScalingActive", status: "False" },
];
const withMetrics = (...some: object[]) => ({ spec: { metrics: some } });
const patchedFirst = (title: string) => ({
  title,
  method: "PATCH",
  path: place("v1", "/h"),
  headers: { "content-type": "application/merge-patch+json" },
});
const badTarget = { type: "X", value: "-1", averageValue: "0", averageUtilization: 0 };

const secondVersion = kindScene({
  name: "autoscalers",
  path: place("v2"),
  object: {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: { name: "h", generation: 3 },
    spec: { maxReplicas: 3, scaleTargetRef },
    status: { currentReplicas: 3 },
  },
  others: {
    "without anything": { spec: undefined },
    "of no pods": { spec: { minReplicas: 0 } },
    "of no pods by an external metric": { spec: { minReplicas: 0, metrics: [metrics[5]] } },
    "of less than nothing": { spec: { minReplicas: -1, maxReplicas: -2 } },
    "of more than there may be": { spec: { minReplicas: 5 } },
    "of nothing": { spec: { scaleTargetRef: {} } },
    "of something without a group": { spec: { scaleTargetRef: { kind: "A", name: "b", apiVersion: "v1" } } },
    "of something bad": { spec: { scaleTargetRef: { kind: "a/b", name: "c/d", apiVersion: "a/b/c" } } },
    "of a replication controller": {
      spec: { scaleTargetRef: { kind: "ReplicationController", name: "r", apiVersion: "v1" } },
    },
    "with some behavior": { spec: { behavior: { scaleDown: { selectPolicy: "Min" } } } },
    "with behavior of its own": {
      spec: {
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 5,
            policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
            tolerance: "0.05",
          },
          scaleDown: { stabilizationWindowSeconds: 300 },
        },
      },
    },
    "with behavior without policies": {
      spec: { behavior: { scaleUp: { policies: [] }, scaleDown: { policies: [] } } },
    },
    "with bad behavior": {
      spec: {
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: -1,
            selectPolicy: "X",
            policies: [{ type: "X", value: 0, periodSeconds: 0 }],
            tolerance: "-1",
          },
          scaleDown: { stabilizationWindowSeconds: 3601, policies: [{ type: "Pods", value: 1, periodSeconds: 1801 }] },
        },
      },
    },
    "with all metrics": withMetrics(...metrics),
    "with a metric of nothing": withMetrics({}),
    "with a metric nobody knows": withMetrics({ type: "X" }),
    "with metrics without sources": withMetrics(
      { type: "Object" },
      { type: "Pods" },
      { type: "Resource" },
      { type: "External" },
      { type: "ContainerResource" },
    ),
    "with two sources": withMetrics({ ...metrics[0], pods: metrics[2]?.pods }),
    "with another source": withMetrics({ type: "Pods", resource: metrics[0]?.resource }),
    "with empty sources": withMetrics(
      { type: "Object", object: {} },
      { type: "Pods", pods: {} },
      { type: "Resource", resource: {} },
      { type: "External", external: {} },
      { type: "ContainerResource", containerResource: {} },
    ),
    "with bad sources": withMetrics(
      {
        type: "Object",
        object: {
          describedObject: { kind: "a/b", name: "c", apiVersion: "a/b/c" },
          metric: { name: "a/b" },
          target: badTarget,
        },
      },
      { type: "Pods", pods: { metric: { name: "a%b" }, target: badTarget } },
      { type: "Resource", resource: { name: "x", target: badTarget } },
      {
        type: "External",
        external: { metric: { name: "a" }, target: { type: "Value", value: "1", averageValue: "1" } },
      },
      {
        type: "ContainerResource",
        containerResource: {
          name: "x",
          container: "A_b",
          target: { type: "Utilization", averageUtilization: 1, averageValue: "1" },
        },
      },
    ),
    "with annotations of the other version": {
      metadata: {
        name: "other",
        annotations: {
          "autoscaling.alpha.kubernetes.io/metrics": "[]",
          "autoscaling.alpha.kubernetes.io/scale-up-tolerance": "1",
          a: "b",
        },
      },
    },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "given metrics": { spec: { metrics, minReplicas: 2 } },
    "given a bad target": { spec: { scaleTargetRef: { apiVersion: "v1" } } },
    "given behavior": { spec: { behavior: { scaleUp: { tolerance: "0.1" } } } },
  },
  throughSubresources: {
    "status: told all": {
      spec: { maxReplicas: 9 },
      status: {
        currentReplicas: 2,
        desiredReplicas: 3,
        observedGeneration: 1,
        lastScaleTime: "2020-01-01T00:00:00Z",
        currentMetrics,
        conditions,
      },
    },
    "status: told bad numbers": { status: { currentReplicas: -1, desiredReplicas: -1 } },
  },
  steps: [
    { title: "with states, as a table", path: place("v2", "/h"), headers: table },
    { title: "under the first version", path: place("v1", "/h") },
    { ...patchedFirst("its managers forgotten"), path: place("v2", "/h"), body: { metadata: { managedFields: [{}] } } },
    {
      ...patchedFirst("changed under the first version"),
      body: { spec: { targetCPUUtilizationPercentage: 70, maxReplicas: 8 } },
    },
    {
      ...patchedFirst("its metrics changed under the first version"),
      body: {
        metadata: {
          annotations: {
            "autoscaling.alpha.kubernetes.io/metrics":
              '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1"}}]',
          },
        },
      },
    },
    {
      ...patchedFirst("its behavior taken under the first version"),
      body: { metadata: { annotations: { "autoscaling.alpha.kubernetes.io/behavior": null } } },
    },
    {
      ...patchedFirst("its state told under the first version"),
      path: place("v1", "/h/status"),
      body: { status: { currentReplicas: 5, currentCPUUtilizationPercentage: 33 } },
    },
    { title: "under the second version again", path: place("v2", "/h") },
  ],
});

const annotated = (name: string, text: string) => ({
  metadata: { name: "other", annotations: { [`autoscaling.alpha.kubernetes.io/${name}`]: text } },
});
const firstVersion = kindScene({
  name: "autoscalers of the first version",
  path: place("v1"),
  object: {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: { name: "h", labels: { a: "b" } },
    spec: { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 50 },
  },
  others: {
    "without a percentage": { spec: { targetCPUUtilizationPercentage: undefined } },
    "of a bad percentage": { spec: { targetCPUUtilizationPercentage: 0, minReplicas: -1 } },
    "with metrics": annotated(
      "metrics",
      '[{"type":"Pods","Pods":{"metricName":"m","targetAverageValue":"0.5"}},{"type":"External","external":{"metricName":"m","targetValue":"2"}},{"type":"Object","object":{"target":{"kind":"K","name":"n"},"metricName":"m","targetValue":"1","averageValue":"2"}},{"type":"ContainerResource","containerResource":{"name":"cpu","container":"c","targetAverageUtilization":5}}]',
    ),
    "with metrics that are none": annotated("metrics", "nonsense"),
    "with metrics of the wrong type": annotated("metrics", '[{"type":5}]'),
    "with bad metrics": annotated("metrics", '[{"type":"X"}]'),
    "with behavior": annotated(
      "behavior",
      '{"ScaleUp":{"StabilizationWindowSeconds":3,"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":2}]},"ScaleDown":{"SelectPolicy":"Disabled"}}',
    ),
    "with no behavior": annotated("behavior", "{}"),
    "with states": annotated("current-metrics", "[]"),
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "given another percentage": { spec: { targetCPUUtilizationPercentage: 60 } },
    "given no percentage": { spec: { targetCPUUtilizationPercentage: null } },
  },
  throughSubresources: {
    "status: told all": {
      metadata: {
        annotations: {
          "autoscaling.alpha.kubernetes.io/conditions":
            '[{"type":"A","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z"}]',
        },
      },
      status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 44 },
    },
  },
  steps: [{ title: "under the second version", path: place("v2", "/h") }],
});

export const autoscalingScenes: readonly Scene[] = [secondVersion, firstVersion];
