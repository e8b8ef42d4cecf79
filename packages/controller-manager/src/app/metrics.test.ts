// upstream-metrics.facts.json holds the metrics of kube-controller-manager 1.36: those of /metrics soon after its start, and, with `isLater`,
// those that its sources define and that have no value by then. `queues` are the names of its work queues.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { RegisteredMetric } from "../metrics/index.ts";
import { asUpstreamMetric, scrape, shapeOf, type UpstreamMetric } from "../metrics/upstream-metrics.fixture.ts";
import { parseOptions } from "../options/index.ts";
import { newMetrics } from "./config.ts";
import { controllerDescriptors } from "./controller-descriptors.ts";
import { withManager } from "./manager-on-embedded-server.fixture.ts";
import {
  metricsOfGoPackages,
  metricsOfUnwrittenControllers,
  queuesOfGoPackages,
  queuesOfUnwrittenControllers,
} from "./missing-metrics.ts";

interface Facts {
  readonly metrics: Readonly<Record<string, UpstreamMetric>>;
  readonly slis: Readonly<Record<string, UpstreamMetric>>;
  readonly queues: readonly string[];
}
const facts: Facts = JSON.parse(readFileSync(new URL("./upstream-metrics.facts.json", import.meta.url), "utf8"));

const namesIn = (exceptions: Readonly<Partial<Record<string, readonly string[]>>>) =>
  Object.values(exceptions).flatMap((names) => names ?? []);
const missing = new Set([...namesIn(metricsOfUnwrittenControllers), ...namesIn(metricsOfGoPackages)]);
const missingQueues = new Set([...namesIn(queuesOfUnwrittenControllers), ...namesIn(queuesOfGoPackages)]);
const wanted = Object.entries(facts.metrics).filter(([name]) => !missing.has(name));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const folder = mkdtempSync(join(tmpdir(), "kubeloop-metrics-"));
function keyFile(): string {
  const path = join(folder, "sa.key");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  writeFileSync(path, privateKey.export({ type: "sec1", format: "pem" }));
  return path;
}

describe("a manager with every controller that is written", () => {
  let printed = "";
  let slis = "";
  let unprobed = "";
  let registered: ReadonlyMap<string, RegisteredMetric> = new Map();

  beforeAll(async () => {
    const port = await freePort();
    const flags = [
      "--leader-elect=true",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      "--authorization-always-allow-paths=/healthz,/metrics,/metrics/slis",
      `--service-account-private-key-file=${keyFile()}`,
      "--allocate-node-cidrs=true",
      "--cluster-cidr=10.244.0.0/16",
    ];
    const metrics = newMetrics(parseOptions(flags));
    const written = controllerDescriptors.filter(({ start }) => start !== undefined).length;
    await withManager(
      flags,
      async ({ until }) => {
        await until("all controllers run", async () => {
          const running = [...String(metrics.print()).matchAll(/^running_managed_controllers\{.*\} 1$/gm)];
          return running.length === written;
        });
        // A caller is measured when its request is over.
        await scrape(port, "/metrics");
        printed = await scrape(port, "/metrics");
        unprobed = await scrape(port, "/metrics/slis");
        for (let probes = 0; probes < 2; probes++) await scrape(port, "/healthz");
        slis = await scrape(port, "/metrics/slis");
      },
      { metrics },
    );
    ({ registered } = metrics);
  });

  test.each(wanted)("has %s with upstream's type, labels and buckets", (name, upstream) => {
    expect(asUpstreamMetric(registered.get(name), upstream)).toEqual(shapeOf(upstream));
  });

  test("prints what upstream prints soon after its start", () => {
    const needsCluster = /^(?:authentication_token_cache_|apiserver_delegated_authn_)/;
    const soon = wanted.filter(([name, { isLater }]) => isLater !== true && !needsCluster.test(name));
    const found = new Set([...printed.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    expect(soon.filter(([name]) => !found.has(name)).map(([name]) => name)).toEqual([]);
  });

  test("has upstream's work queues, and no others", () => {
    const found = [...printed.matchAll(/^workqueue_depth\{name="(.*)"\} /gm)].map(([, name]) => name);
    expect(found.toSorted()).toEqual(facts.queues.filter((name) => !missingQueues.has(name)).toSorted());
  });

  test.each(Object.entries(facts.slis))("/metrics/slis has %s with upstream's type and labels", (name, upstream) => {
    expect(slis).toContain(`# TYPE ${name} ${upstream.type}\n`);
    const [, labels = ""] = new RegExp(`^${name}\\{(.*)\\} `, "m").exec(slis) ?? [];
    expect([...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).toSorted()).toEqual(upstream.labels);
  });

  test("/metrics/slis counts the probes of /healthz, and nothing before", () => {
    expect(unprobed).toContain("process_start_time_seconds ");
    expect(unprobed).not.toContain("kubernetes_healthcheck");
    expect(slis).toContain('kubernetes_healthcheck{name="ttl-controller",type="healthz"} 1\n');
    expect(slis).toContain('kubernetes_healthchecks_total{name="ttl-controller",status="success",type="healthz"} 2\n');
  });

  // As upstream's says of itself.
  test.each([
    'version_info{component="kube",binary="1.36.4",emulation="1.36",min_compat="1.35"} 1',
    'kubernetes_feature_enabled{name="APIServerTracing",stage=""} 1',
    'kubernetes_feature_enabled{name="DRAListTypeAttributes",stage="ALPHA"} 0',
    'kubernetes_feature_enabled{name="AggregatedDiscoveryRemoveBetaType",stage="DEPRECATED"} 1',
    "rest_client_exec_plugin_ttl_seconds +Inf",
    'running_managed_controllers{name="podgc",manager="kube-controller-manager"} 1',
    'leader_election_master_status{name="kube-controller-manager"} 1',
  ])("says %s", (line) => {
    expect(printed.split("\n")).toContain(line);
  });

  test("has none of the exceptions", () => {
    expect([...missing].filter((name) => registered.has(name))).toEqual([]);
  });
});

test("flags hide metrics and limit their labels", async () => {
  const flags = [
    "--controllers=ttl",
    "--disabled-metrics=workqueue_depth,kubernetes_feature_enabled",
    "--allow-metric-labels=workqueue_adds_total,name=x",
  ];
  const metrics = newMetrics(parseOptions(flags));
  let printed = "";
  await withManager(
    flags,
    async ({ until }) => {
      await until("the controller runs", async () => {
        printed = String(metrics.print());
        return printed.includes("running_managed_controllers");
      });
    },
    { metrics },
  );
  expect(printed).not.toContain("workqueue_depth");
  expect(printed).not.toContain("kubernetes_feature_enabled");
  expect(printed).toContain("disabled_metrics_total 2\n");
  expect(printed).toContain("hidden_metrics_total 2\n");
  expect(printed).toContain('workqueue_adds_total{name="unexpected"} ');
  expect(printed).toContain('workqueue_retries_total{name="ttlcontroller"} ');
});

describe("the exceptions", () => {
  test("are upstream's, each named once", () => {
    const all = [...namesIn(metricsOfUnwrittenControllers), ...namesIn(metricsOfGoPackages)];
    expect(all.filter((name, at) => all.indexOf(name) !== at || facts.metrics[name] === undefined)).toEqual([]);
    const queues = [...namesIn(queuesOfUnwrittenControllers), ...namesIn(queuesOfGoPackages)];
    expect(queues.filter((name, at) => queues.indexOf(name) !== at || !facts.queues.includes(name))).toEqual([]);
  });

  test("are of no controller that is written", () => {
    const written = controllerDescriptors.filter(({ start }) => start !== undefined).map(({ name }) => name);
    const excused = [...Object.keys(metricsOfUnwrittenControllers), ...Object.keys(queuesOfUnwrittenControllers)];
    expect(written.filter((name) => excused.includes(name))).toEqual([]);
  });

  test("without a controller are no more than these", () => {
    expect([namesIn(metricsOfGoPackages).length, namesIn(queuesOfGoPackages).length]).toEqual([19, 4]);
  });
});
