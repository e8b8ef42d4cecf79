// Factories: one informer for each resource, over one client, started, waited for and stopped together.
import { expect } from "vitest";
import { configMaps, deployments, pods, secrets } from "../../api/generated/resources.ts";
import type { corev1 } from "../../api/index.ts";
import { configMap, deployment, haveWidgets, names, pod, widget } from "../../client/integration/objects.contract.ts";
import { DynamicSharedInformerFactory } from "../factory/dynamic-shared-informer-factory.ts";
import { MetadataSharedInformerFactory } from "../factory/metadata-shared-informer-factory.ts";
import { SharedInformerFactory } from "../factory/shared-informer-factory.ts";
import type { InformerCase } from "./informer-suite.contract.ts";
import { Line } from "./line.contract.ts";
import { running, Told } from "./observed.contract.ts";

export const factoryCases: readonly InformerCase[] = [
  {
    name: "kinds are at hand by name, shared by all who ask, in sync together and stopped together",
    async run({ client, namespace, signal }) {
      await client.resource(configMaps).in(namespace).create(configMap("a"), signal);
      await client
        .resource(pods)
        .in(namespace)
        .create(pod("a", { app: "x" }), signal);
      await client.resource(deployments).in(namespace).create(deployment("a"), signal);
      const line = new Line(client);
      const factory = new SharedInformerFactory(line.client, { namespace, freeze: true });
      const { informer } = factory.core.v1.configMaps;
      expect(factory.of(configMaps).informer).toBe(informer);
      const told = [new Told(), new Told()];
      for (const each of told) informer.addEventHandler(each);
      const podLister = factory.core.v1.pods.lister;
      const deploymentLister = factory.apps.v1.deployments.lister;
      {
        await using _running = running(factory, signal);
        const { caches } = await factory.waitForCacheSync(signal);
        expect(caches.map(({ name, isSynced }) => [name, isSynced]).sort()).toEqual(
          ["configmaps", "deployments.apps", "pods"].map((name) => [`${name} in ${namespace}`, true]),
        );
        expect(podLister.namespace(namespace).list("app=x")[0]?.spec?.containers[0]?.name).toBe("main");
        expect(deploymentLister.namespace(namespace).getOrThrow("a").spec?.replicas).toBe(1);
        await client.resource(configMaps).in(namespace).create(configMap("b"), signal);
        for (const each of told) expect(await each.count(2, signal)).toEqual(["add a", "add b"]);
        // Two askers, one watch.
        expect(factory.statuses).toHaveLength(3);

        const late = factory.core.v1.secrets;
        await client
          .resource(secrets)
          .in(namespace)
          .create({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } }, signal);
        await late.informer.whenSynced(signal);
        const heard = new Told<corev1.Secret>();
        late.informer.addEventHandler(heard);
        await heard.line("add s", signal);
      }
      expect(factory.statuses.map(({ phase }) => phase)).toEqual(["stopped", "stopped", "stopped", "stopped"]);
      expect(line.open).toBe(0);
      expect(names(podLister.list())).toEqual(["a"]);
    },
  },
  {
    name: "twenty kinds are followed over one client, and one that is let go of stops alone",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      const line = new Line(client);
      const factory = new SharedInformerFactory(line.client, { namespace });
      const { core, apps, batch, rbac, networking, policy, coordination, discovery, autoscaling } = factory;
      const informers = [
        ...[core.v1.configMaps, core.v1.pods, core.v1.secrets, core.v1.services, core.v1.endpoints, core.v1.nodes],
        ...[core.v1.serviceAccounts, core.v1.limitRanges, core.v1.resourceQuotas, core.v1.persistentVolumeClaims],
        ...[apps.v1.deployments, apps.v1.replicaSets, apps.v1.statefulSets, apps.v1.daemonSets, batch.v1.jobs],
        ...[batch.v1.cronJobs, rbac.v1.roles, rbac.v1.roleBindings, networking.v1.networkPolicies],
        ...[policy.v1.podDisruptionBudgets, coordination.v1.leases, discovery.v1.endpointSlices],
        autoscaling.v2.horizontalPodAutoscalers,
      ].map(({ informer }) => informer);
      await using _running = running(factory, signal);
      await factory.waitForCacheSync(signal);
      expect(informers.map(({ status }) => [status.phase, status.errors])).toEqual(
        informers.map(() => ["watching", 0]),
      );
      const watched = line.open;
      expect(watched).toBe(informers.length);
      {
        await using acquired = factory.acquire(await haveWidgets(client, signal));
        await acquired.informer.whenSynced(signal);
        expect(line.open).toBe(watched + 1);
      }
      expect(line.open).toBe(watched);
    },
  },
  {
    name: "a resource that only its place is known of can be followed, whole or in metadata",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      const { group, version, plural } = await haveWidgets(client, signal);
      const place = { group, version, resource: plural };
      const made = await client
        .resource(await haveWidgets(client, signal))
        .in(namespace)
        .create(widget("a"), signal);
      const whole = new DynamicSharedInformerFactory(client, { namespace });
      const metadata = new MetadataSharedInformerFactory(client, { namespace });
      const listers = [whole.forResource(place).lister, metadata.forResource(place).lister] as const;
      await using _whole = running(whole, signal);
      await using _metadata = running(metadata, signal);
      await whole.waitForCacheSync(signal);
      await metadata.waitForCacheSync(signal);
      const partial = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: made.metadata };
      expect(listers.map((lister) => lister.namespace(namespace).list())).toEqual([[made], [partial]]);
    },
  },
];
