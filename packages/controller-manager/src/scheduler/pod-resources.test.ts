// Lines as upstream's kube-scheduler 1.36 prints them for such pods.
import type { Pod } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { printPodResources } from "./pod-resources.ts";

function pod(name: string, spec: Partial<Pod["spec"]>, status: Pod["status"] = {}): Pod {
  const containers = [
    {
      name: "c",
      resources: { requests: { cpu: "50m", memory: "16Mi", "example.com/gpu": "2" }, limits: { cpu: "64" } },
    },
  ];
  const metadata = { name, namespace: "default" };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, ...spec }, status };
}

const linesOf = (...pods: readonly Pod[]) =>
  printPodResources(pods)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .toSorted();

test("a pod has a line for each resource, with its unit", () => {
  const placed = pod("p", { nodeName: "n", schedulerName: "default-scheduler", priority: 7 });
  const labels = (resource: string, unit: string) =>
    `{namespace="default",node="n",pod="p",priority="7",resource="${resource}",scheduler="default-scheduler",unit="${unit}"}`;
  expect(linesOf(placed)).toEqual([
    `kube_pod_resource_limit${labels("cpu", "cores")} 64`,
    `kube_pod_resource_request${labels("cpu", "cores")} 0.05`,
    `kube_pod_resource_request${labels("example.com/gpu", "")} 2`,
    `kube_pod_resource_request${labels("memory", "bytes")} 1.6777216e+07`,
  ]);
});

test.each([
  ["a pod that has ended", { nodeName: "n" }, { phase: "Succeeded" }, 0],
  ["a pod that has failed", { nodeName: "n" }, { phase: "Failed" }, 0],
  ["a pod that runs", { nodeName: "n" }, { phase: "Running" }, 4],
  ["a pod that waits", {}, { phase: "Pending" }, 4],
  ["requests of zero", { containers: [{ name: "c", resources: { requests: { cpu: "0" } } }] }, {}, 0],
] as const)("%s", (_, spec, status, lines) => {
  expect(linesOf(pod("p", spec as Partial<Pod["spec"]>, status))).toHaveLength(lines);
});
