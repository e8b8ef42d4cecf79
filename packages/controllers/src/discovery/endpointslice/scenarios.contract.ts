// What users see of the endpointslice controller.
import { endpointSlices, events, services } from "@kubeloop/core/resources";
import { expect } from "vitest";
import { listed, type Scenario, type ScenarioCluster, untilEvents } from "../../scenarios/scenario.contract.ts";
import { appLabels, newServiceStage, type serviceStage } from "../../scenarios/services.contract.ts";

const isReady = (address: string) => `${address} ready serving`;

/**
 * Adds a Service and waits for its empty slices. Each change waits until it is worked on: how many changes become one write is a matter of time,
 * and the server counts the writes.
 */
async function beginService(
  { stage, until }: { readonly stage: ReturnType<typeof serviceStage>; readonly until: ScenarioCluster["until"] },
  spec: object = {},
  metadata: object = {},
): Promise<void> {
  await stage.addService(spec, metadata);
  const families = "ipFamilies" in spec ? 2 : 1;
  await until("empty slices", async () => (await stage.slices()).length === families);
}

/** Those in which the garbage collector deletes slices. */
export const collectedSliceScenarios: readonly Scenario[] = [
  {
    name: "the slices of a Service that is deleted go with it",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await beginService({ stage, ...cluster });
      await stage.addPod("a");
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.removeService();
      await cluster.until("no slices", async () => (await listed(cluster, endpointSlices)).length === 0);
      await stage.addService();
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
    },
  },
  {
    name: "a Service that is deleted and made anew at once has slices of its own",
    // Upstream complains if the garbage collector is faster than itself.
    needsVirtualTime: true,
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await beginService({ stage, ...cluster });
      await stage.addPod("a");
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.removeService();
      await stage.addService();
      const {
        metadata: { uid },
      } = await cluster.client.resource(services).in(cluster.namespace).get("web", cluster.signal);
      await cluster.until("a slice of the new Service", async () => {
        const found = await stage.slices();
        return found.length === 1 && found[0]?.metadata.ownerReferences?.[0]?.uid === uid;
      });
      await stage.removeService();
      await cluster.until("no slices", async () => (await listed(cluster, endpointSlices)).length === 0);
    },
  },
  {
    name: "of Services that come and go, those that stay have their slices and no others are left",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addPod("a");
      await stage.addPod("b", { ips: ["10.1.0.2"], labels: { app: "other" } });
      const names = Array.from({ length: 12 }, (_, i) => `s-${i}`);
      const [staying, going] = [names.filter((_, i) => i % 2 === 0), names.filter((_, i) => i % 2 === 1)];
      await Promise.all(names.map((name) => stage.addService({}, { name })));
      for (const name of names) await stage.untilEndpoints([isReady("10.1.0.1:8080")], name);
      await Promise.all([
        ...going.map((name) => stage.removeService(name)),
        ...staying.map((name) => stage.patchService({ spec: { selector: { app: "other" } } }, name)),
      ]);
      for (const name of staying) await stage.untilEndpoints([isReady("10.1.0.2:8080")], name);
      await cluster.until("slices of those that stay", async () => {
        const all = await listed(cluster, endpointSlices);
        return all.length === staying.length;
      });
    },
  },
];

/** Those that need no other controller. */
export const ownSliceScenarios: readonly Scenario[] = [
  {
    name: "a Service has slices of its pods, which say whether they are ready, serve and terminate",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService({}, { labels: { team: "shop" } });
      await stage.untilEndpoints([]);
      await stage.addPod("a", { ips: ["10.1.0.1"] });
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.addPod("b", { ips: ["10.1.0.2"], isReady: false });
      await stage.untilEndpoints([isReady("10.1.0.1:8080"), "10.1.0.2:8080"]);
      await stage.setReady("b", true);
      await stage.untilEndpoints([isReady("10.1.0.1:8080"), isReady("10.1.0.2:8080")]);
      await stage.beginDeletion("a");
      await stage.untilEndpoints(["10.1.0.1:8080 serving terminating", isReady("10.1.0.2:8080")]);
      await stage.setReady("a", false);
      await stage.untilEndpoints(["10.1.0.1:8080 terminating", isReady("10.1.0.2:8080")]);
      await stage.removePod("a");
      await stage.untilEndpoints([isReady("10.1.0.2:8080")]);
      await stage.endPod("b", "Succeeded");
      await stage.untilEndpoints([]);
      const slices = await stage.slices();
      expect(slices).toHaveLength(1);
      expect(slices[0]?.metadata.labels).toEqual({
        team: "shop",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      });
    },
  },
  {
    name: "a Service without pods has an empty slice, which its first pod fills",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService();
      const [empty] = await cluster.until("a slice", async () => {
        const found = await stage.slices();
        return found.length === 1 && found;
      });
      expect([empty?.endpoints ?? [], empty?.ports ?? []]).toEqual([[], []]);
      await stage.addPod("a");
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      const filled = await stage.slices();
      expect(filled.map(({ metadata }) => metadata.name)).toEqual([empty?.metadata.name]);
    },
  },
  {
    name: "pods whose ports of one name have other numbers are in other slices",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      const ports = [
        { name: "http", port: 80, targetPort: "http" },
        { name: "metrics", port: 9000, targetPort: 9100, appProtocol: "kubernetes.io/h2c" },
        { name: "dns", port: 53, targetPort: "http", protocol: "UDP" },
      ];
      await beginService({ stage, ...cluster }, { ports });
      await stage.addPod("a", { ips: ["10.1.0.1"], port: 8080 });
      await stage.untilEndpoints([isReady("10.1.0.1:8080,9100")]);
      await stage.addPod("b", { ips: ["10.1.0.2"], port: 8081 });
      await stage.untilEndpoints([isReady("10.1.0.1:8080,9100"), isReady("10.1.0.2:8081,9100")]);
      expect(await stage.slices()).toHaveLength(2);
      await stage.removePod("b");
      await stage.untilEndpoints([isReady("10.1.0.1:8080,9100")]);
      await cluster.until("one slice", async () => (await stage.slices()).length === 1);
      await stage.patchService({ spec: { ports: [{ name: "http", port: 80, targetPort: 7070, protocol: "TCP" }] } });
      await stage.untilEndpoints([isReady("10.1.0.1:7070")]);
    },
  },
  {
    name: "a headless Service that publishes addresses that are not ready names its pods",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await beginService({ stage, ...cluster }, { clusterIP: "None", publishNotReadyAddresses: true });
      await stage.addPod("a", { isReady: false, spec: { hostname: "a", subdomain: "web" } });
      await stage.untilEndpoints(["10.1.0.1:8080 ready"]);
      const [slice] = await stage.slices();
      expect(slice?.endpoints?.[0]?.hostname).toBe("a");
      expect(slice?.metadata.labels).toMatchObject({ "service.kubernetes.io/headless": "" });
      await stage.beginDeletion("a");
      await stage.untilEndpoints(["10.1.0.1:8080 ready terminating"]);
    },
  },
  {
    name: "a headless Service without ports has slices without ports",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await beginService({ stage, ...cluster }, { clusterIP: "None", ports: null });
      await stage.addPod("a");
      await stage.untilEndpoints([isReady("10.1.0.1:")]);
    },
  },
  {
    name: "a headless Service of both families has slices of each",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await beginService(
        { stage, ...cluster },
        { clusterIP: "None", ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv4", "IPv6"] },
      );
      await stage.addPod("a", { ips: ["10.1.0.1", "fd00:1::1"] });
      await stage.untilEndpoints([isReady("10.1.0.1:8080"), isReady("fd00:1::1:8080")]);
      await stage.addPod("b", { ips: ["10.1.0.2"] });
      await stage.untilEndpoints([isReady("10.1.0.1:8080"), isReady("10.1.0.2:8080"), isReady("fd00:1::1:8080")]);
      expect((await stage.slices()).map(({ addressType }) => addressType).toSorted()).toEqual(["IPv4", "IPv6"]);
      await stage.removePod("a");
      await stage.untilEndpoints([isReady("10.1.0.2:8080")]);
      // The slice of the other family is empty, and stays.
      expect(await stage.slices()).toHaveLength(2);
    },
  },
  {
    name: "250 endpoints are in three slices; when all go, an empty one is left, and they come back as they were",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      const sizes = async () => (await stage.slices()).map(({ endpoints }) => endpoints?.length ?? 0).toSorted();
      const untilSizes = (...expected: readonly number[]) =>
        cluster.until(`slices of ${expected}`, async () => JSON.stringify(await sizes()) === JSON.stringify(expected));
      await stage.addPods(249, (i) => stage.addPod(`p-${i}`, { ips: [`10.1.1.${i}`] }));
      // When this last pod is seen, all are, and the Service packs them at once.
      await stage.addPod("last", { ips: ["10.1.1.249"], labels: { ...appLabels, last: "true" } });
      await stage.addService({ selector: { last: "true" } }, { name: "sentinel" });
      await stage.untilEndpoints([isReady("10.1.1.249:8080")], "sentinel");
      await stage.addService();
      await untilSizes(100, 100, 50);
      await stage.patchService({ spec: { selector: { app: "nobody" } } });
      await untilSizes(0);
      await stage.patchService({ spec: { selector: appLabels } });
      await untilSizes(100, 100, 50);
    },
  },
  {
    name: "endpoints that stay are not moved when others go, and new ones fill the slices that change",
    // Which endpoints share a slice is chance with upstream.
    needsVirtualTime: true,
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      const sizes = async () => (await stage.slices()).map(({ endpoints }) => endpoints?.length ?? 0);
      const sum = async () => (await sizes()).reduce((all, one) => all + one, 0);
      await stage.addPods(250, (i) => stage.addPod(`p-${i}`, { ips: [`10.1.1.${i}`] }));
      await stage.addService();
      await cluster.until("250 endpoints", async () => (await sum()) === 250);
      const sliceOf = async () =>
        new Map(
          (await stage.slices()).flatMap(({ metadata, endpoints }) =>
            (endpoints ?? []).map(({ targetRef }) => [targetRef?.name ?? "", metadata.name] as const),
          ),
        );
      const before = await sliceOf();
      for (let i = 0; i < 5; i++) await stage.relabelPod(`p-${i}`, { kept: "true" });
      await stage.patchService({ spec: { selector: { kept: "true" } } });
      await cluster.until("5 endpoints", async () => (await sum()) === 5);
      // A create whose answer was lost is made twice: then an endpoint is in two slices for a while, and stays in one of them.
      if (!cluster.isDisturbed) for (const [pod, slice] of await sliceOf()) expect(slice).toBe(before.get(pod));
      await stage.patchService({ spec: { selector: { kept: null } } });
      await cluster.until("250 endpoints again", async () => (await sum()) === 250);
      expect(Math.max(...(await sizes()))).toBe(100);
    },
  },
  {
    name: "the endpoints follow the selector of the Service and the labels of the pods",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await beginService({ stage, ...cluster });
      await stage.addPod("a", { ips: ["10.1.0.1"] });
      await stage.addPod("b", { ips: ["10.1.0.2"], labels: { app: "other" } });
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.patchService({ spec: { selector: { app: "other" } } });
      await stage.untilEndpoints([isReady("10.1.0.2:8080")]);
      await stage.relabelPod("a", { app: "other" });
      await stage.untilEndpoints([isReady("10.1.0.1:8080"), isReady("10.1.0.2:8080")]);
      await stage.relabelPod("b", { app: "web" });
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.patchService({ spec: { selector: null } });
      // Nobody's business now: it stays as it is. That the Service was seen before the pod goes, and the pod after, a later one of each shows.
      await stage.addService({ selector: appLabels }, { name: "sentinel" });
      await stage.untilEndpoints([isReady("10.1.0.2:8080")], "sentinel");
      await stage.removePod("a");
      await stage.addPod("c", { ips: ["10.1.0.3"] });
      await stage.untilEndpoints([isReady("10.1.0.2:8080"), isReady("10.1.0.3:8080")], "sentinel");
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
    },
  },
  {
    name: "the labels of a Service are those of its slices",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await beginService({ stage, ...cluster }, {}, { labels: { team: "shop" } });
      await stage.addPod("a");
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.patchService({ metadata: { labels: { team: null, tier: "front" } } });
      await cluster.until("the labels", async () => {
        const [slice] = await stage.slices();
        const { team, tier } = slice?.metadata.labels ?? {};
        return team === undefined && tier === "front";
      });
    },
  },
  {
    name: "a slice that somebody edits or deletes is mended",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      await using stage = await newServiceStage(cluster);
      await beginService({ stage, ...cluster });
      await stage.addPod("a");
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      const slices = client.resource(endpointSlices).in(namespace);
      const nameOf = async () => (await stage.slices())[0]?.metadata.name ?? "";
      const endpoints = [{ addresses: ["10.9.9.9"], conditions: { ready: true, serving: true } }];
      await slices.patch(await nameOf(), { type: "merge", body: { endpoints } }, signal);
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await slices.delete(await nameOf(), {}, signal);
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
    },
  },
  {
    name: "slices of other managers are left alone",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      await using stage = await newServiceStage(cluster);
      await stage.addService();
      await client
        .resource(endpointSlices)
        .in(namespace)
        .create(
          {
            apiVersion: "discovery.k8s.io/v1",
            kind: "EndpointSlice",
            metadata: {
              name: "by-hand",
              labels: { "kubernetes.io/service-name": "web", "endpointslice.kubernetes.io/managed-by": "example.com" },
            },
            addressType: "IPv4",
            endpoints: [{ addresses: ["10.9.9.9"] }],
            ports: [],
          },
          signal,
        );
      await stage.addPod("a");
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.removePod("a");
      await stage.untilEndpoints([]);
      const foreign = await client.resource(endpointSlices).in(namespace).get("by-hand", signal);
      expect(foreign.endpoints?.map(({ addresses }) => addresses)).toEqual([["10.9.9.9"]]);
    },
  },
  {
    name: "a pod whose node is not there is left out until it is",
    repeatedEvents: ["FailedToUpdateEndpointSlices"],
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await beginService({ stage, ...cluster });
      await stage.addPod("a", { ips: ["10.1.0.1"] });
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.addPod("b", { ips: ["10.1.0.2"], node: "late" });
      // Once, or more often by now: it is tried again and again.
      if (!cluster.isDisturbed) {
        await cluster.until("an event", async () =>
          (await listed(cluster, events)).some(({ reason }) => reason === "FailedToUpdateEndpointSlices"),
        );
      }
      await stage.addNode("late");
      await stage.untilEndpoints([isReady("10.1.0.1:8080"), isReady("10.1.0.2:8080")]);
    },
  },
  {
    name: "endpoints have the zone of their node; PreferSameZone means each for its zone, PreferSameNode for its node, too",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addNode("a", { zone: "zone-a" });
      await stage.addNode("b", { zone: "zone-b" });
      await beginService({ stage, ...cluster }, { trafficDistribution: "PreferSameZone" });
      await stage.addPod("a", { ips: ["10.1.0.1"], node: "a" });
      await stage.untilEndpoints([isReady("10.1.0.1:8080")]);
      await stage.addPod("b", { ips: ["10.1.0.2"], node: "b" });
      await stage.untilEndpoints([isReady("10.1.0.1:8080"), isReady("10.1.0.2:8080")]);
      await stage.addPod("c", { ips: ["10.1.0.3"], node: "b", isReady: false });
      const hints = async () =>
        (await stage.slices())
          .flatMap(({ endpoints }) => endpoints ?? [])
          .map(({ addresses, zone, hints: { forZones = [], forNodes = [] } = {} }) =>
            [addresses[0], zone, ...[...forZones, ...forNodes].map(({ name }) => name)].join(" "),
          )
          .toSorted();
      const untilHints = (expected: readonly string[]) =>
        cluster.until(`hints ${expected}`, async () => JSON.stringify(await hints()) === JSON.stringify(expected));
      await untilHints(["10.1.0.1 zone-a zone-a", "10.1.0.2 zone-b zone-b", "10.1.0.3 zone-b"]);
      await stage.patchService({ spec: { trafficDistribution: "PreferSameNode" } });
      await untilHints([
        `10.1.0.1 zone-a zone-a ${stage.nodeName("a")}`,
        `10.1.0.2 zone-b zone-b ${stage.nodeName("b")}`,
        "10.1.0.3 zone-b",
      ]);
      await stage.setReady("c", true);
      await untilHints([
        `10.1.0.1 zone-a zone-a ${stage.nodeName("a")}`,
        `10.1.0.2 zone-b zone-b ${stage.nodeName("b")}`,
        `10.1.0.3 zone-b zone-b ${stage.nodeName("b")}`,
      ]);
      await stage.patchService({ spec: { trafficDistribution: null } });
      await untilHints(["10.1.0.1 zone-a", "10.1.0.2 zone-b", "10.1.0.3 zone-b"]);
    },
  },
  {
    name: "topology-aware hints come with enough nodes and endpoints, and go with the annotation",
    // How often it is said that there are none depends on how many changes became one look.
    repeatedEvents: ["TopologyAwareHintsDisabled"],
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      // A node without a zone makes all of them unknown.
      await stage.relabelNode("n", { "topology.kubernetes.io/zone": "zone-a" });
      await stage.addNode("b", { zone: "zone-b" });
      const mode = "service.kubernetes.io/topology-mode";
      await stage.addPod("a", { ips: ["10.1.0.1"], node: "n" });
      await stage.addPod("b", { ips: ["10.1.0.2"], node: "b" });
      await stage.addService();
      await stage.untilEndpoints([isReady("10.1.0.1:8080"), isReady("10.1.0.2:8080")]);
      const hints = async () =>
        (await stage.slices())
          .flatMap(({ endpoints }) => endpoints ?? [])
          .map(({ addresses, hints: { forZones = [] } = {} }) =>
            [addresses[0], ...forZones.map(({ name }) => name)].join(" "),
          )
          .toSorted()
          .join();
      const untilHints = (expected: string) =>
        cluster.until(`hints ${expected}`, async () => (await hints()) === expected);
      await stage.patchService({ metadata: { annotations: { [mode]: "Auto" } } });
      await untilHints("10.1.0.1 zone-a,10.1.0.2 zone-b");
      await untilEvents(cluster, { TopologyAwareHintsEnabled: 1 });
      await stage.patchService({ metadata: { annotations: { [mode]: null } } });
      await untilHints("10.1.0.1,10.1.0.2");
      await untilEvents(cluster, { TopologyAwareHintsEnabled: 1, TopologyAwareHintsDisabled: 1 });
    },
  },
  {
    name: "topology-aware hints go when a zone is lost, and come back with it",
    // On a real server other scenarios leave nodes without a zone behind.
    needsVirtualTime: true,
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.relabelNode("n", { "topology.kubernetes.io/zone": "zone-a" });
      await stage.addNode("b", { zone: "zone-b", cpu: "12" });
      for (let i = 1; i <= 4; i++) await stage.addPod(`p-${i}`, { ips: [`10.1.0.${i}`], node: i < 3 ? "n" : "b" });
      await stage.addService({}, { annotations: { "service.kubernetes.io/topology-mode": "Auto" } });
      const zones = async () =>
        (await stage.slices())
          .flatMap(({ endpoints }) => endpoints ?? [])
          .flatMap(({ hints }) => hints?.forZones?.[0]?.name ?? [])
          .toSorted()
          .join();
      const untilZones = (expected: string) =>
        cluster.until(`hints ${expected}`, async () => (await zones()) === expected);
      // A quarter of the CPUs is a quarter of the endpoints: one of the two in zone-a is meant for the other.
      await untilZones("zone-a,zone-b,zone-b,zone-b");
      await stage.setNodeReady("b", { isReady: false });
      await untilZones("");
      await stage.setNodeReady("b", { cpu: "12" });
      await stage.setReady("p-1", false);
      await stage.setReady("p-1", true);
      await untilZones("zone-a,zone-b,zone-b,zone-b");
    },
  },
];

export const endpointSliceScenarios: readonly Scenario[] = [...ownSliceScenarios, ...collectedSliceScenarios];
