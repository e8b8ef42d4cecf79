// What users see of the endpointslice-mirroring controller. Each change waits until it is worked on: how many changes become one write is a matter of
// time.
import type { corev1 } from "@kubeloop/core/api";
import { endpointSlices, endpoints, events } from "@kubeloop/core/resources";
import { expect } from "vitest";
import { listed, type Scenario, type ScenarioCluster } from "../../scenarios/scenario.contract.ts";
import { printEndpoints, serviceStage } from "../../scenarios/services.contract.ts";

const manager = "endpointslicemirroring-controller.k8s.io";
const http = { name: "http", port: 80, protocol: "TCP" };

function newMirrorStage(cluster: ScenarioCluster) {
  const { client, namespace, signal, until } = cluster;
  const stage = serviceStage(cluster);
  const all = client.resource(endpoints).in(namespace);
  const slices = () => stage.slices("web", manager);
  return {
    ...stage,
    slices,
    addBareService: () => stage.addService({ selector: null }),
    addEndpoints: (subsets: readonly corev1.EndpointSubset[], metadata: object = {}) =>
      all.create({ apiVersion: "v1", kind: "Endpoints", metadata: { name: "web", ...metadata }, subsets }, signal),
    patchEndpoints: (body: object) => all.patch("web", { type: "merge", body }, signal),
    removeEndpoints: () => all.delete("web", {}, signal),
    untilMirrored: (...expected: readonly string[]) =>
      until(`mirrored ${expected}`, async () => {
        const found = await slices();
        return JSON.stringify(printEndpoints(found)) === JSON.stringify(expected.toSorted());
      }),
    untilNone: () => until("no slices", async () => (await slices()).length === 0),
  };
}

export const endpointSliceMirroringScenarios: readonly Scenario[] = [
  {
    name: "Endpoints written by hand have slices that say the same, with their labels and annotations",
    async run(cluster) {
      const stage = newMirrorStage(cluster);
      await stage.addBareService();
      const subsets = [
        {
          addresses: [{ ip: "10.9.0.1", hostname: "one" }],
          notReadyAddresses: [{ ip: "10.9.0.2" }],
          ports: [http, { name: "metrics", port: 9100, protocol: "TCP", appProtocol: "kubernetes.io/h2c" }],
        },
      ];
      await stage.addEndpoints(subsets, { labels: { team: "shop" }, annotations: { note: "x" } });
      await stage.untilMirrored("10.9.0.1:80,9100 ready", "10.9.0.2:80,9100");
      const [slice] = await stage.slices();
      expect(slice?.metadata).toMatchObject({
        labels: { team: "shop", "kubernetes.io/service-name": "web" },
        annotations: { note: "x" },
        ownerReferences: [{ kind: "Endpoints", name: "web", controller: true }],
      });
      expect(slice?.endpoints?.find(({ addresses }) => addresses[0] === "10.9.0.1")?.hostname).toBe("one");
      await stage.patchEndpoints({ metadata: { labels: { team: null, tier: "front" }, annotations: { note: "y" } } });
      await cluster.until("the labels and annotations", async () => {
        const metadata = (await stage.slices())[0]?.metadata;
        return metadata?.labels?.["tier"] === "front" && metadata.annotations?.["note"] === "y";
      });
    },
  },
  {
    name: "the slices follow the subsets: addresses of both families, ports that come and go",
    async run(cluster) {
      const stage = newMirrorStage(cluster);
      await stage.addBareService();
      await stage.addEndpoints([{ addresses: [{ ip: "10.9.0.1" }], ports: [http] }]);
      await stage.untilMirrored("10.9.0.1:80 ready");
      await stage.patchEndpoints({
        subsets: [{ addresses: [{ ip: "10.9.0.1" }, { ip: "fd00:9::1" }], ports: [http] }],
      });
      await stage.untilMirrored("10.9.0.1:80 ready", "fd00:9::1:80 ready");
      expect((await stage.slices()).map(({ addressType }) => addressType).toSorted()).toEqual(["IPv4", "IPv6"]);
      await stage.patchEndpoints({
        subsets: [
          { addresses: [{ ip: "10.9.0.1" }], ports: [{ ...http, port: 81 }] },
          { addresses: [{ ip: "10.9.0.3" }], ports: [{ ...http, port: 82 }] },
        ],
      });
      await stage.untilMirrored("10.9.0.1:81 ready", "10.9.0.3:82 ready");
      await stage.patchEndpoints({ subsets: null });
      await stage.untilNone();
    },
  },
  {
    name: "Endpoints that do not want it are not mirrored, and no longer so when they say it later",
    async run(cluster) {
      const stage = newMirrorStage(cluster);
      const skip = "endpointslice.kubernetes.io/skip-mirror";
      await stage.addBareService();
      await stage.addEndpoints([{ addresses: [{ ip: "10.9.0.1" }], ports: [http] }], { labels: { [skip]: "true" } });
      await stage.patchEndpoints({ metadata: { labels: { [skip]: "false" } } });
      await stage.untilMirrored("10.9.0.1:80 ready");
      await stage.patchEndpoints({ metadata: { labels: { [skip]: "true" } } });
      await stage.untilNone();
    },
  },
  {
    name: "Endpoints of a Service that gets a selector are not mirrored any more",
    async run(cluster) {
      const stage = newMirrorStage(cluster);
      await stage.addBareService();
      await stage.addEndpoints([{ addresses: [{ ip: "10.9.0.1" }], ports: [http] }]);
      await stage.untilMirrored("10.9.0.1:80 ready");
      await stage.patchService({ spec: { selector: { app: "web" } } });
      await stage.untilNone();
    },
  },
  {
    name: "Endpoints are mirrored when their Service comes, and not any more when it goes",
    async run(cluster) {
      const stage = newMirrorStage(cluster);
      await stage.addEndpoints([{ addresses: [{ ip: "10.9.0.1" }], ports: [http] }]);
      await stage.addBareService();
      await stage.untilMirrored("10.9.0.1:80 ready");
      await stage.removeService();
      await stage.untilNone();
    },
  },
  {
    name: "the slices of Endpoints that are deleted go with them",
    async run(cluster) {
      const stage = newMirrorStage(cluster);
      await stage.addBareService();
      await stage.addEndpoints([{ addresses: [{ ip: "10.9.0.1" }], ports: [http] }]);
      await stage.untilMirrored("10.9.0.1:80 ready");
      await stage.removeEndpoints();
      await stage.untilNone();
      await stage.addEndpoints([{ addresses: [{ ip: "10.9.0.2" }], ports: [http] }]);
      await stage.untilMirrored("10.9.0.2:80 ready");
    },
  },
  {
    name: "more than 1,000 addresses of a subset are not mirrored, and an event says so",
    // Upstream looks again, and says it again, if it sees its own slice before it has the answer.
    repeatedEvents: ["TooManyAddressesToMirror"],
    async run(cluster) {
      const stage = newMirrorStage(cluster);
      await stage.addBareService();
      const addresses = Array.from({ length: 1003 }, (_, i) => ({ ip: `10.9.${Math.floor(i / 250)}.${i % 250}` }));
      await stage.addEndpoints([{ addresses, ports: [http] }]);
      await cluster.until("1,000 endpoints", async () => {
        const [slice] = await stage.slices();
        return slice?.endpoints?.length === 1000;
      });
      if (cluster.isDisturbed) return;
      await cluster.until("an event", async () =>
        (await listed(cluster, events)).some(({ reason }) => reason === "TooManyAddressesToMirror"),
      );
    },
  },
  {
    name: "a mirrored slice that somebody edits is mended, and slices of other managers are left alone",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const stage = newMirrorStage(cluster);
      await stage.addBareService();
      await stage.addEndpoints([{ addresses: [{ ip: "10.9.0.1" }], ports: [http] }]);
      await stage.untilMirrored("10.9.0.1:80 ready");
      const all = client.resource(endpointSlices).in(namespace);
      const labels = { "kubernetes.io/service-name": "web", "endpointslice.kubernetes.io/managed-by": "example.com" };
      await all.create(
        {
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          metadata: { name: "by-hand", labels },
          addressType: "IPv4",
          endpoints: [{ addresses: ["10.9.9.9"] }],
        },
        signal,
      );
      const [slice] = await stage.slices();
      const endpointsBody = [{ addresses: ["10.9.9.8"], conditions: { ready: true } }];
      await all.patch(slice?.metadata.name ?? "", { type: "merge", body: { endpoints: endpointsBody } }, signal);
      await stage.untilMirrored("10.9.0.1:80 ready");
      expect((await listed(cluster, endpointSlices)).map(({ metadata }) => metadata.name)).toContain("by-hand");
    },
  },
];
