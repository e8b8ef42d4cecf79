import type { corev1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { Description } from "./description.ts";
import { writeNodeResources } from "./node-resources.ts";

const pod = (name: string, requests: object, limits: object): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "n", creationTimestamp: "1970-01-01T00:00:00Z" },
  spec: { containers: [{ name: "a", image: "i", resources: { requests, limits } as corev1.ResourceRequirements }] },
});

function written(status: corev1.NodeStatus, pods: readonly corev1.Pod[]): string {
  const to = new Description();
  writeNodeResources(to, { apiVersion: "v1", kind: "Node", metadata: {}, status }, pods, 60_000);
  return to.toString();
}

test("pods one by one and together, in whole parts of a hundred", () => {
  const allocatable = { cpu: "3", memory: "1Gi", pods: "9", "example.com/gpu": "4", "hugepages-2Mi": "8Mi" };
  const pods = [
    pod("a", { cpu: "500m", memory: "100Mi", "example.com/gpu": "1" }, { cpu: "4" }),
    pod("b", { cpu: "0.5", "hugepages-2Mi": "2Mi" }, {}),
  ];
  expect(written({ capacity: { cpu: "9" }, allocatable }, pods)).toBe(`Non-terminated Pods:  (2 in total)
  Namespace           Name    CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------           ----    ------------  ----------  ---------------  -------------  ---
  n                   a       500m (16%)    4 (133%)    100Mi (9%)       0 (0%)         60s
  n                   b       500m (16%)    0 (0%)      0 (0%)           0 (0%)         60s
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests    Limits
  --------           --------    ------
  cpu                1 (33%)     4 (133%)
  memory             100Mi (9%)  0 (0%)
  ephemeral-storage  0 (0%)      0 (0%)
  hugepages-2Mi      2Mi (25%)   0 (0%)
  example.com/gpu    1           0
`);
});

test("parts of nothing are what Go makes of them for a pod, and zero together", () => {
  const text = written({}, [pod("a", { cpu: "1" }, {})]);
  expect(text).toContain("1 (-9223372036854775808%)");
  expect(text).toMatch(/cpu +1 \(0%\)/);
});
