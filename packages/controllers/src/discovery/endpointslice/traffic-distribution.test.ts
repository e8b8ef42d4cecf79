import type { corev1, discoveryv1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import type { DraftSlice } from "./draft-slices.ts";
import { distributeTraffic, trafficDistributionOf } from "./traffic-distribution.ts";

const service = (trafficDistribution?: string): corev1.Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: {},
  spec: trafficDistribution === undefined ? {} : { trafficDistribution },
});

test.each([
  [undefined, true, undefined],
  ["PreferClose", true, "PreferClose"],
  ["PreferClose", false, "PreferClose"],
  ["PreferSameZone", true, "PreferSameZone"],
  ["PreferSameNode", true, "PreferSameNode"],
  ["PreferSameZone", false, undefined],
  ["PreferSameNode", false, undefined],
  ["Nonsense", true, undefined],
])("%s, with the newer values known: %s, is %s", (wanted, knowsPreferSame, expected) => {
  expect(trafficDistributionOf(service(wanted), { knowsPreferSame })).toBe(expected);
});

const stored = {} as discoveryv1.EndpointSlice;
const draft = (endpoint: Partial<discoveryv1.Endpoint>, isChanged = false): DraftSlice => ({
  before: stored,
  ports: [],
  endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true }, ...endpoint }],
  isChanged,
});
const zone = { forZones: [{ name: "z" }] };
const node = { forNodes: [{ name: "n" }] };
const place = { zone: "z", nodeName: "n" };

describe("an endpoint is meant for", () => {
  for (const [what, distribution, given, hints, isChanged] of [
    ["its zone", "PreferClose", draft(place), zone, true],
    ["its zone, as it says", "PreferSameZone", draft({ ...place, hints: zone }), zone, false],
    [
      "its zone, and not another",
      "PreferSameZone",
      draft({ ...place, hints: { forZones: [{ name: "y" }] } }),
      zone,
      true,
    ],
    ["its zone, and not also its node", "PreferSameZone", draft({ ...place, hints: { ...zone, ...node } }), zone, true],
    ["its zone and its node", "PreferSameNode", draft({ ...place, hints: zone }), { ...zone, ...node }, true],
    ["its node, without a zone", "PreferSameNode", draft({ nodeName: "n" }), node, true],
    ["everybody, without a zone", "PreferSameZone", draft({ nodeName: "n", hints: zone }), undefined, true],
    [
      "whom it was meant for, while it is not ready",
      "PreferSameZone",
      draft({ ...place, conditions: { ready: false } }),
      undefined,
      false,
    ],
    ["its zone, in a slice that changes anyway", "PreferSameZone", draft(place, true), zone, true],
  ] as const) {
    test(what, () => {
      const [done] = distributeTraffic([given], distribution);
      expect([done?.endpoints[0]?.hints, done?.isChanged]).toEqual([hints, isChanged]);
    });
  }
});

test("slices that have the right hints are not touched", () => {
  const given = draft({ ...place, hints: zone });
  expect(distributeTraffic([given], "PreferClose")[0]).toBe(given);
});
