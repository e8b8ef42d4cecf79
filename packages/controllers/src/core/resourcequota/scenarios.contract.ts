// What users see of the resourcequota controller. The embedded server has no quota admission: there, what is created is only counted when a
// quota is computed for another reason. So scenarios create first and limit then, or say that they need a real server.
import {
  type corev1,
  defineResource,
  isForbidden,
  type KubernetesObject,
  type Resource,
  type SubresourceTypes,
} from "@kubeloop/core/api";
import {
  customResourceDefinitions,
  deployments,
  deviceClasses,
  persistentVolumeClaims,
  pods,
  priorityClasses,
  resourceClaims,
  resourceQuotas,
  secrets,
  services,
} from "@kubeloop/core/resources";
import { expect } from "vitest";
import { type Scenario, type ScenarioCluster, untilNotServed } from "../../scenarios/scenario.contract.ts";

type Amounts = Readonly<Record<string, string>>;

/** Quotas, what they count, and what a user does with both. */
const quotaActions = (cluster: ScenarioCluster) => {
  const { client, namespace, signal } = cluster;
  const at = (resource: Resource) => {
    const all = client.resource<KubernetesObject, SubresourceTypes>(resource);
    return resource.namespaced ? all.in(namespace) : all;
  };
  const quotas = client.resource(resourceQuotas).in(namespace);
  const create = (resource: Resource, name: string, body: object = {}) =>
    at(resource).create({ apiVersion: resource.apiVersion, kind: resource.kind, metadata: { name }, ...body }, signal);
  return {
    create,
    createPod: (name: string, resources: corev1.ResourceRequirements = {}, spec: Partial<corev1.PodSpec> = {}) =>
      create(pods, name, {
        spec: {
          containers: [{ name: "main", image: "example.com/main:1", resources }],
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 0,
          ...spec,
        },
      }),
    createService: (name: string, spec: Partial<corev1.ServiceSpec>) =>
      create(services, name, {
        spec: {
          ports: [
            { name: "one", port: 80 },
            { name: "other", port: 81 },
          ],
          ...spec,
        },
      }),
    createClaim: (name: string, storage: string, spec: Partial<corev1.PersistentVolumeClaimSpec> = {}) =>
      create(persistentVolumeClaims, name, {
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec },
      }),
    remove: (resource: Resource, name: string, options: { readonly gracePeriodSeconds?: number } = {}) =>
      at(resource).delete(name, options, signal),
    patch: (resource: Resource, name: string, body: object) =>
      at(resource).patch(name, { type: "merge", body }, signal),
    patchStatus: (resource: Resource, name: string, status: object) =>
      at(resource).subresource("status").patch(name, { type: "merge", body: { status } }, signal),
    limit: (name: string, hard: Amounts, spec: Partial<corev1.ResourceQuotaSpec> = {}) =>
      quotas.create({ apiVersion: "v1", kind: "ResourceQuota", metadata: { name }, spec: { hard, ...spec } }, signal),
    /** Waits until just this is used, of the limits that the spec has. */
    untilUsed: (name: string, used: Amounts) =>
      cluster.until(`${name} uses ${JSON.stringify(used)}`, async () => {
        const { spec, status } = await quotas.get(name, signal);
        expect({ hard: status?.hard, used: status?.used ?? {} }).toEqual({ hard: spec?.hard, used });
        return true;
      }),
    /** What an exhausted quota refuses. */
    expectRefused: async (attempt: Promise<unknown>) => {
      await expect(attempt.catch((error: unknown) => isForbidden(error))).resolves.toBe(true);
    },
  };
};

const small: corev1.ResourceRequirements = {
  requests: { cpu: "250m", memory: "64Mi" },
  limits: { cpu: "500m", memory: "128Mi" },
};
const gpu: corev1.ResourceRequirements = { limits: { "example.com/gpu": "2", "ephemeral-storage": "1Gi" } };

const usedBySmall = (count: number, terminal = 0): Amounts => ({
  "count/pods": `${count + terminal}`,
  pods: `${count}`,
  cpu: ["0", "250m", "500m", "750m"][count] ?? "1",
  "limits.memory": count === 0 ? "0" : `${128 * count}Mi`,
});
const podLimits: Amounts = { "count/pods": "10", pods: "10", cpu: "4", "limits.memory": "1Gi" };

export const resourceQuotaScenarios: readonly Scenario[] = [
  {
    name: "a quota over objects that exist counts them, and follows their deletion",
    async run(cluster) {
      const { createPod, remove, limit, untilUsed } = quotaActions(cluster);
      for (const name of ["a", "b", "c"]) await createPod(name, small);
      await limit("compute", podLimits);
      await untilUsed("compute", usedBySmall(3));
      await remove(pods, "b");
      await untilUsed("compute", usedBySmall(2));
      await remove(pods, "a");
      await remove(pods, "c");
      await untilUsed("compute", usedBySmall(0));
    },
  },
  {
    name: "a pod that has ended counts only as an object",
    async run(cluster) {
      const { createPod, patchStatus, remove, limit, untilUsed } = quotaActions(cluster);
      for (const name of ["a", "b", "c"]) await createPod(name, small);
      await limit("compute", podLimits);
      await untilUsed("compute", usedBySmall(3));
      await patchStatus(pods, "a", { phase: "Succeeded" });
      await untilUsed("compute", usedBySmall(2, 1));
      await patchStatus(pods, "b", { phase: "Failed" });
      await untilUsed("compute", usedBySmall(1, 2));
      await remove(pods, "a");
      await untilUsed("compute", usedBySmall(1, 1));
    },
  },
  {
    name: "init containers, sidecars and extended resources are added up, and printed as upstream prints them",
    async run(cluster) {
      const { createPod, remove, limit, untilUsed } = quotaActions(cluster);
      await createPod("gpu", gpu);
      await createPod(
        "wide",
        { requests: { cpu: "1500m", memory: "1G" } },
        {
          initContainers: [
            { name: "setup", image: "example.com/setup:1", resources: { requests: { cpu: "3", memory: "1M" } } },
            {
              name: "sidecar",
              image: "example.com/sidecar:1",
              restartPolicy: "Always",
              resources: { requests: { cpu: "100m", memory: "24M" } },
            },
          ],
        },
      );
      await limit("mixed", {
        "requests.cpu": "10",
        "requests.memory": "10Gi",
        "limits.cpu": "10",
        "requests.example.com/gpu": "4",
        "requests.ephemeral-storage": "10Gi",
        "limits.ephemeral-storage": "10Gi",
      });
      const none = { "limits.cpu": "0", "requests.cpu": "3", "requests.memory": "1024M" };
      const disk = { "requests.ephemeral-storage": "1Gi", "limits.ephemeral-storage": "1Gi" };
      await untilUsed("mixed", { ...none, ...disk, "requests.example.com/gpu": "2" });
      await remove(pods, "gpu");
      await untilUsed("mixed", {
        ...none,
        "requests.ephemeral-storage": "0",
        "limits.ephemeral-storage": "0",
        "requests.example.com/gpu": "0",
      });
    },
  },
  {
    name: "the resources of the pod as a whole go before those of its containers",
    async run(cluster) {
      const { createPod, remove, limit, untilUsed } = quotaActions(cluster);
      await createPod("whole", small, { resources: { requests: { cpu: "2" }, limits: { cpu: "2", memory: "1Gi" } } });
      await createPod("parts", small);
      await limit("compute", { "requests.cpu": "4", "limits.memory": "4Gi" });
      await untilUsed("compute", { "requests.cpu": "2250m", "limits.memory": "1152Mi" });
      await remove(pods, "parts");
      await untilUsed("compute", { "requests.cpu": "2", "limits.memory": "1Gi" });
    },
  },
  {
    name: "a pod that is being resized counts with the most that it wants or has",
    async run(cluster) {
      const { createPod, patchStatus, limit, untilUsed } = quotaActions(cluster);
      await createPod("a", small);
      await limit("compute", { "requests.cpu": "4" });
      await untilUsed("compute", { "requests.cpu": "250m" });
      const containerStatus = (cpu: string) => ({
        containerStatuses: [
          {
            name: "main",
            image: "example.com/main:1",
            imageID: "",
            ready: false,
            restartCount: 0,
            resources: { requests: { cpu } },
          },
        ],
      });
      await patchStatus(pods, "a", containerStatus("250m"));
      await patchStatus(pods, "a", containerStatus("1500m"));
      await untilUsed("compute", { "requests.cpu": "1500m" });
      await patchStatus(pods, "a", containerStatus("100m"));
      await untilUsed("compute", { "requests.cpu": "250m" });
    },
  },
  {
    name: "scopes: best effort, deadlines and what uses neither",
    async run(cluster) {
      const { createPod, remove, patch, limit, untilUsed } = quotaActions(cluster);
      await createPod("plain");
      await createPod("busy", small);
      await createPod("ending", small, { activeDeadlineSeconds: 3600 });
      await limit("best-effort", { pods: "5" }, { scopes: ["BestEffort"] });
      await limit("not-best-effort", { pods: "5", "requests.cpu": "2" }, { scopes: ["NotBestEffort"] });
      await limit("terminating", { pods: "5" }, { scopes: ["Terminating"] });
      await limit("not-terminating", { pods: "5" }, { scopes: ["NotTerminating"] });
      await limit("both", { pods: "5" }, { scopes: ["NotBestEffort", "NotTerminating"] });
      await untilUsed("best-effort", { pods: "1" });
      await untilUsed("not-best-effort", { pods: "2", "requests.cpu": "500m" });
      await untilUsed("terminating", { pods: "1" });
      await untilUsed("not-terminating", { pods: "2" });
      await untilUsed("both", { pods: "1" });
      // It ends by itself from now on, so it changes from one scope to the other.
      await patch(pods, "busy", { spec: { activeDeadlineSeconds: 3600 } });
      await untilUsed("terminating", { pods: "2" });
      await untilUsed("not-terminating", { pods: "1" });
      await untilUsed("both", { pods: "0" });
      await remove(pods, "plain");
      await untilUsed("best-effort", { pods: "0" });
      await untilUsed("not-best-effort", { pods: "2", "requests.cpu": "500m" });
    },
  },
  {
    name: "scopes: priority classes, by name and by being there",
    async run(cluster) {
      const { create, createPod, remove, limit, untilUsed } = quotaActions(cluster);
      const [high, low] = [`${cluster.namespace}-high`, `${cluster.namespace}-low`];
      await create(priorityClasses, high, { value: 1000 });
      await create(priorityClasses, low, { value: 10 });
      await createPod("a", small, { priorityClassName: high });
      await createPod("b", small, { priorityClassName: high });
      await createPod("c", small, { priorityClassName: low });
      await createPod("d", small);
      const by = (operator: string, ...values: readonly string[]): Partial<corev1.ResourceQuotaSpec> => ({
        scopeSelector: {
          matchExpressions: [{ scopeName: "PriorityClass", operator, ...(values.length === 0 ? {} : { values }) }],
        },
      });
      await limit("in", { pods: "5", "requests.cpu": "2" }, by("In", high));
      await limit("not-in", { pods: "5" }, by("NotIn", high));
      await limit("exists", { pods: "5" }, by("Exists"));
      await limit("absent", { pods: "5" }, by("DoesNotExist"));
      await limit("plain", { pods: "5" }, { scopes: ["PriorityClass"] });
      await untilUsed("in", { pods: "2", "requests.cpu": "500m" });
      await untilUsed("not-in", { pods: "2" });
      await untilUsed("exists", { pods: "3" });
      await untilUsed("absent", { pods: "1" });
      await untilUsed("plain", { pods: "3" });
      await remove(pods, "a");
      await remove(pods, "d");
      await untilUsed("in", { pods: "1", "requests.cpu": "250m" });
      await untilUsed("not-in", { pods: "1" });
      await untilUsed("exists", { pods: "2" });
      await untilUsed("absent", { pods: "0" });
    },
  },
  {
    name: "scopes: affinity to pods in other namespaces",
    async run(cluster) {
      const { createPod, remove, limit, untilUsed } = quotaActions(cluster);
      const near = (namespaces: readonly string[]): Partial<corev1.PodSpec> => ({
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 1,
                podAffinityTerm: { topologyKey: "zone", labelSelector: { matchLabels: { app: "web" } }, namespaces },
              },
            ],
          },
        },
      });
      await createPod("here", {}, near([]));
      await createPod("there", {}, near(["elsewhere"]));
      await limit("across", { pods: "5" }, { scopes: ["CrossNamespacePodAffinity"] });
      await untilUsed("across", { pods: "1" });
      await remove(pods, "there");
      await untilUsed("across", { pods: "0" });
    },
  },
  {
    name: "services: node ports and load balancers, and a type that changes",
    async run(cluster) {
      const { createService, patch, remove, limit, untilUsed } = quotaActions(cluster);
      await createService("internal", { type: "ClusterIP" });
      await createService("ports", { type: "NodePort" });
      await createService("balanced", { type: "LoadBalancer" });
      await createService("bare", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false });
      await limit("edges", {
        services: "9",
        "count/services": "9",
        "services.nodeports": "9",
        "services.loadbalancers": "9",
      });
      const edges = (all: string, nodePorts: string, balancers: string) =>
        untilUsed("edges", {
          services: all,
          "count/services": all,
          "services.nodeports": nodePorts,
          "services.loadbalancers": balancers,
        });
      await edges("4", "4", "2");
      await patch(services, "ports", { spec: { type: "ClusterIP", ports: [{ port: 80, name: "one" }] } });
      await edges("4", "2", "2");
      await remove(services, "balanced");
      await edges("3", "0", "1");
      await remove(services, "bare");
      await remove(services, "internal");
      await edges("1", "0", "0");
      await remove(services, "ports");
      await edges("0", "0", "0");
    },
  },
  {
    name: "claims: storage and their number, in all and by storage class",
    async run(cluster) {
      const { createClaim, patchStatus, patch, remove, limit, untilUsed } = quotaActions(cluster);
      await createClaim("gold-1", "1Gi", { storageClassName: "gold" });
      await createClaim("gold-2", "1536Mi", { storageClassName: "gold" });
      await createClaim("bronze", "10G", { storageClassName: "bronze" });
      await createClaim("none", "1Gi", { storageClassName: "" });
      await limit("gold", {
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "5",
        "gold.storageclass.storage.k8s.io/requests.storage": "100Gi",
      });
      const gold = (count: string, storage: string) =>
        untilUsed("gold", {
          "gold.storageclass.storage.k8s.io/persistentvolumeclaims": count,
          "gold.storageclass.storage.k8s.io/requests.storage": storage,
        });
      await gold("2", "2560Mi");
      await limit("number", { persistentvolumeclaims: "5", "count/persistentvolumeclaims": "5" });
      await untilUsed("number", { persistentvolumeclaims: "4", "count/persistentvolumeclaims": "4" });
      // A claim that is being expanded counts with what was allocated to it.
      await patchStatus(persistentVolumeClaims, "gold-1", { allocatedResources: { storage: "4Gi" } });
      await gold("2", "5632Mi");
      await patch(persistentVolumeClaims, "gold-2", { metadata: { finalizers: null } });
      await remove(persistentVolumeClaims, "gold-2");
      await gold("1", "4Gi");
      await untilUsed("number", { persistentvolumeclaims: "3", "count/persistentvolumeclaims": "3" });
    },
  },
  {
    name: "claims: scope of their VolumeAttributesClass",
    async run(cluster) {
      const { createClaim, patchStatus, patch, remove, limit, untilUsed } = quotaActions(cluster);
      await createClaim("fast", "1Gi", { storageClassName: "gold", volumeAttributesClassName: "fast" });
      await createClaim("slow", "2Gi", { storageClassName: "gold", volumeAttributesClassName: "slow" });
      await createClaim("plain", "4Gi", { storageClassName: "gold" });
      const by = (operator: string, values: readonly string[]): Partial<corev1.ResourceQuotaSpec> => ({
        scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator, values }] },
      });
      await limit("fast", { "requests.storage": "10Gi" }, by("In", ["fast"]));
      await limit("any", { persistentvolumeclaims: "10" }, { scopes: ["VolumeAttributesClass"] });
      await untilUsed("fast", { "requests.storage": "1Gi" });
      await untilUsed("any", { persistentvolumeclaims: "2" });
      // It is being changed to the other class, and counts for both.
      await patchStatus(persistentVolumeClaims, "slow", { currentVolumeAttributesClassName: "fast" });
      await untilUsed("fast", { "requests.storage": "3Gi" });
      await patch(persistentVolumeClaims, "fast", { metadata: { finalizers: null } });
      await remove(persistentVolumeClaims, "fast");
      await untilUsed("fast", { "requests.storage": "2Gi" });
      await untilUsed("any", { persistentvolumeclaims: "1" });
    },
  },
  {
    name: "objects of any resource are counted, under old names and new ones",
    async run(cluster) {
      const { create, remove, limit, untilUsed } = quotaActions(cluster);
      const labels = { app: "web" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.com/main:1" }] } };
      for (const name of ["web", "api"]) {
        await create(deployments, name, { spec: { replicas: 0, selector: { matchLabels: labels }, template } });
      }
      for (const name of ["one", "two"]) await create(secrets, name);
      await limit("counts", {
        "count/deployments.apps": "5",
        "count/secrets": "5",
        secrets: "5",
        resourcequotas: "5",
      });
      const counts = (deploys: string, all: string) =>
        untilUsed("counts", {
          "count/deployments.apps": deploys,
          "count/secrets": all,
          secrets: all,
          resourcequotas: "1",
        });
      await counts("2", "2");
      await remove(deployments, "web");
      await counts("1", "2");
      await remove(secrets, "one");
      await counts("1", "1");
      // A quota with scopes counts only what has scopes.
      await limit("scoped", { pods: "5" }, { scopes: ["Terminating"] });
      await untilUsed("scoped", { pods: "0" });
      await remove(resourceQuotas, "scoped");
      await counts("1", "1");
    },
  },
  {
    name: "limits that change are reported, with the usage of what is new",
    async run(cluster) {
      const { create, patch, remove, limit, untilUsed } = quotaActions(cluster);
      for (const name of ["one", "two", "three"]) await create(secrets, name);
      await limit("counts", { secrets: "2" });
      // More than the limit may be there: what exists stays.
      await untilUsed("counts", { secrets: "3" });
      await patch(resourceQuotas, "counts", { spec: { hard: { secrets: "20", services: "5" } } });
      await untilUsed("counts", { secrets: "3", services: "0" });
      await patch(resourceQuotas, "counts", { spec: { hard: { secrets: null } } });
      await untilUsed("counts", { services: "0" });
      await patch(resourceQuotas, "counts", { spec: { hard: { "count/secrets": "1k" } } });
      await untilUsed("counts", { services: "0", "count/secrets": "3" });
      await remove(secrets, "two");
      await untilUsed("counts", { services: "0", "count/secrets": "2" });
    },
  },
  {
    name: "a status that somebody has overwritten is mended by the next deletion, and a name that nobody counts keeps its usage",
    async run(cluster) {
      const { create, patchStatus, remove, limit, untilUsed } = quotaActions(cluster);
      for (const name of ["one", "two", "three"]) await create(secrets, name);
      await limit("counts", { secrets: "5", "count/gadgets.example.com": "5" });
      await untilUsed("counts", { secrets: "3" });
      await patchStatus(resourceQuotas, "counts", { used: { secrets: "4", "count/gadgets.example.com": "4" } });
      await remove(secrets, "one");
      await untilUsed("counts", { secrets: "2", "count/gadgets.example.com": "4" });
    },
  },
  {
    name: "devices of resource claims, by class and as extended resources",
    async run(cluster) {
      const { create, createPod, remove, limit, untilUsed } = quotaActions(cluster);
      const plain = `${cluster.namespace}-plain`;
      const named = `${cluster.namespace}-named`;
      const extended = `${cluster.namespace}.example.com/gpu`;
      await create(deviceClasses, plain, { spec: {} });
      await create(deviceClasses, named, { spec: { extendedResourceName: extended } });
      const request = (name: string, deviceClassName: string, more: object = {}) => ({
        name,
        exactly: { deviceClassName, allocationMode: "ExactCount", count: 1, ...more },
      });
      await create(resourceClaims, "two", {
        spec: { devices: { requests: [request("a", plain), request("b", named, { count: 2 })] } },
      });
      await create(resourceClaims, "all", {
        spec: { devices: { requests: [request("a", plain, { allocationMode: "All", count: null })] } },
      });
      await create(resourceClaims, "first", {
        spec: {
          devices: {
            requests: [
              {
                name: "a",
                firstAvailable: [
                  { name: "many", deviceClassName: named, allocationMode: "ExactCount", count: 4 },
                  { name: "few", deviceClassName: named, allocationMode: "ExactCount", count: 3 },
                ],
              },
            ],
          },
        },
      });
      await createPod("direct", { limits: { [extended]: "1" } });
      const names = [
        "count/resourceclaims.resource.k8s.io",
        `${plain}.deviceclass.resource.k8s.io/devices`,
        `${named}.deviceclass.resource.k8s.io/devices`,
        `requests.${extended}`,
        `requests.deviceclass.resource.kubernetes.io/${named}`,
      ];
      const amounts = (...each: readonly string[]): Amounts =>
        Object.fromEntries(names.map((name, i) => [name, each[i] ?? ""]));
      await limit("devices", amounts("50", "50", "50", "50", "50"));
      await untilUsed("devices", amounts("3", "33", "6", "7", "6"));
      await remove(resourceClaims, "all");
      await untilUsed("devices", amounts("2", "1", "6", "7", "6"));
      await remove(resourceClaims, "first");
      await remove(pods, "direct");
      await untilUsed("devices", amounts("1", "1", "2", "2", "2"));
    },
  },
  {
    name: "an exhausted quota refuses, and has room again as soon as something was deleted",
    needsRealServer: true,
    async run(cluster) {
      const { createPod, patchStatus, remove, limit, untilUsed, expectRefused } = quotaActions(cluster);
      await limit("compute", { pods: "2", "requests.cpu": "1" });
      await untilUsed("compute", { pods: "0", "requests.cpu": "0" });
      await createPod("a", small);
      await createPod("b", small);
      await untilUsed("compute", { pods: "2", "requests.cpu": "500m" });
      await expectRefused(createPod("c", small));
      await remove(pods, "a");
      await untilUsed("compute", { pods: "1", "requests.cpu": "250m" });
      await createPod("c", small);
      await untilUsed("compute", { pods: "2", "requests.cpu": "500m" });
      await patchStatus(pods, "c", { phase: "Succeeded" });
      await untilUsed("compute", { pods: "1", "requests.cpu": "250m" });
      await expectRefused(createPod("d", { requests: { cpu: "800m" } }));
      await createPod("d", { requests: { cpu: "750m" } });
      await untilUsed("compute", { pods: "2", "requests.cpu": "1" });
    },
  },
  {
    name: "objects of a kind that is defined later are counted",
    needsRealServer: true,
    async run(cluster) {
      const { create, remove, limit, untilUsed } = quotaActions(cluster);
      const widgets = defineResource({
        group: `${cluster.namespace}.example.com`,
        version: "v1",
        kind: "Widget",
        plural: "widgets",
      });
      const name = `${widgets.plural}.${widgets.group}`;
      await create(customResourceDefinitions, name, {
        spec: {
          group: widgets.group,
          scope: "Namespaced",
          names: { plural: widgets.plural, kind: widgets.kind },
          versions: [
            { name: widgets.version, served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          ],
        },
      });
      for (const each of ["one", "two", "three"])
        await cluster.until(`${each} is created`, () => create(widgets, each));
      // A manager looks for new kinds every thirty seconds. A quota from before that is computed again minutes later: another one is sooner.
      const limits = { [`count/${name}`]: "5" };
      let count = 0;
      const counted = await cluster.until("widgets are counted", async () => {
        const quota = `counts-${++count}`;
        await limit(quota, limits);
        await untilUsedWithin(cluster, quota);
        const { status } = await cluster.client
          .resource(resourceQuotas)
          .in(cluster.namespace)
          .get(quota, cluster.signal);
        if (status?.used?.[`count/${name}`] === "3") return quota;
        await remove(resourceQuotas, quota);
        await cluster.pass(2_000);
        return undefined;
      });
      await remove(widgets, "two");
      await untilUsed(counted, { [`count/${name}`]: "2" });
      await remove(resourceQuotas, counted);
      await remove(customResourceDefinitions, name);
      await untilNotServed(cluster, widgets.group);
    },
  },
  {
    name: "what is created is counted by the next recalculation of all quotas, and so is a status that somebody has overwritten",
    needsVirtualTime: true,
    async run(cluster) {
      const { create, patchStatus, limit, untilUsed } = quotaActions(cluster);
      await limit("counts", { secrets: "5" });
      await untilUsed("counts", { secrets: "0" });
      await create(secrets, "one");
      await cluster.pass(300_000);
      await untilUsed("counts", { secrets: "1" });
      await patchStatus(resourceQuotas, "counts", { used: { secrets: "9" } });
      await cluster.pass(300_000);
      await untilUsed("counts", { secrets: "1" });
    },
  },
  {
    name: "a pod that should long be gone frees its quota",
    needsVirtualTime: true,
    async run(cluster) {
      const { createPod, patch, remove, limit, untilUsed } = quotaActions(cluster);
      await createPod("stuck", small, { terminationGracePeriodSeconds: 30, nodeName: "lost" });
      await patch(pods, "stuck", { metadata: { finalizers: ["example.com/held"] } });
      await limit("compute", { pods: "2", "count/pods": "2" });
      await untilUsed("compute", { pods: "1", "count/pods": "1" });
      await remove(pods, "stuck");
      await cluster.pass(50_000);
      await untilUsed("compute", { pods: "1", "count/pods": "1" });
      await cluster.pass(300_000);
      await untilUsed("compute", { pods: "0", "count/pods": "1" });
      await patch(pods, "stuck", { metadata: { finalizers: null } });
      await remove(pods, "stuck", { gracePeriodSeconds: 0 });
      await untilUsed("compute", { pods: "0", "count/pods": "0" });
    },
  },
];

/** Waits until the controller has computed the quota once, whatever it could count. */
async function untilUsedWithin({ client, namespace, signal, until }: ScenarioCluster, name: string): Promise<void> {
  await until(`${name} has a status`, async () => {
    const { status } = await client.resource(resourceQuotas).in(namespace).get(name, signal);
    return status?.hard !== undefined;
  });
}
