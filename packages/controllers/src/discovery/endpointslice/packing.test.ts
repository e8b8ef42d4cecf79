import type { discoveryv1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { endpointKey } from "../../domain/endpoint-slices.ts";
import { packEndpoints } from "./packing.ts";

const endpoint = (i: number, more: Partial<discoveryv1.Endpoint> = {}): discoveryv1.Endpoint => ({
  addresses: [`10.0.${Math.floor(i / 250)}.${(i % 250) + 1}`],
  conditions: { ready: true, serving: true, terminating: false },
  ...more,
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const slice = (name: string, numbers: readonly number[], more: Partial<discoveryv1.Endpoint> = {}) =>
  ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace: "shop" },
    addressType: "IPv4",
    endpoints: numbers.map((i) => endpoint(i, more)),
  }) as discoveryv1.EndpointSlice;

interface Given {
  readonly slices?: readonly discoveryv1.EndpointSlice[];
  readonly wanted: readonly number[];
  readonly outdated?: readonly string[];
  readonly most?: number;
}

function packed({ slices = [], wanted, outdated = [], most = 100 }: Given) {
  const all = new Map(wanted.map((i) => [endpointKey(endpoint(i)), endpoint(i)]));
  return packEndpoints(slices, all, {
    most,
    ports: [],
    isOutdated: ({ metadata }) => outdated.includes(metadata.name ?? ""),
  });
}

/** "a 100", "b 50 changed", "new 3", "c gone". */
function shape(given: Given): readonly string[] {
  const { drafts, remove } = packed(given);
  return [
    ...drafts.map(({ before, endpoints, isChanged }) =>
      before === undefined
        ? `new ${endpoints.length}`
        : `${before.metadata.name} ${endpoints.length}${isChanged ? " changed" : ""}`,
    ),
    ...remove.map(({ metadata }) => `${metadata.name} gone`),
  ];
}

describe("endpoints are packed:", () => {
  for (const [what, given, expected] of [
    ["nothing for nothing", { wanted: [] }, []],
    ["into a new slice", { wanted: range(0, 30) }, ["new 30"]],
    ["into as many slices as are needed", { wanted: range(0, 250) }, ["new 100", "new 100", "new 50"]],
    ["into a full slice", { wanted: range(0, 100) }, ["new 100"]],
    ["into slices of another size", { wanted: range(0, 250), most: 250 }, ["new 250"]],
    ["those that are there stay", { slices: [slice("a", range(0, 30))], wanted: range(0, 30) }, ["a 30"]],
    [
      "new ones into a slice that has room for all",
      { slices: [slice("a", range(0, 30))], wanted: range(0, 40) },
      ["a 40 changed"],
    ],
    [
      "new ones into the slice that is fullest afterwards",
      {
        slices: [slice("a", range(0, 10)), slice("b", range(100, 195)), slice("c", range(200, 290))],
        wanted: [...range(0, 10), ...range(100, 195), ...range(200, 290), ...range(400, 406)],
      },
      ["a 10", "b 95", "c 96 changed"],
    ],
    [
      "a new slice rather than two that change",
      {
        slices: [slice("a", range(0, 95)), slice("b", range(100, 195))],
        wanted: [...range(0, 95), ...range(100, 195), ...range(300, 310)],
      },
      ["a 95", "b 95", "new 10"],
    ],
    [
      "slices that change anyway are filled first, the fullest before",
      {
        slices: [slice("a", range(0, 50)), slice("b", range(100, 190)), slice("c", range(200, 210))],
        wanted: [...range(1, 50), ...range(101, 190), ...range(200, 210), ...range(400, 420)],
      },
      ["a 58 changed", "b 100 changed", "c 10"],
    ],
    [
      "what is left after full slices goes where there is room",
      { slices: [slice("a", range(0, 30))], wanted: [...range(0, 30), ...range(300, 410)] },
      ["a 40 changed", "new 100"],
    ],
    [
      "a slice with fewer is not filled from others",
      { slices: [slice("a", range(0, 60)), slice("b", range(60, 120))], wanted: [...range(0, 5), ...range(60, 65)] },
      ["a 5 changed", "b 5 changed"],
    ],
    [
      "a slice without any is gone",
      { slices: [slice("a", range(0, 3)), slice("b", range(3, 6))], wanted: range(0, 3) },
      ["a 3", "b gone"],
    ],
    ["an empty slice is filled", { slices: [slice("a", [])], wanted: range(0, 3) }, ["a 3 changed"]],
    ["an empty slice stays", { slices: [slice("a", [])], wanted: [] }, ["a 0"]],
    [
      "an endpoint that is in two slices stays in the first",
      { slices: [slice("a", [1, 2]), slice("b", [2, 3])], wanted: [1, 2, 3] },
      ["a 2", "b 1 changed"],
    ],
    [
      "a slice with other labels is changed",
      { slices: [slice("a", [1])], wanted: [1], outdated: ["a"] },
      ["a 1 changed"],
    ],
    [
      "a slice with other labels is filled first",
      { slices: [slice("a", [1]), slice("b", [2, 3])], wanted: [1, 2, 3, 4], outdated: ["a"] },
      ["a 2 changed", "b 2"],
    ],
    [
      "a slice in which something else is said of an endpoint is changed",
      { slices: [slice("a", [1], { conditions: { ready: false } })], wanted: [1] },
      ["a 1 changed"],
    ],
    [
      "a slice that has too many for a smaller size keeps them",
      { slices: [slice("a", range(0, 10))], wanted: range(0, 12), most: 5 },
      ["a 10", "new 2"],
    ],
  ] as const) {
    test(what, () => expect(shape(given)).toEqual(expected));
  }
});

test("it counts what is added and removed", () => {
  const { added, removed } = packed({ slices: [slice("a", range(0, 10)), slice("b", [20])], wanted: range(5, 30) });
  expect([added, removed]).toEqual([19, 5]);
});

test("hints stay in a slice that does not change, and are not in one that does", () => {
  const hints = { forZones: [{ name: "z" }] };
  const slices = [slice("a", [1], { hints }), slice("b", [2, 3], { hints })];
  const [same, changed] = packed({ slices, wanted: [1, 2] }).drafts;
  expect(same?.endpoints[0]?.hints).toEqual(hints);
  expect(changed?.endpoints[0]?.hints).toBeUndefined();
});
