import type { corev1 } from "@kubeloop/core/api";
import { newNode, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { hasTaint, notReady, unreachable, withConditionTaints, withTaints } from "./taints.ts";

const nowMs = Date.parse("2030-01-01T12:00:00Z");
const timeAdded = "2030-01-01T12:00:00Z";
const earlier = "2030-01-01T11:00:00Z";
const prefix = "node.kubernetes.io/";
const s = (key: string): corev1.Taint => ({ key: `${prefix}${key}`, effect: "NoSchedule", timeAdded: earlier });
const e = (key: string): corev1.Taint => ({ key: `${prefix}${key}`, effect: "NoExecute", timeAdded: earlier });
const gpu: corev1.Taint = { key: "example.com/gpu", value: "x", effect: "NoSchedule" };

type Conditions = Readonly<Record<string, string>>;
function node(conditions: Conditions, taints: readonly corev1.Taint[] = [], isCordoned = false): corev1.Node {
  return stored(
    newNode("n", {
      spec: { ...(taints.length === 0 ? {} : { taints: [...taints] }), ...(isCordoned ? { unschedulable: true } : {}) },
      status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
    }),
  );
}
const print = ({ spec }: corev1.Node) =>
  (spec?.taints ?? []).map(({ key, effect, timeAdded: at }) => {
    const when = at === timeAdded ? " now" : at === earlier ? "" : " never";
    return `${key.replace(prefix, "")}:${effect}${when}`;
  });

describe("a node gets and loses at once", () => {
  test.each<[string, corev1.Node, readonly string[]]>([
    ["nothing, where it is ready", node({ Ready: "True" }), []],
    ["nothing, where it has not reported", node({}), []],
    ["not-ready, where it is not ready", node({ Ready: "False" }), ["not-ready:NoSchedule now"]],
    ["unreachable, where it is unknown", node({ Ready: "Unknown" }), ["unreachable:NoSchedule now"]],
    ["memory-pressure", node({ Ready: "True", MemoryPressure: "True" }), ["memory-pressure:NoSchedule now"]],
    ["disk-pressure", node({ Ready: "True", DiskPressure: "True" }), ["disk-pressure:NoSchedule now"]],
    ["pid-pressure", node({ Ready: "True", PIDPressure: "True" }), ["pid-pressure:NoSchedule now"]],
    ["network-unavailable", node({ NetworkUnavailable: "True" }), ["network-unavailable:NoSchedule now"]],
    [
      "two, where it has two kinds of pressure",
      node({ Ready: "True", MemoryPressure: "True", DiskPressure: "True" }),
      ["memory-pressure:NoSchedule now", "disk-pressure:NoSchedule now"],
    ],
    ["nothing for pressure that is unknown", node({ Ready: "True", MemoryPressure: "Unknown" }), []],
    ["nothing for a condition that it does not know", node({ Ready: "True", KernelDeadlock: "True" }), []],
    ["unschedulable, where it is cordoned", node({ Ready: "True" }, [], true), ["unschedulable:NoSchedule now"]],
    ["its unschedulable, where it is not cordoned any more", node({ Ready: "True" }, [s("unschedulable")]), []],
    ["the taint that it registers with, when it is ready", node({ Ready: "True" }, [s("not-ready")]), []],
    ["the taint that it registers with, where it has no Ready condition", node({}, [s("not-ready")]), []],
    ["nothing, where it has what it should", node({ Ready: "False" }, [s("not-ready")]), ["not-ready:NoSchedule"]],
    [
      "unreachable in the place of not-ready",
      node({ Ready: "Unknown" }, [gpu, s("not-ready")]),
      ["example.com/gpu:NoSchedule never", "unreachable:NoSchedule now"],
    ],
    ["not what a user has tainted", node({ Ready: "True" }, [gpu]), ["example.com/gpu:NoSchedule never"]],
    [
      "not a taint of ours with another effect",
      node({ Ready: "True" }, [{ key: `${prefix}memory-pressure`, effect: "PreferNoSchedule" }]),
      ["memory-pressure:PreferNoSchedule never"],
    ],
    ["both NoExecute taints, where it is ready", node({ Ready: "True" }, [e("not-ready"), e("unreachable")]), []],
    [
      "no NoExecute taint, where it is not ready: that comes in its turn",
      node({ Ready: "False" }, [s("not-ready")]),
      ["not-ready:NoSchedule"],
    ],
    [
      "NoExecute not-ready in the place of unreachable",
      node({ Ready: "False" }, [s("not-ready"), e("unreachable")]),
      ["not-ready:NoSchedule", "not-ready:NoExecute now"],
    ],
    [
      "NoExecute unreachable in the place of not-ready",
      node({ Ready: "Unknown" }, [e("not-ready"), s("unreachable")]),
      ["unreachable:NoSchedule", "unreachable:NoExecute now"],
    ],
    [
      "the surplus one, where it has both",
      node({ Ready: "Unknown" }, [s("unreachable"), e("unreachable"), e("not-ready")]),
      ["unreachable:NoSchedule", "unreachable:NoExecute"],
    ],
    ["no NoExecute taint, while it has not reported", node({}, [e("not-ready")]), ["not-ready:NoExecute"]],
  ])("%s", (_fact, before, expected) => {
    const after = withConditionTaints(before, nowMs);
    expect(print(after)).toEqual(expected);
    // And then it has them.
    expect(withConditionTaints(after, nowMs + 1000)).toBe(after);
  });
});

describe("taints", () => {
  const tainted = node({}, [gpu, e("not-ready")]);
  test("that are there stay as they are, and with them the node", () => {
    expect(withTaints(tainted, { add: [notReady], remove: [unreachable] }, nowMs)).toBe(tainted);
  });
  test("that are all removed leave no list", () => {
    expect(withTaints(node({}, [e("not-ready")]), { remove: [notReady] }, nowMs).spec).toEqual({});
  });
  test("of a user stay in their order", () => {
    expect(withTaints(tainted, { remove: [notReady] }, nowMs).spec?.taints).toEqual([gpu]);
  });
  test("are told apart by their effect", () => {
    expect([hasTaint(node({}, [s("not-ready")]), notReady), hasTaint(tainted, notReady)]).toEqual([false, true]);
  });
  test("of a node without spec are none", () => {
    const { spec: _, ...bare } = node({});
    expect(hasTaint(bare as corev1.Node, notReady)).toBe(false);
    expect(withTaints(bare as corev1.Node, { add: [notReady] }, nowMs).spec).toEqual({
      taints: [{ ...notReady, timeAdded }],
    });
  });
});
