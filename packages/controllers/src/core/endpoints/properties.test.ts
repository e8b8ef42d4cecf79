import { endpoints, pods, services } from "@kubeloop/core/resources";
import { findPropertyFaults, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newService, podOf } from "../../discovery/endpointslice/slices.fixture.ts";
import { newEndpointsController } from "./controller.ts";

test("the endpoints controller is declared, idempotent, bounded and total", () => {
  const specs = [
    {},
    { clusterIP: "None", ports: [], publishNotReadyAddresses: true },
    { ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }], ipFamilies: ["IPv6"] },
    { type: "ExternalName" },
  ];
  const current = stored({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { namespace: "shop", name: "web", labels: { other: "x" } },
    subsets: [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 1, protocol: "TCP" }] }],
  } as const);
  const worlds = specs.flatMap((spec) =>
    [[], [current]].map(
      (some): World => [
        [services, [newService(spec, { labels: { team: "shop" } })]],
        [
          pods,
          [
            podOf("p1", { ips: ["10.1.0.1", "fd00::1"] }),
            podOf("p2", { ips: ["10.1.0.2"], isReady: false, port: 9090 }),
            podOf("p3", { ips: ["10.1.0.3"], isTerminating: true }),
            podOf("p4", { ips: [] }),
          ],
        ],
        [endpoints, some],
      ],
    ),
  );
  expect(findPropertyFaults(newEndpointsController(), worlds, { maxActions: 1, maxPlans: 1 })).toEqual([]);
});
