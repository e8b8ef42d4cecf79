import type { corev1 } from "@kubeloop/core/api";
import { actionsOf, type Plan, printAction } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { newNode, outcomeOf, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newDecidePass, newLearnPass, type PassNotes, reportPass } from "./decide.ts";
import { NodeMemory } from "./model.ts";
import { observePass } from "./observe.ts";

const settings = {
  monitorGraceMs: 50_000,
  startupGraceMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeClusterThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};
const createdMs = Date.parse("2030-01-01T00:00:00Z");
const prefix = "node.kubernetes.io/";

interface Facts {
  readonly ready?: string;
  readonly zone?: string;
  readonly taints?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly heartbeat?: string;
}
const node = (
  name: string,
  { ready, zone = "z", taints = [], labels = {}, heartbeat = "2030-01-01T00:00:01Z" }: Facts,
) =>
  stored(
    newNode(name, {
      metadata: { labels: { "topology.kubernetes.io/zone": zone, ...labels } },
      spec: { taints: taints.map((key) => ({ key: `${prefix}${key}`, effect: "NoExecute" })) },
      status: {
        conditions: ready === undefined ? [] : [{ type: "Ready", status: ready, lastHeartbeatTime: heartbeat }],
      },
    }),
  );

const decide = newDecidePass(settings);
const learn = newLearnPass(settings);

/** One pass over these nodes; what it plans was carried out unless `isRefused`. */
function pass(model: NodeMemory, all: readonly corev1.Node[], atMs: number, { isRefused = false } = {}) {
  const nowMs = createdMs + atMs;
  const context = { nowMs, answer: () => undefined };
  const seen = observePass("", { snapshot: plainSnapshot([[nodes, all]]), model, nowMs });
  const decided = decide(seen, context) as Plan<PassNotes>;
  const outcome = isRefused
    ? outcomeOf(decided, () => ({ status: "failed", error: new Error("no") }))
    : outcomeOf(decided);
  const wakes = learn(model, seen, { ...context, outcome });
  const told = reportPass(seen, outcome, { ...context, nowMs: nowMs + 250 });
  return { actions: actionsOf(decided).map(printAction), decided, wakes, told };
}
const waiting = ({ zones }: NodeMemory) =>
  Object.fromEntries([...zones].map(([name, zone]) => [name.replace(":\u0000:", ""), [...zone.waiting]]));
const states = ({ zones }: NodeMemory) =>
  Object.fromEntries(
    [...zones].map(([name, { state, limiter }]) => [name.replace(":\u0000:", ""), `${state} ${limiter.rate}`]),
  );
const well = node("well", { ready: "True", zone: "w" });
const isEvent = (line: string) => line.startsWith("event");

describe("the first pass", () => {
  test.each<[string, Facts, readonly string[], readonly string[]]>([
    ["leaves a node that is ready alone", { ready: "True" }, [], []],
    ["leaves a node that has not reported alone", {}, [], []],
    ["lets a node that is not ready wait", { ready: "False" }, [], ["n"]],
    ["lets a node that is unknown wait", { ready: "Unknown" }, [], ["n"]],
    [
      "takes the taint of a node that is unknown back, and lets it wait",
      { ready: "Unknown", taints: ["unreachable"] },
      ["edit nodes n"],
      ["n"],
    ],
    [
      "takes the taint of a node that is not ready back, and lets it wait",
      { ready: "False", taints: ["not-ready"] },
      ["edit nodes n"],
      ["n"],
    ],
    ["takes the taints of a node that has not reported back", { taints: ["not-ready"] }, ["edit nodes n"], []],
    [
      "leaves a node with the taint of another condition to its own queue",
      { ready: "False", taints: ["unreachable"] },
      [],
      [],
    ],
    ["leaves the taint of a node that is ready to its own queue", { ready: "True", taints: ["unreachable"] }, [], []],
  ])("%s", (_fact, facts, writes, waits) => {
    const model = new NodeMemory();
    const { actions } = pass(model, [well, node("n", facts)], 10_000);
    expect(actions.filter((line) => !isEvent(line))).toEqual(writes);
    expect(waiting(model)).toEqual({ w: [], z: waits });
    expect(actions.filter(isEvent)).toEqual(["well", "n"].map((name) => `event Normal RegisteredNode on Node ${name}`));
  });
});

describe("later passes", () => {
  test("say nothing of nodes that they know, and say when one is gone", () => {
    const model = new NodeMemory();
    const n = node("n", { ready: "True" });
    pass(model, [well, n], 1000);
    expect(pass(model, [well, n], 6000).actions).toEqual([]);
    expect(pass(model, [well], 11_000).actions).toEqual(["event Normal RemovingNode on Node n"]);
    expect([model.known.has("n"), model.health.has("n"), Object.keys(states(model))]).toEqual([false, false, ["w"]]);
    expect(pass(model, [well], 16_000).actions).toEqual([]);
  });

  test("a node that is gone waits no longer", () => {
    const model = new NodeMemory();
    pass(model, [well, node("n", { ready: "False" }), node("m", { ready: "True" })], 1000);
    pass(model, [well, node("m", { ready: "True" })], 6000);
    expect(waiting(model)).toEqual({ w: [], z: [] });
  });

  test("a node that is silent is unknown, after the event that says so; and waits", () => {
    const model = new NodeMemory();
    const n = node("n", { ready: "True" });
    const beating = (second: number) =>
      node("well", { ready: "True", zone: "w", heartbeat: `2030-01-01T00:00:${second}Z` });
    pass(model, [beating(10), n], 1000);
    expect(pass(model, [beating(11), n], 51_000).actions).toEqual([]);
    const { actions, wakes } = pass(model, [beating(12), n], 51_001);
    expect(actions).toEqual(["edit nodes/status n", "event Normal NodeNotReady on Node n"]);
    expect(waiting(model)).toEqual({ w: [], z: ["n"] });
    expect(wakes).toEqual([{ queue: "zones", key: ":\u0000:z", afterMs: 100 }]);
  });

  test("a node that was not ready and is silent is unknown without an event", () => {
    const model = new NodeMemory();
    pass(model, [node("n", { ready: "False" })], 1000);
    expect(pass(model, [node("n", { ready: "False" })], 52_000).actions).toEqual(["edit nodes/status n"]);
  });

  test("a node that never reported is unknown a minute after it was created, without an event", () => {
    const model = new NodeMemory();
    expect(pass(model, [node("n", {})], 60_000).actions).toEqual(["event Normal RegisteredNode on Node n"]);
    expect(pass(model, [node("n", {})], 60_001).actions).toEqual(["edit nodes/status n"]);
  });

  test("a node that is ready again waits no longer; one that is tainted has had its turn", () => {
    const model = new NodeMemory();
    pass(model, [well, node("a", { ready: "False" }), node("b", { ready: "False" })], 1000);
    pass(model, [well, node("a", { ready: "True" }), node("b", { ready: "False", taints: ["not-ready"] })], 6000);
    expect(waiting(model)).toEqual({ w: [], z: [] });
  });

  test("a node whose taint somebody has removed waits again", () => {
    const model = new NodeMemory();
    const other = node("other", { ready: "True" });
    pass(model, [well, other, node("n", { ready: "False", taints: ["not-ready"] })], 1000);
    pass(model, [well, other, node("n", { ready: "False", taints: ["not-ready"] })], 6000);
    expect(waiting(model)).toEqual({ w: [], z: [] });
    pass(model, [well, other, node("n", { ready: "False" })], 11_000);
    expect(waiting(model)).toEqual({ w: [], z: ["n"] });
  });
});

describe("zones", () => {
  const many = (count: number, ready: string, prefixed = ready) =>
    Array.from({ length: count }, (_, i) => node(`${prefixed}-${i}`, { ready }));
  test.each<[string, readonly corev1.Node[], Readonly<Record<string, string>>]>([
    ["a normal one has the rate", [well, ...many(3, "True")], { w: "Normal 0.1", z: "Normal 0.1" }],
    [
      "one that is down among others has the rate",
      [well, ...many(3, "False")],
      { w: "Normal 0.1", z: "FullDisruption 0.1" },
    ],
    [
      "a small one of which most is down stops",
      [...many(3, "False"), ...many(1, "True")],
      { z: "PartialDisruption 0" },
    ],
    [
      "a large one of which most is down is slow",
      [...many(40, "False"), ...many(11, "True")],
      { z: "PartialDisruption 0.01" },
    ],
    [
      "all that are down stop",
      [...many(1, "False"), node("b", { ready: "Unknown", zone: "w" })],
      { z: "FullDisruption 0", w: "FullDisruption 0" },
    ],
    ["nodes that have not reported count as not ready", [node("a", {})], { z: "FullDisruption 0" }],
    [
      "nodes that are excluded do not count",
      [
        well,
        ...many(1, "True"),
        node("x", { ready: "False", labels: { "node.kubernetes.io/exclude-disruption": "" } }),
      ],
      { w: "Normal 0.1", z: "Normal 0.1" },
    ],
  ])("%s", (_fact, all, expected) => {
    const model = new NodeMemory();
    pass(model, all, 1000);
    expect(states(model)).toEqual(expected);
  });

  const down = (taints: readonly string[]) => [
    node("a", { ready: "Unknown", taints }),
    node("b", { ready: "Unknown", zone: "w", taints }),
  ];
  test("when all are down, taints are taken back, and again if that fails; then nothing is done", () => {
    const model = new NodeMemory();
    pass(model, [node("a", { ready: "True" }), node("b", { ready: "True", zone: "w" })], 1000);
    const tainted = down(["unreachable"]);
    expect(pass(model, tainted, 6000, { isRefused: true }).actions).toEqual(["edit nodes a", "edit nodes b"]);
    expect(states(model)).toEqual({ z: "Normal 0", w: "Normal 0" });
    expect(pass(model, tainted, 11_000).actions).toEqual(["edit nodes a", "edit nodes b"]);
    expect(states(model)).toEqual({ z: "FullDisruption 0", w: "FullDisruption 0" });
    expect(pass(model, down([]), 16_000)).toMatchObject({ actions: [], wakes: [] });
    expect(waiting(model)).toEqual({ z: ["a"], w: ["b"] });
  });

  test("when one is up again, all nodes are heard of at that moment, and the first is tainted after ten seconds", () => {
    const model = new NodeMemory();
    pass(model, down([]), 1000);
    pass(model, down([]), 30_000);
    pass(
      model,
      [node("a", { ready: "Unknown" }), node("b", { ready: "True", zone: "w", heartbeat: "2030-01-01T00:00:30Z" })],
      40_000,
    );
    expect([...model.health.values()].map(({ heardAtMs }) => heardAtMs - createdMs)).toEqual([40_000, 40_000]);
    expect(states(model)).toEqual({ z: "FullDisruption 0.1", w: "Normal 0.1" });
    expect(model.zones.get(":\u0000:z")?.limiter.freeAtMs).toBe(createdMs + 50_000);
  });
});

describe("metrics", () => {
  const measured = ({ decided, told }: ReturnType<typeof pass>) =>
    [...(decided.measures ?? []), ...(told.measures ?? [])].map(
      ({ metric, value, labels }) =>
        `${metric.definition.name.replace("node_collector_", "")} ${labels["zone"]?.replace(":\u0000:", "") ?? ""} ${value}`,
    );
  test("size, health and nodes that are not ready, by zone; evictions begin with 0; durations", () => {
    const model = new NodeMemory();
    const first = measured(pass(model, [well, node("a", { ready: "False" }), node("b", { ready: "True" })], 1000));
    expect(first).toEqual([
      "zone_size w 1",
      "zone_health w 100",
      "unhealthy_nodes_in_zone w 0",
      "zone_size z 2",
      "zone_health z 50",
      "unhealthy_nodes_in_zone z 1",
      "evictions_total w 0",
      "evictions_total z 0",
      "update_node_health_duration_seconds  0",
      "update_node_health_duration_seconds  0",
      "update_node_health_duration_seconds  0",
      "update_all_nodes_health_duration_seconds  0.25",
    ]);
    expect(measured(pass(model, [well], 6000)).slice(3, 6)).toEqual([
      "zone_size z 0",
      "zone_health z 100",
      "unhealthy_nodes_in_zone z 0",
    ]);
  });
  test("a node that was written took as long as the pass", () => {
    const model = new NodeMemory();
    expect(measured(pass(model, [node("n", { ready: "False", taints: ["not-ready"] })], 1000))).toContain(
      "update_node_health_duration_seconds  0.25",
    );
  });
});
