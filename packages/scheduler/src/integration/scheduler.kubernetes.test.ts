// The scheduler on a real kube-apiserver, as the user that upstream's is, with nothing but the role that Kubernetes gives it.
import { systemClock, TaskScope } from "@kubeloop/core/base";
import { type Client, clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "@kubeloop/core/client";
import {
  eventsEvents,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  priorityClasses,
  storageClasses,
} from "@kubeloop/core/resources";
import type { Pod } from "@kubeloop/core/types/core/v1";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { node, pod } from "../cluster.fixture.ts";
import { Scheduler } from "../driver/scheduler.ts";
import { claim, storageClass, volume } from "../storage.fixture.ts";

const stop = new AbortController();
const { signal } = stop;
const user = "system:kube-scheduler";
const lookEveryMs = 50;
let cluster: RealCluster;
let client: Client;
let scope: TaskScope;

beforeAll(async () => {
  const flags = ["--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"];
  cluster = await RealCluster.start({ users: [{ user }], extraFlags: { "kube-apiserver": flags } }, signal);
  const clientAs = (token: string) => {
    const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
    return openClient(clusterConfig({ server: cluster.url, tls, credentials: tokenCredentials(token) }));
  };
  client = clientAs(cluster.adminToken);
  for (const [name, value] of [
    ["low", 1],
    ["high", 1000],
  ] as const) {
    const priorityClass = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value,
    } as const;
    await client.resource(priorityClasses).create(priorityClass, signal);
  }
  scope = new TaskScope(signal);
  const scheduler = new Scheduler({ client: clientAs(cluster.token(user)) });
  void scope.spawn((each) => scheduler.run(each));
});

afterAll(async () => {
  scope?.abort(new Error("the tests are over"));
  await scope?.join();
  await cluster?.[Symbol.asyncDispose]();
});

async function create(name: string, cpu: string, priorityClassName: string): Promise<Pod> {
  const { metadata, spec, ...made } = pod(name, { requests: { cpu }, spec: { priorityClassName } });
  const { uid: _, ...named } = metadata;
  const containers = spec.containers.map((container) => ({ image: "app", ...container }));
  const grace = { terminationGracePeriodSeconds: 0 };
  const created: Pod = { ...made, metadata: named, spec: { ...spec, ...grace, containers } };
  return await client.resource(pods).in("default").create(created, signal);
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await systemClock.sleep(lookEveryMs, signal);
  }
}

const get = (name: string) => client.resource(pods).in("default").get(name, signal);
const nodeOf = (name: string) => until(async () => (await get(name)).spec.nodeName);

test("binds, refuses and preempts with the role of system:kube-scheduler", async () => {
  await client.resource(nodes).create(node("a"), signal);
  await create("low", "4", "low");
  expect(await nodeOf("low")).toBe("a");
  const high = await create("high", "3", "high");
  expect(await nodeOf("high")).toBe("a");
  const gone = await until(async () => {
    const error: unknown = await get("low").then(
      () => undefined,
      (caught: unknown) => caught,
    );
    return error;
  });
  expect(gone).toMatchObject({ reason: "NotFound" });
  await create("more", "2", "low");
  const message = await until(async () => {
    const { status } = await get("more");
    return status?.conditions?.find(({ type }) => type === "PodScheduled")?.message;
  });
  expect(message).toBe(
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
  );
  const seen = new Map<string, string>();
  await until(async () => {
    for await (const event of client.resource(eventsEvents).in("default").list({}, signal)) {
      seen.set(`${event.reason} ${event.regarding?.name}`, `${event.type} ${event.action} ${event.note}`);
    }
    return seen.size >= 5 ? seen : undefined;
  });
  expect(Object.fromEntries(seen)).toEqual({
    "Scheduled low": "Normal Binding Successfully assigned default/low to a",
    "FailedScheduling high": "Warning Scheduling 0/1 nodes are available: 1 Insufficient cpu.",
    "Preempted low": `Normal Preempting Preempted by pod ${high.metadata.uid} on node a`,
    "Scheduled high": "Normal Binding Successfully assigned default/high to a",
    "FailedScheduling more": `Warning Scheduling ${message}`,
  });
});

test("binds volumes with the role of system:kube-scheduler", async () => {
  await client.resource(nodes).create(node("with-volumes"), signal);
  const claims = client.resource(persistentVolumeClaims).in("default");
  const volumes = client.resource(persistentVolumes);
  await client.resource(storageClasses).create(storageClass("static"), signal);
  await client.resource(storageClasses).create(storageClass("made", { provisioner: "csi.example.com" }), signal);
  for (const className of ["static", "made"]) {
    const { metadata: _, status: __, ...made } = claim(className, { className });
    await claims.create({ ...made, metadata: { name: className, namespace: "default" } }, signal);
  }
  const made = volume("v", { className: "static" });
  const created = await volumes.create({ ...made, spec: { ...made.spec, hostPath: { path: "/data" } } }, signal);
  await volumes.updateStatus({ ...created, status: { phase: "Available" } }, signal);
  const using = ["static", "made"].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const { metadata, spec, ...rest } = pod("volumes", { spec: { volumes: using } });
  const { uid: _, ...named } = metadata;
  const containers = spec.containers.map((container) => ({ image: "app", ...container }));
  await client
    .resource(pods)
    .in("default")
    .create({ ...rest, metadata: named, spec: { ...spec, containers } }, signal);
  const promised = await until(async () => (await volumes.get("v", signal)).spec?.claimRef);
  expect(promised.name).toBe("static");
  const selected = await until(async () => {
    const { annotations } = (await claims.get("made", signal)).metadata;
    return annotations?.["volume.kubernetes.io/selected-node"];
  });
  expect((await get("volumes")).status?.nominatedNodeName).toBe(selected);
  await volumes.create({ ...volume("w"), spec: { ...volume("w").spec, hostPath: { path: "/data" } } }, signal);
  for (const [name, volumeName] of [
    ["static", "v"],
    ["made", "w"],
  ] as const) {
    const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    await claims.patch(name, { type: "merge", body: { metadata: { annotations }, spec: { volumeName } } }, signal);
  }
  expect(await nodeOf("volumes")).toBe(selected);
});
