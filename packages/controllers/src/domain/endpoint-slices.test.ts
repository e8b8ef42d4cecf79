import type { discoveryv1 } from "@kubeloop/core/api";
import { actionsOf, plan, printAction } from "@kubeloop/core/contract";
import { endpointSlices } from "@kubeloop/core/resources";
import { plainSnapshot } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import {
  endpointKey,
  hasSameContent,
  portsKey,
  recycleSlices,
  sliceActions,
  sliceNamePrefix,
  slicesOfService,
} from "./endpoint-slices.ts";

const slice = (name: string, labels: object = {}, more: Partial<discoveryv1.EndpointSlice> = {}) => {
  const { metadata, ...rest } = more;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "shop", name, uid: name, resourceVersion: "1", labels, ...metadata },
    addressType: "IPv4",
    ...rest,
  } as discoveryv1.EndpointSlice;
};
const mine = { "kubernetes.io/service-name": "web", "endpointslice.kubernetes.io/managed-by": "me" };

test("the slices of a Service are those that this manager has, by name, without those that are being deleted", () => {
  const deletionTimestamp = "2024-01-01T00:00:00Z";
  const all = [
    slice("b", mine),
    slice("a", mine),
    slice("other", { ...mine, "endpointslice.kubernetes.io/managed-by": "you" }),
    slice("unmanaged", { "kubernetes.io/service-name": "web" }),
    slice("another", { ...mine, "kubernetes.io/service-name": "api" }),
    slice("going", mine, { metadata: { namespace: "shop", name: "going", labels: mine, deletionTimestamp } }),
    slice("far", mine, { metadata: { namespace: "bank", name: "far", labels: mine } }),
  ];
  const found = slicesOfService(plainSnapshot([[endpointSlices, all]]), "me", "shop/web");
  expect(found.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
});

describe("ports are the same", () => {
  const http = { name: "http", port: 80, protocol: "TCP" };
  const dns = { name: "dns", port: 53, protocol: "UDP" };
  for (const [what, one, other, expected] of [
    ["in another order", [http, dns], [dns, http], true],
    ["with defaults", [{ port: 80 }], [{ name: "", port: 80, protocol: "TCP" }], true],
    ["if there are none", [], undefined, true],
    ["and not with another number", [http], [{ ...http, port: 81 }], false],
    ["and not with another protocol", [http], [{ ...http, protocol: "UDP" }], false],
    ["and not with an application protocol", [http], [{ ...http, appProtocol: "http" }], false],
    ["and not if there is one more", [http], [http, dns], false],
  ] as const) {
    test(what, () => expect(portsKey(one) === portsKey(other)).toBe(expected));
  }
});

const endpoint = (more: Partial<discoveryv1.Endpoint> = {}): discoveryv1.Endpoint => ({
  addresses: ["10.0.0.1"],
  conditions: { ready: true, serving: true, terminating: false },
  nodeName: "n",
  zone: "z",
  targetRef: { kind: "Pod", namespace: "shop", name: "p", uid: "u" },
  ...more,
});

describe("an endpoint is the same one", () => {
  for (const [what, other, expected] of [
    ["if other things are said of it", endpoint({ conditions: { ready: false }, zone: "y", nodeName: "m" }), true],
    ["and not at another address", endpoint({ addresses: ["10.0.0.2"] }), false],
    ["and not with another hostname", endpoint({ hostname: "h" }), false],
    ["and not of another pod", endpoint({ targetRef: { kind: "Pod", namespace: "shop", name: "q" } }), false],
  ] as const) {
    test(what, () => expect(endpointKey(endpoint()) === endpointKey(other)).toBe(expected));
  }
  test("with its addresses in another order", () => {
    const both = ["10.0.0.1", "10.0.0.2"];
    expect(endpointKey(endpoint({ addresses: both.toReversed() }))).toBe(endpointKey(endpoint({ addresses: both })));
  });
});

describe("the same is said of an endpoint", () => {
  const { nodeName: _node, zone: _zone, targetRef: _target, ...bare } = endpoint();
  for (const [what, other, expected] of [
    ["if nothing differs", endpoint(), true],
    ["whatever its hints are", endpoint({ hints: { forZones: [{ name: "z" }] } }), true],
    [
      "whatever version its pod has",
      endpoint({ targetRef: { kind: "Pod", namespace: "shop", name: "p", uid: "u", resourceVersion: "7" } }),
      true,
    ],
    [
      "and not if it is not ready",
      endpoint({ conditions: { ready: false, serving: true, terminating: false } }),
      false,
    ],
    [
      "and not if it does not serve",
      endpoint({ conditions: { ready: true, serving: false, terminating: false } }),
      false,
    ],
    ["and not if it terminates", endpoint({ conditions: { ready: true, serving: true, terminating: true } }), false],
    ["and not if a condition is not said", endpoint({ conditions: { ready: true, serving: true } }), false],
    ["and not in another zone", endpoint({ zone: "y" }), false],
    ["and not on another node", endpoint({ nodeName: "m" }), false],
    [
      "and not if its pod was made anew",
      endpoint({ targetRef: { kind: "Pod", namespace: "shop", name: "p", uid: "v" } }),
      false,
    ],
    ["and not if nothing is said", bare, false],
  ] as const) {
    test(what, () => expect(hasSameContent(endpoint(), other)).toBe(expected));
  }
});

test("a slice is named after its owner, with a dash if there is room for one", () => {
  expect(sliceNamePrefix("web")).toBe("web-");
  expect(sliceNamePrefix("x".repeat(253))).toBe("x".repeat(253));
});

describe("slices that would be created take the place of those that would be deleted", () => {
  const fresh = (port: number): discoveryv1.EndpointSlice => {
    const { name: _name, uid: _uid, resourceVersion: _version, ...metadata } = slice("x").metadata;
    return { ...slice("x"), metadata: { ...metadata, generateName: "web-" }, ports: [{ port }] };
  };
  const recycled = (created: readonly number[], removed: readonly string[], mayReplace = () => true) => {
    const changes = { create: created.map(fresh), update: [], remove: removed.map((name) => slice(name)) };
    const actions = sliceActions(recycleSlices(changes, mayReplace));
    return actionsOf(plan("", [actions])).map((action) =>
      printAction(action).replace(" endpointslices.discovery.k8s.io shop/", " "),
    );
  };
  for (const [what, created, removed, expected] of [
    ["one for one", [80], ["a"], ["edit a"]],
    ["and the rest is created", [80, 81], ["a"], ["create web-*", "edit a"]],
    ["or deleted", [80], ["a", "b"], ["edit a", "delete b"]],
    ["if there are any", [], ["a"], ["delete a"]],
  ] as const) {
    test(what, () => expect(recycled(created, removed)).toEqual(expected));
  }
  test("but not where they may not", () => {
    expect(recycled([80], ["a"], () => false)).toEqual(["create web-*", "delete a"]);
  });
});
