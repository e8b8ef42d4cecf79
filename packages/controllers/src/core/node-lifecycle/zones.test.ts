import { newNode, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { disruptionOf, evictionRate, isExcluded, type ZoneState, zoneOf, zoneState } from "./zones.ts";

const settings = {
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeClusterThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};
const labelled = (labels: Readonly<Record<string, string>>) => stored(newNode("n", { metadata: { labels } }));
const [zone, region] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];
const [oldZone, oldRegion] = ["failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"];

describe("the zone of a node is", () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["none without labels", {}, ""],
    ["none where both are empty", { [zone]: "", [region]: "" }, ""],
    ["region and zone", { [zone]: "z", [region]: "r" }, "r:\u0000:z"],
    ["a zone without a region", { [zone]: "z" }, ":\u0000:z"],
    ["a region without a zone", { [region]: "r" }, "r:\u0000:"],
    [
      "that of the beta labels, where there are both",
      { [zone]: "z", [oldZone]: "o", [oldRegion]: "p", [region]: "r" },
      "p:\u0000:o",
    ],
  ])("%s", (_fact, labels, expected) => expect(zoneOf(labelled(labels))).toBe(expected));
});

test.each<[string, Readonly<Record<string, string>>, boolean]>([
  ["counts", {}, false],
  ["does not count where it is labelled so", { "node.kubernetes.io/exclude-disruption": "" }, true],
  ["does not count whatever the label says", { "node.kubernetes.io/exclude-disruption": "false" }, true],
])("a node %s", (_fact, labels, expected) => expect(isExcluded(labelled(labels))).toBe(expected));

describe("a zone", () => {
  test.each<[number, number, ZoneState]>([
    [1, 0, "Normal"],
    [1, 1, "FullDisruption"],
    [2, 1, "Normal"],
    [2, 2, "FullDisruption"],
    [3, 2, "Normal"],
    [4, 3, "PartialDisruption"],
    [5, 3, "PartialDisruption"],
    [6, 3, "Normal"],
    [100, 54, "Normal"],
    [100, 55, "PartialDisruption"],
    [20, 11, "PartialDisruption"],
    [100, 99, "PartialDisruption"],
    [100, 100, "FullDisruption"],
    [0, 0, "Normal"],
  ])("of %i nodes, %i of them not ready: %s", (size, notReady, state) => {
    expect(zoneState({ size, notReady }, settings)).toBe(state);
  });

  test.each<[ZoneState, number, number]>([
    ["Initial", 10, 0.1],
    ["Normal", 10, 0.1],
    ["FullDisruption", 1000, 0.1],
    ["PartialDisruption", 50, 0],
    ["PartialDisruption", 51, 0.01],
  ])("in state %s, with %i nodes: %d nodes a second", (state, size, rate) => {
    expect(evictionRate(state, size, settings)).toBe(rate);
  });
});

describe("the cluster", () => {
  const [full, partial, normal, initial]: readonly ZoneState[] = [
    "FullDisruption",
    "PartialDisruption",
    "Normal",
    "Initial",
  ];
  test.each<[string, readonly (ZoneState | undefined)[], readonly (ZoneState | undefined)[], string]>([
    ["is as usual while a zone is normal", [normal, full], [normal, full], "none"],
    ["is as usual while a zone is partially down", [full, partial], [full, partial], "none"],
    ["is as usual when one of two zones goes down", [normal, normal], [full, normal], "none"],
    ["stops when the last zone goes down", [full, normal], [full, full], "entering"],
    ["stops when it starts with all down", [initial], [full], "entering"],
    ["stops anew when another zone comes that is down, too", [full, initial], [full, full], "entering"],
    ["is stopped while all are down", [full, full], [full, full], "stopped"],
    ["goes on when one zone is up", [full, full], [full, normal], "exiting"],
    ["goes on when one zone is partially up", [full, full], [full, partial], "exiting"],
    ["without nodes has nothing to do", [], [], "stopped"],
  ])("%s", (_fact, before, now, expected) => {
    const some = (states: readonly (ZoneState | undefined)[]) => states.filter((state) => state !== undefined);
    expect(disruptionOf(some(before), some(now))).toBe(expected);
  });
});
