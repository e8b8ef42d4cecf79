import type { corev1 } from "@kubeloop/core/api";
import { endpointSlices, endpoints, services } from "@kubeloop/core/resources";
import { findPropertyFaults, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { sliceOf } from "../endpointslice/slices.fixture.ts";
import { newEndpointSliceMirroringController } from "./controller.ts";

test("the endpointslice-mirroring controller is declared, idempotent, bounded and total", () => {
  const newEndpoints = (metadata: object): corev1.Endpoints =>
    stored({
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { namespace: "shop", name: "web", ...metadata },
      subsets: [
        { addresses: [{ ip: "10.9.0.1" }, { ip: "fd00::1" }], ports: [{ port: 80, protocol: "TCP" }] },
        {
          notReadyAddresses: [{ ip: "10.9.0.2" }, { ip: "nonsense" }],
          ports: [{ name: "x", port: 81, protocol: "TCP" }],
        },
      ],
    });
  const labels = {
    "kubernetes.io/service-name": "web",
    "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
  };
  const bare: corev1.Service = stored({
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "shop", name: "web" },
    spec: {},
  });
  const worlds = [
    {},
    { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    { annotations: { a: "b" } },
  ].flatMap((metadata) =>
    [[], [sliceOf("a", { labels, pods: ["p1"], port: 80 }), sliceOf("b", { labels, addressType: "IPv6" })]].map(
      (slices): World => [
        [endpoints, [newEndpoints(metadata)]],
        [services, [bare]],
        [endpointSlices, slices],
      ],
    ),
  );
  expect(findPropertyFaults(newEndpointSliceMirroringController(), worlds, { maxActions: 5, maxPlans: 1 })).toEqual([]);
});
