import { defineResource } from "@kubeloop/core/api";
import type { Served } from "@kubeloop/core/contract";
import {
  configMaps,
  events,
  eventsEvents,
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  pods,
} from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { newGarbageCollectorController } from "./controller.ts";
import { deletableResources } from "./served-kinds.ts";

const servedOf = (...resources: Served["resources"]): Served => ({
  groups: [
    { name: "", preferredVersion: "v1" },
    { name: "autoscaling", preferredVersion: "v2" },
  ],
  resources,
  failures: new Map(),
});
const readOnly = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Look",
  plural: "looks",
  verbs: ["get", "list", "watch"],
});
const fleeting = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Flash",
  plural: "flashes",
  verbs: ["get", "list", "delete"],
});

describe("what is watched", () => {
  test.each<[string, Served, readonly string[]]>([
    ["all that can be listed, watched and deleted", servedOf(pods, configMaps), ["v1/pods", "v1/configmaps"]],
    ["not what cannot be deleted, or not watched", servedOf(pods, readOnly, fleeting), ["v1/pods"]],
    [
      "each once, in the preferred version",
      servedOf(horizontalPodAutoscalersV1, horizontalPodAutoscalers),
      ["autoscaling/v2/horizontalpodautoscalers"],
    ],
    ["not events, of either group", servedOf(pods, events, eventsEvents), ["v1/pods"]],
    [
      "of groups that can be read, where others cannot",
      { ...servedOf(pods), failures: new Map([["apps/v1", new Error("down")]]) },
      ["v1/pods"],
    ],
  ])("%s", (_, served, expected) => {
    expect(deletableResources(served).map(({ apiVersion, plural }) => `${apiVersion}/${plural}`)).toEqual(expected);
  });

  test("by metadata alone", () => {
    expect(newGarbageCollectorController().watchesFor(servedOf(pods))).toMatchObject([
      { resource: pods, wakes: "cache", metadataOnly: true },
    ]);
  });

  test("an answer without resources is no answer: it is refused, so that watches stay", () => {
    expect(() => newGarbageCollectorController().watchesFor(servedOf())).toThrow("discovery reports no resources");
  });
});

test("queues have upstream's names and as many workers as are wanted", () => {
  const { queues, onSyncTimeout } = newGarbageCollectorController({ workers: 7 });
  expect(Object.values(queues).map(({ metricName, workers }) => [metricName, workers])).toEqual([
    ["garbage_collector_attempt_to_delete", 7],
    ["garbage_collector_attempt_to_orphan", 7],
    ["garbage_collector_graph_changes", 1],
  ]);
  expect(onSyncTimeout).toBe("start");
});
