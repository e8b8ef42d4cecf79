import { endpointSlices, nodes, pods, services } from "@kubeloop/core/resources";
import { findPropertyFaults, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newEndpointSliceController } from "./controller.ts";
import { newService, podOf, sliceOf, zonedNode } from "./slices.fixture.ts";

test("the endpointslice controller is declared, idempotent, bounded and total", () => {
  const specs = [
    {},
    { trafficDistribution: "PreferSameNode" },
    { clusterIP: "None", publishNotReadyAddresses: true, ipFamilies: ["IPv4", "IPv6"] },
    { ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }] },
  ];
  const slices = [
    [],
    [sliceOf("a")],
    [
      sliceOf("a", { pods: ["p1", "p9"], port: 8080 }),
      sliceOf("b", { pods: ["p1"], port: 9090 }),
      sliceOf("c", { addressType: "IPv6" }),
    ],
    [sliceOf("a", { pods: ["p1"], port: 8080, ownerUid: "old" })],
  ];
  const worlds = specs.flatMap((spec) =>
    slices.map(
      (some): World => [
        [services, [newService(spec, { labels: { team: "shop" } })]],
        [
          pods,
          [
            podOf("p1", { ips: ["10.1.0.1", "fd00::1"] }),
            podOf("p2", { ips: ["10.1.0.2"], isReady: false, port: 9090 }),
            podOf("p3", { ips: ["10.1.0.3"], isTerminating: true, spec: { hostname: "p3", subdomain: "web" } }),
            podOf("p4", { ips: [] }),
          ],
        ],
        [nodes, [zonedNode("n", "zone-a")]],
        [endpointSlices, some],
      ],
    ),
  );
  expect(findPropertyFaults(newEndpointSliceController(), worlds, { maxActions: 6, maxPlans: 2 })).toEqual([]);
});
