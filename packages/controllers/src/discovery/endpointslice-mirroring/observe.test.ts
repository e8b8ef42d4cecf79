import type { corev1 } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { endpointSlices, endpoints, services } from "@kubeloop/core/resources";
import { plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newEndpointSliceMirroringController } from "./controller.ts";
import { MirrorCounts } from "./model.ts";
import { manager, observe } from "./observe.ts";

const newEndpoints = (name: string, metadata: object = {}): corev1.Endpoints =>
  stored({ apiVersion: "v1", kind: "Endpoints", metadata: { namespace: "shop", name, ...metadata } });
const newService = (name: string, selector?: Readonly<Record<string, string>>): corev1.Service =>
  stored({
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "shop", name },
    spec: selector === undefined ? {} : { selector },
  });
const skipping = { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } };
const lock = { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } };
const slice = stored({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    namespace: "shop",
    name: "bare-x",
    labels: { "kubernetes.io/service-name": "bare", "endpointslice.kubernetes.io/managed-by": manager },
  },
  addressType: "IPv4",
} as const);

const snapshot = plainSnapshot([
  [
    endpoints,
    [
      newEndpoints("bare"),
      newEndpoints("selecting"),
      newEndpoints("alone"),
      newEndpoints("skip", skipping),
      newEndpoints("lock", lock),
    ],
  ],
  [
    services,
    [
      newService("bare"),
      newService("selecting", { app: "web" }),
      newService("skip"),
      newService("lock"),
      newService("without"),
    ],
  ],
  [endpointSlices, [slice]],
]);
const observed = (name: string) => observe(`shop/${name}`, { snapshot, model: new MirrorCounts(1000), nowMs: 0 });

test("Endpoints of a Service without a selector are mirrored; their slices are seen", () => {
  expect(observed("bare")).toEqual({ key: "shop/bare", mirrored: newEndpoints("bare"), slices: [slice] });
});

test.each([
  ["selecting", "whose Service has a selector"],
  ["alone", "without a Service"],
  ["skip", "that do not want it"],
  ["lock", "of a leader election"],
  ["without", "that are not there"],
])("%s: Endpoints %s are not mirrored", (name) => expect(observed(name).mirrored).toBeUndefined());

describe("it looks", () => {
  const watches = newEndpointSliceMirroringController().watchesFor(undefined);
  const isWoken = (change: Change) =>
    watches.some(
      ({ resource, when, wakes }) =>
        resource.plural === change.resource.plural && wakes !== "cache" && when?.(change, snapshot) !== false,
    );
  const update = (resource: typeof endpoints | typeof services, before: object, object: object) =>
    ({ type: "update", resource, before, object }) as unknown as Change;
  const add = (resource: typeof endpoints | typeof services, object: object) =>
    ({ type: "add", resource, object, isInitial: false }) as unknown as Change;
  for (const [what, change, expected] of [
    ["when Endpoints come", add(endpoints, newEndpoints("a")), true],
    [
      "not when those of a leader election change",
      update(endpoints, newEndpoints("a", lock), newEndpoints("a", lock)),
      false,
    ],
    ["when Endpoints begin not to want it", update(endpoints, newEndpoints("a"), newEndpoints("a", skipping)), true],
    ["when a Service without a selector comes", add(services, newService("a")), true],
    ["not when a Service with a selector comes", add(services, newService("a", { b: "c" })), false],
    ["when a Service gets a selector", update(services, newService("a"), newService("a", { b: "c" })), true],
    ["when a Service loses its selector", update(services, newService("a", { b: "c" }), newService("a")), true],
    ["not when a Service changes otherwise", update(services, newService("a"), newService("a")), false],
  ] as const) {
    test(what, () => expect(isWoken(change)).toBe(expected));
  }
});
