// For each written controller: objects that it works on until they are as they should be, and later a change to them that it has to work on. The
// one may happen under one manager and the other under another.
import { type appsv1, type corev1, isNotFound, type Resource } from "@kubeloop/core/api";
import {
  clusterRoles,
  configMaps,
  deployments,
  endpoints,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
} from "@kubeloop/core/resources";
import { newServiceStage, type ScenarioCluster, serviceStage } from "@kubeloop/scenarios";
import { expect } from "vitest";

export interface HandedOver {
  /** Returns when the controller has nothing left to do. */
  readonly prepare: (cluster: ScenarioCluster) => Promise<void>;
  /** Returns when the controller has worked on it; what need not change has not. */
  readonly change: (cluster: ScenarioCluster) => Promise<void>;
}

/** The cluster's namespace is there, and everything is made in it or named after it. */
export const handedOver: Readonly<Record<string, HandedOver>> = {
  "clusterrole-aggregation-controller": {
    async prepare(cluster) {
      const { client, namespace, signal } = cluster;
      await addRole(cluster, "first", ["get"]);
      await client.resource(clusterRoles).create(
        {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRole",
          metadata: { name: `${namespace}-whole` },
          rules: [],
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: namespace } }] },
        },
        signal,
      );
      await untilVerbs(cluster, ["get"]);
    },
    async change(cluster) {
      await addRole(cluster, "second", ["list"]);
      await untilVerbs(cluster, ["get", "list"]);
    },
  },
  "deployment-controller": {
    async prepare(cluster) {
      const { client, namespace, signal, until } = cluster;
      const labels = { app: "web" };
      // Defaults, quantities, a port by name: whoever takes it over must find the same template.
      const containers = [
        {
          name: "main",
          image: "example.com/web:1",
          ports: [{ name: "http", containerPort: 8080 }],
          resources: { limits: { cpu: "0.5", memory: "64Mi" } },
          readinessProbe: { httpGet: { port: "http" } },
        },
      ];
      const volumes = [{ name: "tmp", emptyDir: { sizeLimit: "8Gi" } }];
      await until("the service account of pods", () =>
        client.resource(serviceAccounts).in(namespace).get("default", signal),
      );
      await client
        .resource(deployments)
        .in(namespace)
        .create(
          {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "web" },
            spec: {
              replicas: 2,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers, volumes } },
            },
          },
          signal,
        );
      await untilReplicas(cluster, 2, deployments);
    },
    change: (cluster) => scaleToThree(cluster, deployments),
  },
  "namespace-controller": {
    async prepare({ client, namespace, signal }) {
      await client.resource(namespaces).create(namespaceOf(`${namespace}-inner`), signal);
      await client
        .resource(configMaps)
        .in(`${namespace}-inner`)
        .create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "content" } }, signal);
    },
    async change({ client, namespace, signal, until }) {
      const inner = `${namespace}-inner`;
      await client.resource(namespaces).delete(inner, {}, signal);
      await until(`${inner} is gone`, () => isGone(client.resource(namespaces).get(inner, signal)));
    },
  },
  "garbage-collector-controller": {
    async prepare({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const owner = await maps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" } }, signal);
      const { name = "", uid = "" } = owner.metadata;
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid }];
      await maps.create(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "dependent", ownerReferences } },
        signal,
      );
    },
    async change({ client, namespace, signal, until }) {
      const maps = client.resource(configMaps).in(namespace);
      await maps.delete("owner", { propagationPolicy: "Background" }, signal);
      await until("the dependent is gone", () => isGone(maps.get("dependent", signal)));
    },
  },
  "node-ipam-controller": {
    async prepare(cluster) {
      const { client, namespace, signal } = cluster;
      await client
        .resource(nodes)
        .create({ apiVersion: "v1", kind: "Node", metadata: { name: `${namespace}-node` } }, signal);
      await untilNetworks(cluster);
      await reportReady(cluster);
      await untilTaints(cluster, []);
    },
    async change(cluster) {
      const { client, namespace, signal } = cluster;
      const name = `${namespace}-node`;
      await client.resource(nodes).delete(name, {}, signal);
      await client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name } }, signal);
      await untilNetworks(cluster);
      const all: string[] = [];
      for await (const { spec } of client.resource(nodes).list({}, signal)) all.push(...(spec?.podCIDRs ?? []));
      expect(new Set(all).size).toBe(all.length);
    },
  },
  "node-lifecycle-controller": {
    async prepare(cluster) {
      const { client, namespace, signal } = cluster;
      const node = { apiVersion: "v1", kind: "Node", metadata: { name: `${namespace}-node` } } as const;
      await client.resource(nodes).create({ ...node, spec: { unschedulable: true } }, signal);
      await reportReady(cluster);
      await untilTaints(cluster, ["node.kubernetes.io/unschedulable"]);
    },
    async change(cluster) {
      const { client, namespace, signal } = cluster;
      await client
        .resource(nodes)
        .patch(`${namespace}-node`, { type: "merge", body: { spec: { unschedulable: null } } }, signal);
      await untilTaints(cluster, []);
    },
  },
  "persistentvolume-protection-controller": {
    async prepare({ client, namespace, signal, until }) {
      const all = client.resource(persistentVolumes);
      await all.create(
        {
          apiVersion: "v1",
          kind: "PersistentVolume",
          metadata: { name: `${namespace}-disk` },
          spec: {
            capacity: { storage: "1Gi" },
            accessModes: ["ReadWriteOnce"],
            storageClassName: "by-hand",
            hostPath: { path: "/data" },
          },
        },
        signal,
      );
      await until("the volume is protected", async () => {
        const { metadata } = await all.get(`${namespace}-disk`, signal);
        return metadata.finalizers?.includes("kubernetes.io/pv-protection");
      });
    },
    async change({ client, namespace, signal, until }) {
      const all = client.resource(persistentVolumes);
      await all.delete(`${namespace}-disk`, {}, signal);
      await until("the volume is gone", () => isGone(all.get(`${namespace}-disk`, signal)));
    },
  },
  "persistentvolumeclaim-protection-controller": {
    async prepare({ client, namespace, signal, until }) {
      const claims = client.resource(persistentVolumeClaims).in(namespace);
      await claims.create(
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: "data" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1Gi" } },
            storageClassName: "by-hand",
          },
        },
        signal,
      );
      await until("the claim is protected", async () => {
        const { metadata } = await claims.get("data", signal);
        return metadata.finalizers?.includes("kubernetes.io/pvc-protection");
      });
    },
    async change({ client, namespace, signal, until }) {
      const claims = client.resource(persistentVolumeClaims).in(namespace);
      await claims.delete("data", {}, signal);
      await until("the claim is gone", () => isGone(claims.get("data", signal)));
    },
  },
  "replicaset-controller": {
    async prepare(cluster) {
      const { client, namespace, signal, until } = cluster;
      const labels = { app: "web" };
      const containers = [{ name: "main", image: "example.com/web:1" }];
      await until("the service account of pods", () =>
        client.resource(serviceAccounts).in(namespace).get("default", signal),
      );
      await client
        .resource(replicaSets)
        .in(namespace)
        .create(
          {
            apiVersion: "apps/v1",
            kind: "ReplicaSet",
            metadata: { name: "web" },
            spec: {
              replicas: 2,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers } },
            },
          },
          signal,
        );
      await untilReplicas(cluster, 2, replicaSets);
    },
    change: (cluster) => scaleToThree(cluster, replicaSets),
  },
  "replicationcontroller-controller": {
    async prepare(cluster) {
      const { client, namespace, signal, until } = cluster;
      const selector = { app: "web" };
      const containers = [{ name: "main", image: "example.com/web:1" }];
      await until("the service account of pods", () =>
        client.resource(serviceAccounts).in(namespace).get("default", signal),
      );
      await client
        .resource(replicationControllers)
        .in(namespace)
        .create(
          {
            apiVersion: "v1",
            kind: "ReplicationController",
            metadata: { name: "web" },
            spec: { replicas: 2, selector, template: { metadata: { labels: selector }, spec: { containers } } },
          },
          signal,
        );
      await untilReplicas(cluster, 2, replicationControllers);
    },
    change: (cluster) => scaleToThree(cluster, replicationControllers),
  },
  "root-ca-certificate-publisher-controller": {
    async prepare({ client, namespace, signal, until }) {
      const maps = client.resource(configMaps).in(namespace);
      await until("the root certificate", () => maps.get("kube-root-ca.crt", signal));
    },
    async change({ client, namespace, signal, until }) {
      const maps = client.resource(configMaps).in(namespace);
      const { data } = await maps.get("kube-root-ca.crt", signal);
      await maps.patch("kube-root-ca.crt", { type: "merge", body: { data: { "ca.crt": "another" } } }, signal);
      await until("the root certificate again", async () => {
        expect((await maps.get("kube-root-ca.crt", signal)).data).toEqual(data);
        return true;
      });
    },
  },
  "serviceaccount-controller": {
    async prepare({ client, namespace, signal, until }) {
      const accounts = client.resource(serviceAccounts).in(namespace);
      await until("the default service account", () => accounts.get("default", signal));
    },
    async change({ client, namespace, signal, until }) {
      const accounts = client.resource(serviceAccounts).in(namespace);
      const { uid } = (await accounts.get("default", signal)).metadata;
      await accounts.delete("default", {}, signal);
      await until(
        "another default service account",
        async () => (await accounts.get("default", signal)).metadata.uid !== uid,
      );
    },
  },
  "serviceaccount-token-controller": {
    async prepare({ client, namespace, signal, until }) {
      const metadata = { name: "robot-token", annotations: { "kubernetes.io/service-account.name": "robot" } };
      const tokens = client.resource(secrets).in(namespace);
      await client
        .resource(serviceAccounts)
        .in(namespace)
        .create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } }, signal);
      await tokens.create(
        { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/service-account-token", metadata },
        signal,
      );
      await until("the token", async () => (await tokens.get("robot-token", signal)).data?.["token"]);
    },
    async change({ client, namespace, signal, until }) {
      await client.resource(serviceAccounts).in(namespace).delete("robot", {}, signal);
      await until("the secret is gone", () =>
        isGone(client.resource(secrets).in(namespace).get("robot-token", signal)),
      );
    },
  },
  "taint-eviction-controller": {
    async prepare(cluster) {
      const { client, namespace, signal, until } = cluster;
      await until("the service account of pods", () =>
        client.resource(serviceAccounts).in(namespace).get("default", signal),
      );
      const node = { apiVersion: "v1", kind: "Node", metadata: { name: `${namespace}-node` } } as const;
      await client.resource(nodes).create(node, signal);
      await reportReady(cluster);
      await untilTaints(cluster, []);
      const spec = { nodeName: `${namespace}-node`, containers: [{ name: "main", image: "example.com/web:1" }] };
      await client
        .resource(pods)
        .in(namespace)
        .create({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec }, signal);
    },
    async change({ client, namespace, signal, until }) {
      const taints = [{ key: "example.com/maintenance", effect: "NoExecute" }];
      await client.resource(nodes).patch(`${namespace}-node`, { type: "merge", body: { spec: { taints } } }, signal);
      await until("the pod is evicted", async () => {
        const { metadata } = await client.resource(pods).in(namespace).get("web", signal);
        return metadata.deletionTimestamp !== undefined;
      });
    },
  },
  "ttl-controller": {
    async prepare(cluster) {
      const { client, namespace, signal } = cluster;
      await client
        .resource(nodes)
        .create({ apiVersion: "v1", kind: "Node", metadata: { name: `${namespace}-node` } }, signal);
      await untilTtl(cluster);
    },
    async change(cluster) {
      const { client, namespace, signal } = cluster;
      const body = { metadata: { annotations: { [ttlAnnotation]: null } } };
      await client.resource(nodes).patch(`${namespace}-node`, { type: "merge", body }, signal);
      await untilTtl(cluster);
    },
  },
  "endpoints-controller": {
    async prepare(cluster) {
      const stage = await newServiceStage(cluster);
      const ports = [
        { name: "http", port: 80, targetPort: "http" },
        { name: "metrics", port: 9000, targetPort: 9100 },
      ];
      await stage.addService({ ports }, { labels: { team: "shop" } });
      await stage.addPod("a", { ips: ["10.1.0.1"], port: 8080 });
      await stage.addPod("b", { ips: ["10.1.0.2"], port: 8081 });
      await stage.addPod("c", { ips: ["10.1.0.3"], port: 8082, isReady: false });
      await stage.untilAddresses([
        "10.1.0.1:8080 ready",
        "10.1.0.1:9100 ready",
        "10.1.0.2:8081 ready",
        "10.1.0.2:9100 ready",
        "10.1.0.3:8082",
        "10.1.0.3:9100",
      ]);
    },
    async change(cluster) {
      const stage = serviceStage(cluster);
      await stage.removePod("b");
      await stage.untilAddresses(["10.1.0.1:8080 ready", "10.1.0.1:9100 ready", "10.1.0.3:8082", "10.1.0.3:9100"]);
    },
  },
  "endpointslice-mirroring-controller": {
    async prepare(cluster) {
      const { client, namespace, signal } = cluster;
      await serviceStage(cluster).addService({ selector: null });
      const subsets = [
        {
          addresses: [{ ip: "10.9.0.1" }, { ip: "10.9.0.2" }],
          ports: [
            { name: "http", port: 80, protocol: "TCP" },
            { name: "metrics", port: 9100, protocol: "TCP" },
          ],
        },
      ];
      const metadata = { name: "web", labels: { team: "shop" }, annotations: { note: "x" } };
      await client
        .resource(endpoints)
        .in(namespace)
        .create({ apiVersion: "v1", kind: "Endpoints", metadata, subsets }, signal);
      await untilMirrored(cluster, 2);
    },
    async change(cluster) {
      const { client, namespace, signal } = cluster;
      const subsets = [{ addresses: [{ ip: "10.9.0.1" }], ports: [{ name: "http", port: 80, protocol: "TCP" }] }];
      await client.resource(endpoints).in(namespace).patch("web", { type: "merge", body: { subsets } }, signal);
      await untilMirrored(cluster, 1);
    },
  },
  "endpointslice-controller": {
    async prepare(cluster) {
      const stage = await newServiceStage(cluster);
      const ports = [
        { name: "http", port: 80, targetPort: "http" },
        { name: "metrics", port: 9000, targetPort: 9100 },
      ];
      await stage.addService({ ports }, { labels: { team: "shop" } });
      await stage.addPod("a", { ips: ["10.1.0.1"] });
      await stage.addPod("b", { ips: ["10.1.0.2"], isReady: false });
      await stage.untilEndpoints(["10.1.0.1:8080,9100 ready serving", "10.1.0.2:8080,9100"]);
    },
    async change(cluster) {
      const stage = serviceStage(cluster);
      await stage.setReady("b", true);
      await stage.untilEndpoints(["10.1.0.1:8080,9100 ready serving", "10.1.0.2:8080,9100 ready serving"]);
    },
  },
  "disruption-controller": {
    async prepare(cluster) {
      const { client, namespace, signal, until } = cluster;
      await until("the account of pods", () => client.resource(serviceAccounts).in(namespace).get("default", signal));
      for (const name of ["a", "b"]) {
        await client
          .resource(pods)
          .in(namespace)
          .create(
            {
              apiVersion: "v1",
              kind: "Pod",
              metadata: { name, labels: { app: "guarded" } },
              spec: { containers: [{ name: "c", image: "example.com/c:1" }], automountServiceAccountToken: false },
            },
            signal,
          );
      }
      await client
        .resource(podDisruptionBudgets)
        .in(namespace)
        .create(
          {
            apiVersion: "policy/v1",
            kind: "PodDisruptionBudget",
            metadata: { name: "guard" },
            spec: { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } },
          },
          signal,
        );
      await untilExpected(cluster, 2);
    },
    async change(cluster) {
      const { client, namespace, signal } = cluster;
      await client.resource(pods).in(namespace).delete("a", {}, signal);
      await untilExpected(cluster, 1);
    },
  },
  "resourcequota-controller": {
    async prepare(cluster) {
      const { client, namespace, signal } = cluster;
      for (const name of ["one", "two"]) {
        await client
          .resource(secrets)
          .in(namespace)
          .create({ apiVersion: "v1", kind: "Secret", metadata: { name } }, signal);
      }
      await client
        .resource(resourceQuotas)
        .in(namespace)
        .create(
          {
            apiVersion: "v1",
            kind: "ResourceQuota",
            metadata: { name: "counts" },
            spec: { hard: { secrets: "5", "requests.memory": "1Gi" } },
          },
          signal,
        );
      await untilUsed(cluster, "2");
    },
    async change(cluster) {
      const { client, namespace, signal } = cluster;
      await client.resource(secrets).in(namespace).delete("one", {}, signal);
      await untilUsed(cluster, "1");
    },
  },
};

const ttlAnnotation = "node.alpha.kubernetes.io/ttl";

const namespaceOf = (name: string): corev1.Namespace => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

async function isGone(getting: Promise<unknown>): Promise<boolean> {
  try {
    await getting;
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

async function untilTtl({ client, namespace, signal, until }: ScenarioCluster): Promise<void> {
  await until("the node's ttl", async () => {
    const { metadata } = await client.resource(nodes).get(`${namespace}-node`, signal);
    return metadata.annotations?.[ttlAnnotation];
  });
}

async function untilNetworks({ client, namespace, signal, until }: ScenarioCluster): Promise<void> {
  await until("the node's networks", async () => {
    const { spec } = await client.resource(nodes).get(`${namespace}-node`, signal);
    return (spec?.podCIDRs ?? []).length === 2;
  });
}

/** As the kubelet does. */
async function reportReady({ client, namespace, signal, nowMs }: ScenarioCluster): Promise<void> {
  const now = new Date(nowMs()).toISOString().replace(/\.\d+Z$/, "Z");
  const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now }];
  await client
    .resource(nodes)
    .subresource("status")
    .patch(`${namespace}-node`, { type: "merge", body: { status: { conditions } } }, signal);
}

async function untilTaints({ client, namespace, signal, until }: ScenarioCluster, expected: string[]): Promise<void> {
  await until(`taints ${expected}`, async () => {
    const { spec } = await client.resource(nodes).get(`${namespace}-node`, signal);
    expect((spec?.taints ?? []).map(({ key }) => key)).toEqual(expected);
    return true;
  });
}

type Replicated = Resource<appsv1.Deployment | appsv1.ReplicaSet | corev1.ReplicationController>;

/** The pods that were there stay: nothing is rolled out. */
async function scaleToThree(cluster: ScenarioCluster, resource: Replicated): Promise<void> {
  const { client, namespace, signal } = cluster;
  const before = await podUids(cluster);
  const patch = { type: "merge", body: { spec: { replicas: 3 } } } as const;
  await client.resource(resource).in(namespace).patch("web", patch, signal);
  await untilReplicas(cluster, 3, resource);
  const after = await podUids(cluster);
  expect(after).toHaveLength(3);
  expect(after).toEqual(expect.arrayContaining([...before]));
}

async function untilReplicas(
  { client, namespace, signal, until }: ScenarioCluster,
  count: number,
  resource: Replicated,
): Promise<void> {
  await until(`${count} replicas`, async () => {
    const { metadata, status } = await client.resource(resource).in(namespace).get("web", signal);
    expect(status).toMatchObject({ replicas: count, observedGeneration: metadata.generation });
    return true;
  });
}

async function podUids({ client, namespace, signal }: ScenarioCluster): Promise<readonly string[]> {
  const uids: string[] = [];
  for await (const { metadata } of client.resource(pods).in(namespace).list({}, signal)) uids.push(metadata.uid ?? "");
  return uids;
}

async function addRole({ client, namespace, signal }: ScenarioCluster, name: string, verbs: string[]): Promise<void> {
  await client.resource(clusterRoles).create(
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: `${namespace}-${name}`, labels: { part: namespace } },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs }],
    },
    signal,
  );
}

async function untilVerbs({ client, namespace, signal, until }: ScenarioCluster, expected: string[]): Promise<void> {
  await until(`a role that may ${expected}`, async () => {
    const { rules } = await client.resource(clusterRoles).get(`${namespace}-whole`, signal);
    expect((rules ?? []).flatMap(({ verbs }) => verbs)).toEqual(expected);
    return true;
  });
}

async function untilMirrored(cluster: ScenarioCluster, count: number): Promise<void> {
  const manager = "endpointslicemirroring-controller.k8s.io";
  await cluster.until(`${count} mirrored endpoints`, async () => {
    const [slice] = await serviceStage(cluster).slices("web", manager);
    return slice?.endpoints?.length === count;
  });
}

async function untilUsed({ client, namespace, signal, until }: ScenarioCluster, used: string): Promise<void> {
  await until(`${used} secrets are counted`, async () => {
    const { status } = await client.resource(resourceQuotas).in(namespace).get("counts", signal);
    return status?.used?.["secrets"] === used;
  });
}

async function untilExpected({ client, namespace, signal, until }: ScenarioCluster, expected: number): Promise<void> {
  await until(`${expected} pods are expected`, async () => {
    const { status } = await client.resource(podDisruptionBudgets).in(namespace).get("guard", signal);
    return status?.expectedPods === expected;
  });
}
