import type { corev1 } from "@kubeloop/core/api";
import { newNode, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { Zones } from "./zones.ts";

interface Facts {
  readonly zone?: string;
  readonly cpu?: string;
  readonly isReady?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}
const node = (name: string, { zone, cpu, isReady = true, labels = {} }: Facts): corev1.Node =>
  stored(
    newNode(name, {
      metadata: { labels: { ...labels, ...(zone === undefined ? {} : { "topology.kubernetes.io/zone": zone }) } },
      status: {
        conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
        ...(cpu === undefined ? {} : { allocatable: { cpu } }),
      },
    }),
  );
const ratiosOf = (facts: readonly Facts[]) => {
  const zones = new Zones();
  for (const [i, each] of facts.entries()) zones.set(node(`n-${i}`, each));
  return zones.ratios === undefined ? undefined : Object.fromEntries(zones.ratios);
};

describe("the shares of the zones are", () => {
  for (const [what, facts, expected] of [
    [
      "those of their CPUs",
      [
        { zone: "a", cpu: "1" },
        { zone: "b", cpu: "3" },
      ],
      { a: 0.25, b: 0.75 },
    ],
    [
      "the sums of their nodes",
      [
        { zone: "a", cpu: "500m" },
        { zone: "a", cpu: "1500m" },
        { zone: "b", cpu: "2" },
      ],
      { a: 0.5, b: 0.5 },
    ],
    ["not known without nodes", [], undefined],
    ["not known in one zone", [{ zone: "a", cpu: "1" }], undefined],
    ["not known if a node has no zone", [{ zone: "a", cpu: "1" }, { zone: "b", cpu: "1" }, { cpu: "1" }], undefined],
    ["not known if a node has no CPU", [{ zone: "a", cpu: "1" }, { zone: "b", cpu: "1" }, { zone: "b" }], undefined],
    [
      "not known if a node has 0 CPUs",
      [
        { zone: "a", cpu: "1" },
        { zone: "b", cpu: "1" },
        { zone: "b", cpu: "0" },
      ],
      undefined,
    ],
    [
      "without nodes that are not ready",
      [{ zone: "a", cpu: "1" }, { zone: "b", cpu: "1" }, { isReady: false }],
      { a: 0.5, b: 0.5 },
    ],
    [
      "without the control plane",
      [
        { zone: "a", cpu: "1" },
        { zone: "b", cpu: "1" },
        { zone: "c", cpu: "9", labels: { "node-role.kubernetes.io/control-plane": "" } },
        { zone: "c", cpu: "9", labels: { "node-role.kubernetes.io/master": "" } },
      ],
      { a: 0.5, b: 0.5 },
    ],
  ] as const) {
    test(what, () => expect(ratiosOf(facts)).toEqual(expected));
  }
});

test("they follow nodes that change and go, and say whether that matters", () => {
  const zones = new Zones();
  expect(zones.hasSeenNodes).toBe(false);
  expect(zones.set(node("a", { zone: "a", cpu: "1" }))).toBe(true);
  expect(zones.set(node("b", { zone: "b", cpu: "1" }))).toBe(true);
  expect(zones.set(node("b", { zone: "b", cpu: "1", labels: { other: "x" } }))).toBe(false);
  expect(zones.set(node("b", { zone: "b", cpu: "3" }))).toBe(true);
  expect(zones.ratios?.get("b")).toBe(0.75);
  expect(zones.set(node("b", { zone: "c", cpu: "1" }))).toBe(true);
  expect([...(zones.ratios?.keys() ?? [])]).toEqual(["a", "c"]);
  expect(zones.forget(node("b", { zone: "c", cpu: "1" }))).toBe(true);
  expect(zones.ratios).toBeUndefined();
  expect(zones.forget(node("never", {}))).toBe(false);
  expect(zones.hasSeenNodes).toBe(true);
});
