// The test cluster of core fills in what the embedded server does, for the kinds that it says it knows.
import { ApiServer } from "@kubeloop/apiserver";
import type { KubernetesObject, Resource } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import {
  cronJobs,
  daemonSets,
  deployments,
  horizontalPodAutoscalers,
  jobs,
  networkPolicies,
  persistentVolumeClaims,
  pods,
  replicaSets,
  roleBindings,
  secrets,
  services,
  statefulSets,
} from "@kubeloop/core/resources";
import { FakeCluster, newObject } from "@kubeloop/core/testing";
import { expect, test } from "vitest";

const { signal } = new AbortController();
const labels = { app: "web" };
const containers = [
  {
    name: "web",
    image: "registry.example.com:5000/web:1",
    ports: [{ containerPort: 80 }],
    env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
    livenessProbe: { httpGet: { port: 80 } },
    readinessProbe: { tcpSocket: { port: 80 } },
    volumeMounts: [{ name: "config", mountPath: "/config" }],
  },
  { name: "latest", image: "registry.example.com:5000/web" },
];
const volumes = [
  { name: "config", configMap: { name: "c" } },
  { name: "secret", secret: { secretName: "s" } },
  { name: "empty", emptyDir: {} },
  { name: "host", hostPath: { path: "/data" } },
];
const podSpec = { containers, volumes, automountServiceAccountToken: false };
const template = { metadata: { labels }, spec: podSpec };
const once = { ...template, spec: { ...podSpec, restartPolicy: "Never" } };
const selector = { matchLabels: labels };
const limited = {
  name: "web",
  image: "web:1",
  resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } },
};
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const port = { ports: [{ port: 80 }] };
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

/** Allocated, or filled in by admission and not by defaults. */
const notDefaults = new Set([
  "clusterIP",
  "clusterIPs",
  "ipFamilies",
  "ipFamilyPolicy",
  "nodePort",
  "priority",
  "preemptionPolicy",
]);
const admitted = new Set(["enableServiceLinks", "serviceAccount", "serviceAccountName", "tolerations"]);

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !notDefaults.has(name) && !admitted.has(name));
  return Object.fromEntries(kept.map(([name, held]) => [name, comparable(held)]));
}

for (const [resource, spec] of [
  [pods, podSpec],
  [deployments, { selector, template }],
  [deployments, { selector, template, strategy: { type: "Recreate" } }],
  [replicaSets, { selector, template }],
  [daemonSets, { selector, template }],
  [statefulSets, { selector, template, serviceName: "web" }],
  [statefulSets, { selector, template, serviceName: "web", updateStrategy: { type: "OnDelete" } }],
  [jobs, { template: once, selector, manualSelector: true }],
  [jobs, { template: once, selector, manualSelector: true, parallelism: 2 }],
  [cronJobs, { schedule: "* * * * *", jobTemplate: { spec: { template: once } } }],
  [services, { selector: labels, ports: [{ port: 80 }] }],
  [services, { selector: labels, ports: [{ port: 80 }], type: "LoadBalancer" }],
  [pods, { containers: [limited], automountServiceAccountToken: false }],
  [deployments, { selector, template: { ...template, spec: { containers: [limited] } } }],
  [
    statefulSets,
    { selector, template, serviceName: "web", volumeClaimTemplates: [{ metadata: { name: "config" }, spec: claim }] },
  ],
  [persistentVolumeClaims, claim],
  [networkPolicies, { podSelector: {} }],
  [networkPolicies, { podSelector: {}, ingress: [port], egress: [port] }],
  [horizontalPodAutoscalers, { maxReplicas: 3, scaleTargetRef }],
  [secrets, undefined],
] as readonly (readonly [Resource<KubernetesObject>, object | undefined])[]) {
  test(`${resource.kind} ${JSON.stringify(spec ?? {}).slice(0, 60)}`, async () => {
    const clock = new FakeClock();
    await using server = await ApiServer.open({ clock, random: seededRandom(1) });
    await using cluster = new FakeCluster({ resources: [resource] });
    const object = newObject(resource, "default/web", spec === undefined ? {} : ({ spec } as object));
    const client = clientOf(server.transport, { clock });
    const made = await clock.drive(client.resource(resource).in("default").create(object, signal));
    const faked = cluster.create(resource, object);
    const specOf = ({ metadata: _, status: __, ...rest }: KubernetesObject & { readonly status?: unknown }) =>
      comparable(rest);
    expect(specOf(faked)).toEqual(specOf(made));
    expect(faked.metadata.generation).toBe(made.metadata.generation);
  });
}

test("RoleBinding", async () => {
  const clock = new FakeClock();
  await using server = await ApiServer.open({ clock, random: seededRandom(1) });
  await using cluster = new FakeCluster({ resources: [roleBindings] });
  const binding = newObject(roleBindings, "default/web", {
    roleRef: { apiGroup: "", kind: "Role", name: "web" },
    subjects: [
      { kind: "User", name: "ann" },
      { kind: "ServiceAccount", name: "web", namespace: "default" },
    ],
  });
  const client = clientOf(server.transport, { clock });
  const made = await clock.drive(client.resource(roleBindings).in("default").create(binding, signal));
  const { roleRef, subjects } = cluster.create(roleBindings, binding);
  expect({ roleRef, subjects }).toEqual({ roleRef: made.roleRef, subjects: made.subjects });
});
