import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { isWithinCapacity, overCapacityAnnotation, truncateSubsets } from "./truncate.ts";

const list = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ip: `10.0.${Math.floor(i / 250)}.${i % 250}` }));
/** Ready and not ready. */
const subset = ([ready, notReady]: readonly [number, number]): corev1.EndpointSubset => ({
  ...(ready === 0 ? {} : { addresses: list(ready) }),
  ...(notReady === 0 ? {} : { notReadyAddresses: list(notReady) }),
});

describe("addresses are cut to 1,000:", () => {
  for (const [what, given, expected] of [
    ["not if there are fewer", [[500, 499]], undefined],
    ["not if there are as many", [[500, 500]], undefined],
    ["those that are ready", [[1500, 0]], [[1000, 0]]],
    ["those that are not ready go first", [[500, 501]], [[500, 500]]],
    ["none that are not ready are left beside too many", [[1001, 700]], [[1000, 0]]],
    [
      "each subset keeps its share",
      [
        [750, 0],
        [500, 0],
      ],
      [
        [600, 0],
        [400, 0],
      ],
    ],
    [
      "each subset keeps its share of those that are not ready",
      [
        [400, 800],
        [400, 400],
      ],
      [
        [400, 134],
        [400, 66],
      ],
    ],
    [
      "the last one gets what is left",
      [
        [334, 0],
        [334, 0],
        [334, 0],
      ],
      [
        [334, 0],
        [334, 0],
        [332, 0],
      ],
    ],
  ] as const) {
    test(what, () => {
      const cut = truncateSubsets(given.map(subset), 1000);
      const sizes = cut?.map(({ addresses = [], notReadyAddresses = [] }) => [
        addresses.length,
        notReadyAddresses.length,
      ]);
      expect(sizes).toEqual(expected);
    });
  }
});

test.each([
  [1000, undefined, true],
  [1001, undefined, false],
  [5, "truncated", false],
])("with %i addresses and the annotation %s all is well: %s", (count, annotation, expected) => {
  const annotations = annotation === undefined ? {} : { [overCapacityAnnotation]: annotation };
  const given: corev1.Endpoints = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { annotations },
    subsets: [subset([count - 1, 1])],
  };
  expect(isWithinCapacity(given, 1000)).toBe(expected);
});
