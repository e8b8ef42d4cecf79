// upstream-metrics.facts.json holds the metrics of kube-scheduler 1.36 after it has placed, refused and preempted pods, with volumes, gates and changing nodes;
// with `isLater`, those that its sources register and that have no value by then. `extensionPoints` and `evaluated` are labels that occur then.
// `goRuntime` are those of Go's runtime, which a program in JavaScript cannot have.
import { readFileSync } from "node:fs";
import { ApiServer } from "@kubeloop/apiserver";
import { noLog, seededRandom, systemClock } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import { namespaces, nodes, persistentVolumeClaims, pods, priorityClasses, services } from "@kubeloop/core/resources";
import type { Pod, PodSpec } from "@kubeloop/core/types/core/v1";
import { beforeAll, describe, expect, test } from "vitest";
import { newMetrics } from "../app/config.ts";
import { findPort } from "../integration/manager-process.contract.ts";
import { untilSeen } from "../integration/process-on-embedded-server.contract.ts";
import type { RegisteredMetric } from "../metrics/index.ts";
import { asUpstreamMetric, scrape, shapeOf, type UpstreamMetric } from "../metrics/upstream-metrics.fixture.ts";
import { schedulerConfigurationOf } from "./configuration.ts";
import { missingSchedulerMetrics } from "./missing-metrics.ts";
import { parseSchedulerOptions } from "./options.ts";
import { runScheduler } from "./run.ts";

interface Facts {
  readonly metrics: Readonly<Record<string, UpstreamMetric>>;
  readonly slis: Readonly<Record<string, UpstreamMetric>>;
  readonly resources: Readonly<Record<string, UpstreamMetric & { readonly help: string }>>;
  readonly queues: readonly string[];
  readonly extensionPoints: readonly string[];
  readonly evaluated: readonly string[];
  readonly goRuntime: readonly string[];
}
const facts: Facts = JSON.parse(readFileSync(new URL("./upstream-metrics.facts.json", import.meta.url), "utf8"));
const missing = Object.values(missingSchedulerMetrics).flat();
const wanted = Object.entries(facts.metrics).filter(([name]) => !missing.includes(name));

const labelsIn = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} `, "gm"))].map(([, labels = ""]) =>
    Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", value = ""]) => [label, value])),
  );

/** Pods that are placed, refused, gated and given room, on two nodes; and one with a claim that is not there. */
async function load(client: Client, signal: AbortSignal): Promise<void> {
  for (const name of ["default", "kube-system"]) {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } } as const;
    await client
      .resource(namespaces)
      .create(namespace, signal)
      .catch(() => {});
  }
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
  const zone = "topology.kubernetes.io/zone";
  for (const name of ["a", "b"]) {
    const metadata = { name, labels: { "kubernetes.io/hostname": name, [zone]: name } };
    await client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata, status: { allocatable } }, signal);
    await client.resource(nodes).patch(name, { type: "merge", body: { spec: { taints: null } } }, signal);
  }
  const high = {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "high" },
    value: 9,
  } as const;
  await client.resource(priorityClasses).create(high, signal);
  const service = { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } };
  await client
    .resource(services)
    .in("default")
    .create({ apiVersion: "v1", kind: "Service", ...service }, signal);
  const create = async (name: string, cpu: string, spec: Partial<PodSpec> = {}) => {
    const containers = [{ name: "c", image: "i", resources: { requests: { cpu, memory: "1Mi" }, limits: { cpu } } }];
    const metadata = { name, labels: { app: "web" } };
    const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, ...spec } } as const;
    await client.resource(pods).in("default").create(pod, signal);
  };
  const until = (name: string, holds: (pod: Pod) => boolean) =>
    untilSeen(client.resource(pods).in("default"), name, holds, signal);
  const isBound = ({ spec }: Pod) => (spec.nodeName ?? "") !== "";
  const isRefused = ({ status }: Pod) =>
    status?.conditions?.some(({ type, status: is }) => type === "PodScheduled" && is === "False") === true;
  await create("plain", "100m");
  await until("plain", isBound);
  await create("huge", "64");
  await until("huge", isRefused);
  await create("gated", "100m", { schedulingGates: [{ name: "example.com/g" }] });
  await create("low-1", "3");
  await create("low-2", "3");
  await Promise.all([until("low-1", isBound), until("low-2", isBound)]);
  await create("preemptor", "3", { priorityClassName: "high" });
  await until("preemptor", ({ status }) => (status?.nominatedNodeName ?? "") !== "");
  // The preemptor waits for a victim to go, and then it is asked whether that helps.
  for (const name of ["low-1", "low-2"]) {
    await client.resource(pods).in("default").delete(name, { gracePeriodSeconds: 0 }, signal);
  }
  await until("preemptor", isBound);
  const claim = {
    metadata: { name: "claim" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const claims = client.resource(persistentVolumeClaims).in("default");
  await claims.create({ apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim }, signal);
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "claim" } }];
  await create("with-claim", "1m", { volumes });
  await until("with-claim", isRefused);
}

describe("a scheduler that has placed, refused and preempted pods", () => {
  let printed = "";
  let slis = "";
  let resources = "";
  let registered: ReadonlyMap<string, RegisteredMetric> = new Map();

  beforeAll(async () => {
    const port = await findPort();
    const options = parseSchedulerOptions([
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics,/metrics/slis,/metrics/resources",
    ]);
    const metrics = newMetrics(options);
    await using server = await ApiServer.open({ log: noLog });
    const admin = clientOf(server.transport, {});
    const stop = new AbortController();
    const tools = { clock: systemClock, log: noLog, random: seededRandom("metrics"), metrics };
    const configuration = schedulerConfigurationOf(options);
    const client = clientOf(server.transport, { ...tools, qps: 500, burst: 500 });
    const verbosity = { get: () => 0, set() {} };
    const running = runScheduler({ ...tools, options, configuration, client, verbosity }, stop.signal);
    try {
      await Promise.race([load(admin, stop.signal), running]);
      for (const path of ["/healthz", "/livez", "/readyz", "/readyz", "/metrics"]) await scrape(port, path);
      printed = await scrape(port, "/metrics");
      slis = await scrape(port, "/metrics/slis");
      resources = await scrape(port, "/metrics/resources");
    } finally {
      stop.abort();
      await running.catch(() => {});
    }
    ({ registered } = metrics);
  });

  test.each(wanted)("has %s with upstream's type, labels and buckets", (name, upstream) => {
    expect(asUpstreamMetric(registered.get(name), upstream)).toEqual(shapeOf(upstream));
  });

  test("prints what upstream prints", () => {
    // Those need a cluster that reviews tokens, a client with a certificate, or a connection that is opened, and bytes.
    const needsMore =
      /^(?:authentication_token_cache_|apiserver_delegated_|apiserver_client_certificate_|rest_client_(?:transport|dns|exec|request_retries|rate_limiter|response_size))/;
    const found = new Set([...printed.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    const unprinted = wanted
      .filter(([name, { isLater }]) => isLater !== true && !found.has(name))
      .map(([name]) => name);
    expect(unprinted.filter((name) => !needsMore.test(name))).toEqual([]);
  });

  test("measures upstream's extension points", () => {
    const found = labelsIn(printed, "scheduler_framework_extension_point_duration_seconds_count").map(
      ({ extension_point, status }) => `${extension_point} ${status}`,
    );
    // Sign is of batching; the claim that is not there is bound by nobody, and refused by a plugin before DynamicResources.
    const others = ["Sign Success", "PreBindPreFlight Success"];
    expect(facts.extensionPoints.filter((each) => !found.includes(each) && !others.includes(each))).toEqual([]);
    expect(found.filter((each) => !facts.extensionPoints.includes(each)).toSorted()).toEqual([
      "PostFilter Error",
      "PreFilter UnschedulableAndUnresolvable",
    ]);
  });

  test("counts upstream's plugins at the points that they have", () => {
    const found = labelsIn(printed, "scheduler_plugin_evaluation_total").map(
      ({ extension_point, plugin }) => `${extension_point} ${plugin}`,
    );
    // VolumeBinding scores only with a feature gate.
    const others = /DynamicResources$|^(?:PreScore|Score) VolumeBinding$/;
    expect(found.toSorted()).toEqual(facts.evaluated.filter((each) => !others.test(each)).toSorted());
  });

  test.each(Object.entries(facts.slis))("/metrics/slis has %s with upstream's type and labels", (name, upstream) => {
    expect(slis).toContain(`# TYPE ${name} ${upstream.type}\n`);
    expect(Object.keys(labelsIn(slis, name)[0] ?? {}).toSorted()).toEqual(upstream.labels);
  });

  test("/metrics/slis counts upstream's checks", () => {
    const checks = labelsIn(slis, "kubernetes_healthcheck").map(({ type, name }) => `${type} ${name}`);
    expect(checks.toSorted()).toEqual([
      "healthz leaderElection",
      "livez ping",
      "readyz leaderElection",
      "readyz sched-handler-sync",
      "readyz shutdown",
    ]);
  });

  test.each(Object.entries(facts.resources))(
    "/metrics/resources has %s as upstream",
    (name, { type, labels, help }) => {
      expect(resources).toContain(`# HELP ${name} [STABLE] ${help}\n# TYPE ${name} ${type}\n`);
      expect(Object.keys(labelsIn(resources, name)[0] ?? {})).toEqual(labels);
    },
  );

  test("has none of the exceptions, and nothing of Go", () => {
    expect(missing.filter((name) => registered.has(name))).toEqual([]);
    expect(facts.goRuntime.filter((name) => registered.has(name))).toEqual([]);
  });
});

describe("the exceptions", () => {
  test("are upstream's, each named once", () => {
    expect(missing.filter((name, at) => missing.indexOf(name) !== at || facts.metrics[name] === undefined)).toEqual([]);
  });

  test("are no more than these", () => {
    expect([missing.length, facts.goRuntime.length]).toEqual([31, 139]);
  });

  // So that nothing is missed that this scheduler puts into a queue of its own.
  test("about work queues are those of certificates", () => {
    expect(facts.queues).toEqual([
      "DynamicConfigMapCABundle-client-ca",
      "DynamicServingCertificateController",
      "RequestHeaderAuthRequestController",
    ]);
  });
});
