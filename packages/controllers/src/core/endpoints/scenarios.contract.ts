// What users see of the endpoints controller. Each change waits until it is worked on: how many changes become one write is a matter of time.
import { isNotFound } from "@kubeloop/core/api";
import { endpoints } from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";
import { appLabels, newServiceStage } from "../../scenarios/services.contract.ts";

const overCapacity = "endpoints.kubernetes.io/over-capacity";
const triggerTime = "endpoints.kubernetes.io/last-change-trigger-time";

const untilGone = ({ client, namespace, signal, until }: ScenarioCluster, name = "web") =>
  until(`the Endpoints ${name} are gone`, () =>
    client
      .resource(endpoints)
      .in(namespace)
      .get(name, signal)
      .then(
        () => false,
        (error: unknown) => isNotFound(error),
      ),
  );

export const endpointsScenarios: readonly Scenario[] = [
  {
    name: "a Service has Endpoints of its pods, those that are ready and those that are not",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService({}, { labels: { team: "shop" } });
      await stage.untilAddresses([]);
      await stage.addPod("a", { ips: ["10.1.0.1"] });
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
      expect((await stage.endpoints()).metadata.annotations).toHaveProperty(triggerTime);
      await stage.addPod("b", { ips: ["10.1.0.2"], isReady: false });
      await stage.untilAddresses(["10.1.0.1:8080 ready", "10.1.0.2:8080"]);
      await stage.setReady("b", true);
      await stage.untilAddresses(["10.1.0.1:8080 ready", "10.1.0.2:8080 ready"]);
      await stage.beginDeletion("a");
      await stage.untilAddresses(["10.1.0.2:8080 ready"]);
      await stage.removePod("a");
      await stage.endPod("b", "Failed");
      await stage.untilAddresses([]);
      expect((await stage.endpoints()).metadata.labels).toEqual({
        team: "shop",
        "endpoints.kubernetes.io/managed-by": "endpoint-controller",
      });
    },
  },
  {
    name: "pods whose ports of one name have other numbers are in other subsets, and ports with the same pods in one",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      const ports = [
        { name: "http", port: 80, targetPort: "http" },
        { name: "metrics", port: 9000, targetPort: 9100, appProtocol: "kubernetes.io/h2c" },
        { name: "admin", port: 81, targetPort: 8081 },
      ];
      await stage.addService({ ports });
      await stage.untilAddresses([]);
      await stage.addPod("a", { ips: ["10.1.0.1"], port: 8080 });
      await stage.untilAddresses(["10.1.0.1:8080,8081,9100 ready"]);
      await stage.addPod("b", { ips: ["10.1.0.2"], port: 7070 });
      await stage.untilAddresses([
        "10.1.0.1:8080 ready",
        "10.1.0.1:8081,9100 ready",
        "10.1.0.2:7070 ready",
        "10.1.0.2:8081,9100 ready",
      ]);
      await stage.removePod("b");
      await stage.untilAddresses(["10.1.0.1:8080,8081,9100 ready"]);
      await stage.patchService({ spec: { ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }] } });
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
    },
  },
  {
    name: "a headless Service that publishes addresses that are not ready names its pods, also while they are deleted",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService({ clusterIP: "None", publishNotReadyAddresses: true });
      await stage.untilAddresses([]);
      await stage.addPod("a", { isReady: false, spec: { hostname: "a", subdomain: "web" } });
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
      const { metadata, subsets } = await stage.endpoints();
      expect(subsets?.[0]?.addresses?.[0]?.hostname).toBe("a");
      expect(metadata.labels).toMatchObject({ "service.kubernetes.io/headless": "" });
      await stage.beginDeletion("a");
      // It stays; a pod that comes later says when that has been looked at.
      await stage.addPod("b", { ips: ["10.1.0.2"] });
      await stage.untilAddresses(["10.1.0.1:8080 ready", "10.1.0.2:8080 ready"]);
    },
  },
  {
    name: "a headless Service without ports has Endpoints without ports",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService({ clusterIP: "None", ports: null });
      await stage.untilAddresses([]);
      await stage.addPod("a");
      await stage.untilAddresses(["10.1.0.1: ready"]);
      await stage.addPod("b", { ips: ["10.1.0.2"], isReady: false });
      await stage.untilAddresses(["10.1.0.1: ready", "10.1.0.2:"]);
    },
  },
  {
    name: "of both families, the first is the one of the Endpoints",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService({ ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6", "IPv4"] });
      await stage.untilAddresses([]);
      await stage.addPod("a", { ips: ["10.1.0.1", "fd00:1::1"] });
      await stage.untilAddresses(["fd00:1::1:8080 ready"]);
    },
  },
  {
    name: "the Endpoints follow the selector and the labels of the Service",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService({}, { labels: { team: "shop" } });
      await stage.untilAddresses([]);
      await stage.addPod("a", { ips: ["10.1.0.1"] });
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
      await stage.addPod("b", { ips: ["10.1.0.2"], labels: { app: "other" } });
      await stage.patchService({ spec: { selector: { app: "other" } } });
      await stage.untilAddresses(["10.1.0.2:8080 ready"]);
      await stage.relabelPod("a", { app: "other" });
      await stage.untilAddresses(["10.1.0.1:8080 ready", "10.1.0.2:8080 ready"]);
      await stage.patchService({ metadata: { labels: { team: null, tier: "front" } } });
      await cluster.until("the labels", async () => {
        const { team, tier } = (await stage.endpoints()).metadata.labels ?? {};
        return team === undefined && tier === "front";
      });
    },
  },
  {
    name: "Endpoints that somebody deletes are made anew; those of a Service without a selector are left alone",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      await using stage = await newServiceStage(cluster);
      await stage.addService();
      await stage.untilAddresses([]);
      await stage.addPod("a");
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
      const all = client.resource(endpoints).in(namespace);
      await all.delete("web", {}, signal);
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
      await stage.addService({ selector: null }, { name: "by-hand" });
      const subsets = [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ name: "http", port: 80, protocol: "TCP" }] }];
      await all.create({ apiVersion: "v1", kind: "Endpoints", metadata: { name: "by-hand" }, subsets }, signal);
      await stage.removePod("a");
      await stage.untilAddresses([]);
      await stage.untilAddresses(["10.9.9.9:80 ready"], "by-hand");
    },
  },
  {
    name: "a Service that was only a name gets Endpoints when it has an address",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService({ type: "ExternalName", externalName: "example.com" });
      await stage.addPod("a");
      // Another Service of the same pod says when that was seen.
      await stage.addService({}, { name: "sentinel" });
      await stage.untilAddresses(["10.1.0.1:8080 ready"], "sentinel");
      await untilGone(cluster);
      await stage.patchService({ spec: { type: "ClusterIP", externalName: null } });
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
    },
  },
  {
    name: "the Endpoints of a Service that is deleted go with it, and come back with it",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      await stage.addService();
      await stage.untilAddresses([]);
      await stage.addPod("a");
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
      await stage.removeService();
      await untilGone(cluster);
      await stage.addService();
      await stage.untilAddresses(["10.1.0.1:8080 ready"]);
    },
  },
  {
    name: "more than 1,000 addresses are cut to 1,000, and the Endpoints say so until there are fewer",
    async run(cluster) {
      await using stage = await newServiceStage(cluster);
      // Each of 52 pods lacks one of 20 ports at most: 20 subsets of 51 addresses each.
      const names = Array.from({ length: 20 }, (_, i) => `p-${i}`);
      const ports = names.map((name, i) => ({ name, port: 80 + i, targetPort: name }));
      const containerPorts = (pod: number) =>
        names.map((name, i) => ({ name, containerPort: 8000 + i })).filter((_, i) => i !== pod);
      const pod = (i: number, labels: object = {}) =>
        stage.addPod(`pod-${i}`, {
          ips: [`10.1.1.${i}`],
          labels: { ...appLabels, ...labels },
          spec: { containers: [{ name: "app", image: "app:1", ports: containerPorts(i) }] },
        });
      await stage.addPods(51, (i) => pod(i));
      // When this last pod is seen, all are.
      await pod(51, { last: "true" });
      await stage.addService(
        { selector: { last: "true" }, ports: [{ port: 80, targetPort: 8000 }] },
        { name: "sentinel" },
      );
      await stage.untilAddresses(["10.1.1.51:8000 ready"], "sentinel");
      await stage.addService({ ports });
      const state = async () => {
        const { metadata, subsets } = await stage.endpoints();
        const sizes = (subsets ?? []).map(({ addresses }) => addresses?.length ?? 0);
        return `${[...new Set(sizes)]} in ${sizes.length} subsets ${metadata.annotations?.[overCapacity]}`;
      };
      await cluster.until("1,000 addresses", async () => (await state()) === "50 in 20 subsets truncated");
      await stage.patchService({ spec: { selector: { last: "true" } } });
      await cluster.until("few addresses", async () => (await state()) === "1 in 1 subsets undefined");
    },
  },
];
