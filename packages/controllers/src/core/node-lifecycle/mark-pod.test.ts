import { actionsOf, printAction } from "@kubeloop/core/contract";
import { newNode, newPod, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { decidePod } from "./mark-pod.ts";

const nowMs = Date.parse("2030-01-01T12:00:00Z");
const ready = (status: string) => ({
  type: "Ready",
  status,
  reason: "Kubelet",
  lastProbeTime: "2030-01-01T01:00:00Z",
  lastTransitionTime: "2030-01-01T00:00:00Z",
});
const others = { type: "Initialized", status: "True" };
const decided = (node: string | undefined, pod: string | undefined) =>
  decidePod(
    {
      node: stored(newNode("n", { status: { conditions: node === undefined ? [] : [ready(node)] } })),
      pod: stored(newPod("shop/web", { status: { conditions: pod === undefined ? [others] : [others, ready(pod)] } })),
    },
    { nowMs, answer: () => undefined },
  );
const marked = ["edit pods/status shop/web", "event Warning NodeNotReady on Pod shop/web"];

describe("a pod", () => {
  test.each<[string, string | undefined, string | undefined, readonly string[]]>([
    ["that is ready, on a node that is not, is marked", "False", "True", marked],
    ["that is ready, on a node that is unknown, is marked", "Unknown", "True", marked],
    ["of which nobody knows is marked", "Unknown", "Unknown", marked],
    ["that is not ready is left alone", "Unknown", "False", []],
    ["without a Ready condition is left alone", "Unknown", undefined, []],
    ["on a node that is ready is left alone", "True", "True", []],
    ["on a node that has not reported is left alone", undefined, "True", []],
  ])("%s", (_fact, node, pod, expected) => {
    expect(actionsOf(decided(node, pod)).map(printAction)).toEqual(expected);
  });

  test("keeps its reason, and its other conditions; the time is now", () => {
    const [edit] = actionsOf(decided("Unknown", "True"));
    expect(edit?.type === "edit" && edit.patch).toEqual({
      status: { conditions: [others, { ...ready("False"), lastTransitionTime: "2030-01-01T12:00:00Z" }] },
    });
  });

  test("is not said to be marked if it could not be", () => {
    expect(decided("Unknown", "True").steps).toMatchObject([[{ type: "chain" }]]);
  });
});
