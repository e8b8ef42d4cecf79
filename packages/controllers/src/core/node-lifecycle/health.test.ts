import type { coordinationv1, corev1 } from "@kubeloop/core/api";
import { leases } from "@kubeloop/core/resources";
import { newNode, newObject, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { type Health, healthAfter, isSilent, withUnknownConditions } from "./health.ts";

const created = "2030-01-01T00:00:00Z";
const createdMs = Date.parse(created);
const nowMs = createdMs + 600_000;
const [first, second] = ["2030-01-01T00:01:00Z", "2030-01-01T00:02:00Z"];

const ready = (lastHeartbeatTime?: string, status = "True"): corev1.NodeCondition => ({
  type: "Ready",
  status,
  ...(lastHeartbeatTime === undefined ? {} : { lastHeartbeatTime }),
});
const node = (...conditions: readonly corev1.NodeCondition[]) =>
  stored(newNode("n", { status: { conditions: [...conditions] } }));
const lease = (renewTime?: string): coordinationv1.Lease =>
  newObject(leases, "kube-node-lease/n", renewTime === undefined ? {} : { spec: { renewTime } });
const known = (facts: Partial<Health>): Health => ({
  uid: node().metadata.uid,
  heardAtMs: createdMs + 1,
  hasReady: true,
  heartbeat: first,
  renewedAtMs: undefined,
  ...facts,
});

describe("a node was last heard of", () => {
  const longAgo = createdMs + 1;
  test.each<[string, Health | undefined, corev1.Node, coordinationv1.Lease | undefined, number]>([
    ["when it was created, where it has never reported", undefined, node(), undefined, createdMs],
    [
      "when it was created, also at the next look",
      known({ hasReady: false, heardAtMs: createdMs }),
      node(),
      undefined,
      createdMs,
    ],
    ["now, where it is seen for the first time and has reported", undefined, node(ready(first)), undefined, nowMs],
    ["now, where it is seen for the first time as unknown", undefined, node(ready(first, "Unknown")), undefined, nowMs],
    ["now, where it reports for the first time", known({ hasReady: false }), node(ready(first)), undefined, nowMs],
    ["before, where nothing has changed", known({}), node(ready(first)), undefined, longAgo],
    ["before, where only its status has changed", known({}), node(ready(first, "False")), undefined, longAgo],
    ["now, where its heartbeat is another one", known({}), node(ready(second)), undefined, nowMs],
    [
      "now, where its heartbeat went back: that is a sign, too",
      known({ heartbeat: second }),
      node(ready(first)),
      undefined,
      nowMs,
    ],
    ["before, where its Ready condition is gone", known({}), node(), undefined, longAgo],
    ["now, where its lease is seen for the first time", known({}), node(ready(first)), lease(first), nowMs],
    ["now, where its first lease has no time", known({}), node(ready(first)), lease(), nowMs],
    [
      "now, where its lease is renewed",
      known({ renewedAtMs: Date.parse(first) }),
      node(ready(first)),
      lease(second),
      nowMs,
    ],
    [
      "before, where its lease is as it was",
      known({ renewedAtMs: Date.parse(first) }),
      node(ready(first)),
      lease(first),
      longAgo,
    ],
    [
      "before, where its lease went back",
      known({ renewedAtMs: Date.parse(second) }),
      node(ready(first)),
      lease(first),
      longAgo,
    ],
    [
      "before, where its lease is gone",
      known({ renewedAtMs: Date.parse(first) }),
      node(ready(first)),
      undefined,
      longAgo,
    ],
    [
      "now, where it never reported and renews its lease",
      known({ hasReady: false, renewedAtMs: Date.parse(first) }),
      node(),
      lease(second),
      nowMs,
    ],
    [
      "when it was created, where it was made anew",
      known({ uid: "former", heardAtMs: 7 }),
      node(),
      undefined,
      createdMs,
    ],
  ])("%s", (_fact, before, seen, its, expected) => {
    expect(healthAfter(before, { node: seen, lease: its, nowMs }).heardAtMs).toBe(expected);
  });

  test("and a lease that went back is not a sign when it comes to where it was", () => {
    const health = healthAfter(known({ renewedAtMs: Date.parse(second) }), {
      node: node(ready(first)),
      lease: lease(first),
      nowMs,
    });
    expect(healthAfter(health, { node: node(ready(first)), lease: lease(second), nowMs: nowMs + 1 }).heardAtMs).toBe(
      longAgo,
    );
  });
});

describe("a node is silent", () => {
  const grace = { monitorGraceMs: 50_000, startupGraceMs: 60_000 };
  test.each<[string, boolean, number, boolean]>([
    ["not at the end of its grace period", true, 50_000, false],
    ["after it", true, 50_001, true],
    ["not at the end of its startup grace period, where it has never reported", false, 60_000, false],
    ["after that", false, 60_001, true],
  ])("%s", (_fact, hasReady, sinceMs, expected) => {
    expect(isSilent(known({ hasReady, heardAtMs: nowMs - sinceMs }), nowMs, grace)).toBe(expected);
  });
});

describe("a silent node", () => {
  const now = "2030-01-01T00:10:00Z";
  const stopped = {
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
    lastTransitionTime: now,
  };
  const never = {
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    lastHeartbeatTime: created,
    lastTransitionTime: now,
  };
  const kubelets = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];
  const well = (type: string): corev1.NodeCondition => ({
    type,
    status: type === "Ready" ? "True" : "False",
    reason: "Kubelet",
    message: "all is well",
    lastHeartbeatTime: first,
    lastTransitionTime: first,
  });

  test.each<[string, readonly corev1.NodeCondition[], readonly object[]]>([
    ["that never reported has never reported anything", [], kubelets.map((type) => ({ type, ...never }))],
    [
      "has stopped, and keeps the time of its heartbeat",
      kubelets.map(well),
      kubelets.map((type) => ({ type, lastHeartbeatTime: first, ...stopped })),
    ],
    [
      "never reported what it has no condition of",
      [well("DiskPressure"), well("Ready")],
      [
        { type: "DiskPressure", lastHeartbeatTime: first, ...stopped },
        { type: "Ready", lastHeartbeatTime: first, ...stopped },
        { type: "MemoryPressure", ...never },
        { type: "PIDPressure", ...never },
      ],
    ],
    [
      "keeps conditions that are others'",
      [...kubelets.map(well), well("NetworkUnavailable")],
      [...kubelets.map((type) => ({ type, lastHeartbeatTime: first, ...stopped })), well("NetworkUnavailable")],
    ],
    [
      "keeps what was unknown before",
      [well("Ready"), { ...well("MemoryPressure"), status: "Unknown" }, well("DiskPressure"), well("PIDPressure")],
      [
        { type: "Ready", lastHeartbeatTime: first, ...stopped },
        { ...well("MemoryPressure"), status: "Unknown" },
        { type: "DiskPressure", lastHeartbeatTime: first, ...stopped },
        { type: "PIDPressure", lastHeartbeatTime: first, ...stopped },
      ],
    ],
  ])("%s", (_fact, before, expected) => {
    expect(withUnknownConditions(node(...before), nowMs).status?.conditions).toEqual(expected);
  });

  test("that is unknown already is left alone", () => {
    const unknown = node(ready(first, "Unknown"), well("MemoryPressure"));
    expect(withUnknownConditions(unknown, nowMs)).toBe(unknown);
  });
});
