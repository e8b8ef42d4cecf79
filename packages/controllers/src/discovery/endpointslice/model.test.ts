import { type corev1, newConflict } from "@kubeloop/core/api";
import { plan } from "@kubeloop/core/contract";
import { nodes, pods } from "@kubeloop/core/resources";
import { newNode, newPod, outcomeOf, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { sliceActions } from "../../domain/endpoint-slices.ts";
import type { DecidedSlices } from "./decide.ts";
import { EndpointSliceModel, newAbsorb, newLearn, zonesWake } from "./model.ts";
import type { Observed } from "./observe.ts";
import { sliceOf } from "./slices.fixture.ts";

const absorb = newAbsorb({ sliceDelayMs: 1000 });
const learn = newLearn({ sliceDelayMs: 1000 });

const zoned = (name: string, zone: string, isReady = true): corev1.Node =>
  stored(
    newNode(name, {
      metadata: { labels: { "topology.kubernetes.io/zone": zone } },
      status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }], allocatable: { cpu: "1" } },
    }),
  );
const modelWith = (...zones: readonly string[]) => {
  const model = new EndpointSliceModel(100);
  for (const zone of zones) model.zones.set(zoned(zone, zone));
  return model;
};
const hintsFor = (counts: Readonly<Record<string, number>>) =>
  new Map([["IPv4", new Map(Object.entries(counts))]] as const);

describe("a change of a node", () => {
  const wakes = (before: corev1.Node | undefined, object: corev1.Node, type: "add" | "update" | "delete") => {
    const model = modelWith("a", "b");
    if (before !== undefined) model.zones.set(before);
    const change = { type, resource: nodes, object, before: before as corev1.Node, isInitial: false };
    return absorb(model, change as never);
  };
  for (const [what, before, object, type, expected] of [
    ["wakes the zones when it comes", undefined, zoned("n", "a"), "add", [zonesWake]],
    ["wakes the zones when it goes", zoned("n", "a"), zoned("n", "a"), "delete", [zonesWake]],
    ["wakes the zones when it becomes ready", zoned("n", "a", false), zoned("n", "a"), "update", [zonesWake]],
    ["wakes the zones when it is in another", zoned("n", "b"), zoned("n", "a"), "update", [zonesWake]],
    ["wakes nobody when nothing of that changes", zoned("n", "a"), zoned("n", "a"), "update", []],
  ] as const) {
    test(what, () => expect(wakes(before, object, type)).toEqual(expected));
  }
  test("is one, not a change of a pod", () => {
    const object = stored(newPod("shop/p"));
    expect(absorb(modelWith(), { type: "add", resource: pods, object, isInitial: false })).toEqual([]);
  });
});

test("Services whose zones fit the nodes no longer are found", () => {
  const model = modelWith("a", "b");
  model.noteHints("shop/fits", hintsFor({ a: 5, b: 5 }), true);
  model.noteHints("shop/leans", hintsFor({ a: 9, b: 1 }), true);
  model.noteHints("shop/gone", hintsFor({ a: 9, b: 1 }), true);
  model.forget("shop/gone");
  model.noteWithoutHints("shop/asks", true);
  model.noteWithoutHints("shop/asked", true);
  model.noteWithoutHints("shop/asked", false);
  expect(model.misfittingServices()).toEqual(["shop/leans", "shop/asks"]);
});

test("the gauges count endpoints, slices and traffic distributions, and forget what is gone", () => {
  const model = modelWith();
  model.noteCounts(
    "shop/a",
    new Map([
      ["IPv4", [{ endpoints: 150, slices: 3 }]],
      ["IPv6", [{ endpoints: 0, slices: 1 }]],
    ]),
  );
  model.noteDistribution("shop/a", "PreferClose");
  model.noteDistribution("shop/b", "PreferSameNode");
  const values = () =>
    Object.fromEntries(
      model.measure().map(({ metric, value, labels }) => {
        const name = metric.definition.name.replace("endpoint_slice_controller_", "");
        return [[name, ...Object.values(labels)].join(" "), value];
      }),
    );
  expect(values()).toEqual({
    endpoints_desired: 150,
    num_endpoint_slices: 4,
    desired_endpoint_slices: 3,
    "services_count_by_traffic_distribution PreferClose": 1,
    "services_count_by_traffic_distribution PreferSameNode": 1,
  });
  model.noteDistribution("shop/a", "PreferSameNode");
  model.forget("shop/b");
  model.noteCounts("shop/a", new Map([["IPv4", [{ endpoints: 1, slices: 1 }]]]));
  expect(values()).toEqual({
    endpoints_desired: 1,
    num_endpoint_slices: 1,
    desired_endpoint_slices: 1,
    "services_count_by_traffic_distribution PreferClose": 0,
    "services_count_by_traffic_distribution PreferSameNode": 1,
  });
});

describe("after a plan", () => {
  const actions = sliceActions({ create: [], update: [], remove: [sliceOf("a")] });
  const notes: DecidedSlices = {
    times: { serviceMs: 7, podsMs: new Map() },
    hints: hintsFor({ a: 1 }),
    hasHints: true,
    counts: new Map([["IPv4", [{ endpoints: 1, slices: 1 }]]]),
    distribution: undefined,
    usesTopology: true,
    actions: [actions],
    events: [],
  };
  const learned = (error?: Error, isGone = false) => {
    const model = modelWith();
    const decided = plan<DecidedSlices>("slices", [actions], isGone ? {} : { notes });
    const outcome = outcomeOf(decided, () => (error === undefined ? undefined : { status: "failed", error }));
    learn(model, { key: "shop/web", selecting: undefined, isGone }, { outcome, nowMs: 0, answer: () => undefined });
    return model;
  };
  test("what was seen and decided is remembered", () => {
    const model = learned();
    expect([model.timesOf("shop/web"), model.hasHints("shop/web")]).toEqual([notes.times, true]);
  });
  test.each([
    ["nodes that changed since it was observed wake it again", ["a", "b"], ["shop/web"]],
    ["nodes that did not, do not", [], []],
  ])("%s", (_, zones, wakes) => {
    const model = modelWith(...zones);
    const topology = { ratios: undefined, hasSeenNodes: true };
    const observed = { key: "shop/web", isGone: false, selecting: { topology } } as unknown as Observed;
    const outcome = outcomeOf(plan<DecidedSlices>("slices", [actions], { notes }), () => undefined);
    expect(learn(model, observed, { outcome, nowMs: 0, answer: () => undefined })).toEqual(wakes);
  });
  test("that failed, the next try still belongs to the same change", () => {
    const conflict = newConflict({ group: "discovery.k8s.io", resource: "endpointslices" }, "a", { detail: "changed" });
    expect(learned(conflict).timesOf("shop/web")).toBeUndefined();
  });
  test("of a Service that is gone, nothing is left", () => {
    expect(learned(undefined, true).timesOf("shop/web")).toBeUndefined();
  });
});
