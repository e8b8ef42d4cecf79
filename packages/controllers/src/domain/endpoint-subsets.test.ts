import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { areSameSubsets, repackSubsets } from "./endpoint-subsets.ts";

type Subset = corev1.EndpointSubset;

const address = (text: string): corev1.EndpointAddress => {
  const [ip = "", uid] = text.split("/");
  return uid === undefined ? { ip } : { ip, targetRef: { kind: "Pod", uid } };
};
/** "1.1.1.1/a 2.2.2.2": addresses, each with the uid of its pod. */
const addresses = (text: string) => (text === "" ? [] : text.split(" ").map(address));
const subset = (ready: string, notReady: string, ...ports: readonly number[]): Subset => ({
  ...(ready === "" ? {} : { addresses: addresses(ready) }),
  ...(notReady === "" ? {} : { notReadyAddresses: addresses(notReady) }),
  ...(ports.length === 0 ? {} : { ports: ports.map((port) => ({ port, protocol: "TCP" })) }),
});
/** "1.1.1.1/a | 2.2.2.2 : 80 81" */
const print = (all: readonly Subset[]) =>
  all.map(({ addresses: ready = [], notReadyAddresses = [], ports = [] }) => {
    const each = (list: readonly corev1.EndpointAddress[]) =>
      list.map(({ ip, targetRef }) => (targetRef?.uid === undefined ? ip : `${ip}/${targetRef.uid}`)).join(" ");
    const numbers = ports.map(({ port }) => port).toSorted((a, b) => a - b);
    return `${each(ready)} | ${each(notReadyAddresses)} : ${numbers.join(" ")}`.trim();
  });

describe("subsets are repacked:", () => {
  for (const [what, given, expected] of [
    ["none of none", [], []],
    ["one stays", [subset("1.1.1.1", "", 80)], ["1.1.1.1 |  : 80"]],
    ["one without ports stays", [subset("1.1.1.1", "")], ["1.1.1.1 |  :"]],
    ["one that is not ready stays", [subset("", "1.1.1.1", 80)], ["| 1.1.1.1 : 80"]],
    [
      "addresses of one port are together",
      [subset("1.1.1.1", "", 80), subset("2.2.2.2", "", 80)],
      ["1.1.1.1 2.2.2.2 |  : 80"],
    ],
    [
      "ports of the same addresses are together",
      [subset("1.1.1.1", "", 80), subset("1.1.1.1", "", 81)],
      ["1.1.1.1 |  : 80 81"],
    ],
    [
      "ports of other addresses are apart",
      [subset("1.1.1.1", "", 80), subset("2.2.2.2", "", 81)],
      ["1.1.1.1 |  : 80", "2.2.2.2 |  : 81"],
    ],
    [
      "ready and not ready share a subset",
      [subset("1.1.1.1", "", 80), subset("", "2.2.2.2", 80)],
      ["1.1.1.1 | 2.2.2.2 : 80"],
    ],
    ["not ready goes before ready", [subset("1.1.1.1", "", 80), subset("", "1.1.1.1", 80)], ["| 1.1.1.1 : 80"]],
    [
      "not ready goes before ready, whoever is first",
      [subset("", "1.1.1.1", 80), subset("1.1.1.1", "", 80)],
      ["| 1.1.1.1 : 80"],
    ],
    [
      "readiness tells ports apart",
      [subset("1.1.1.1", "", 80), subset("", "1.1.1.1", 81)],
      ["1.1.1.1 |  : 80", "| 1.1.1.1 : 81"],
    ],
    ["an address is in once", [subset("1.1.1.1 1.1.1.1", "", 80)], ["1.1.1.1 |  : 80"]],
    ["pods that share an address are apart", [subset("1.1.1.1/b 1.1.1.1/a", "", 80)], ["1.1.1.1/a 1.1.1.1/b |  : 80"]],
    [
      "addresses are in the order of their text",
      [subset("2.2.2.2 10.0.0.1 1.1.1.1", "", 80)],
      ["1.1.1.1 10.0.0.1 2.2.2.2 |  : 80"],
    ],
    [
      "a subset of many ports is taken apart where it must be",
      [subset("1.1.1.1 2.2.2.2", "", 80, 81), subset("3.3.3.3", "", 81)],
      ["1.1.1.1 2.2.2.2 |  : 80", "1.1.1.1 2.2.2.2 3.3.3.3 |  : 81"],
    ],
    [
      "those without ports join those with the same addresses",
      [subset("1.1.1.1", ""), subset("1.1.1.1", "", 80)],
      ["1.1.1.1 |  : 80"],
    ],
  ] as const) {
    test(what, () => expect(print(repackSubsets(given)).toSorted()).toEqual(expected.toSorted()));
  }

  test("in an order that does not depend on the order in which they come", () => {
    const given = [subset("1.1.1.1", "", 80), subset("2.2.2.2", "", 81), subset("3.3.3.3 2.2.2.2", "", 82)];
    expect(repackSubsets(given.toReversed())).toEqual(repackSubsets(given));
    expect(repackSubsets(repackSubsets(given))).toEqual(repackSubsets(given));
  });
});

describe("subsets mean the same", () => {
  const one = [subset("1.1.1.1/a", "", 80)];
  const versioned = (resourceVersion: string): readonly Subset[] => [
    {
      addresses: [{ ip: "1.1.1.1", targetRef: { kind: "Pod", uid: "a", resourceVersion } }],
      ports: [{ port: 80, protocol: "TCP" }],
    },
  ];
  for (const [what, a, b, expected] of [
    ["if nothing differs", one, one, true],
    ["in another order", [...one, subset("2.2.2.2", "", 81)], [subset("2.2.2.2", "", 81), ...one], true],
    ["if only the version of a pod differs", versioned("1"), versioned("2"), true],
    ["and not with another address", one, [subset("2.2.2.2/a", "", 80)], false],
    ["and not with another pod", one, [subset("1.1.1.1/b", "", 80)], false],
    ["and not if it is not ready", one, [subset("", "1.1.1.1/a", 80)], false],
    ["and not with another port", one, [subset("1.1.1.1/a", "", 81)], false],
    ["if there are none", undefined, [], true],
  ] as const) {
    test(what, () => expect(areSameSubsets(a, b)).toBe(expected));
  }
});
