// The test cluster of core fills in what the embedded server does, for the kinds that it says it knows.
import { ApiServer } from "@kubeloop/apiserver";
import type { KubernetesObject, Resource } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import {
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  pods,
  replicaSets,
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
];
const podSpec = { containers, volumes, automountServiceAccountToken: false };
const template = { metadata: { labels }, spec: podSpec };
const once = { ...template, spec: { ...podSpec, restartPolicy: "Never" } };
const selector = { matchLabels: labels };

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
