// What people do with helm and `kubeloop up`: a chart is installed, upgraded, rolled back and uninstalled, and each waits until the objects
// are there. With client-side apply, as long as the server has no other.
import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deferred, systemClock } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { configMaps, deployments, pods, secrets, services } from "@kubeloop/core/resources";
import { findBinaries, pathOf } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { up } from "./up.ts";
import { parseUpOptions } from "./up-options.ts";

const run = promisify(execFile);
const { signal } = new AbortController();
const stop = new AbortController();
let [program, folder] = ["", ""];
let client: Client;
let ended: Promise<void>;

beforeAll(async () => {
  program = pathOf(await findBinaries(["helm"], {}, signal), "helm");
  folder = await mkdtemp(join(tmpdir(), "kubeloop-helm-"));
  const ready = deferred();
  const options = parseUpOptions(["--json", "--port=0"]);
  const io = { folder, clock: systemClock, host: new EventEmitter(), print: () => ready.resolve(), complain: () => {} };
  ended = up(options, io, stop.signal);
  await Promise.race([ready.promise, ended]);
  client = openClient(await loadClusterConfig({ path: join(folder, ".kubeloop/kubeconfig") }, signal));
  await writeChart();
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  stop.abort();
  await ended;
  await rm(folder, { recursive: true, force: true });
});

/** Words are parted by spaces. What helm keeps on the machine it keeps in the folder. */
async function helm(command: string): Promise<string> {
  const home = join(folder, "helm");
  const env = {
    ...{ ...process.env, KUBECONFIG: join(folder, ".kubeloop/kubeconfig"), HELM_NO_PLUGINS: "1" },
    ...{ HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home },
  };
  return (await run(program, command.split(" "), { cwd: folder, env })).stdout;
}

async function seen() {
  const found = await client.resource(deployments).in("default").get("shop-web", signal);
  const { data } = await client.resource(configMaps).in("default").get("shop-settings", signal);
  const [container] = found.spec.template.spec?.containers ?? [];
  const { replicas } = found.spec;
  return {
    image: container?.image,
    replicas,
    available: found.status?.availableReplicas,
    greeting: data?.["greeting"],
  };
}

async function namesOf(resource: typeof pods | typeof services | typeof secrets): Promise<readonly string[]> {
  const { items } = await client
    .resource(resource as typeof pods)
    .in("default")
    .list({}, signal)
    .toArray();
  return items.map(({ metadata }) => metadata.name ?? "");
}

const flags = "--wait --timeout 60s --server-side=false";

test("a chart is installed, upgraded, rolled back and uninstalled", async () => {
  expect(await helm(`install shop chart ${flags}`)).toContain("STATUS: deployed");
  expect(await seen()).toEqual({ image: "web:1", replicas: 2, available: 2, greeting: "hello" });
  expect(await namesOf(services)).toContain("shop-web");

  await helm(`upgrade shop chart ${flags} --set tag=2,replicas=3,greeting=moin`);
  expect(await seen()).toEqual({ image: "web:2", replicas: 3, available: 3, greeting: "moin" });

  await helm(`rollback shop 1 ${flags}`);
  expect(await seen()).toEqual({ image: "web:1", replicas: 2, available: 2, greeting: "hello" });
  const history = JSON.parse(await helm("history shop -o json")) as readonly { status: string }[];
  expect(history.map(({ status }) => status)).toEqual(["superseded", "superseded", "deployed"]);
  expect((await namesOf(secrets)).filter((name) => name.startsWith("sh.helm.release"))).toHaveLength(3);

  expect(await helm("uninstall shop --wait --timeout 60s")).toContain('release "shop" uninstalled');
  expect(await namesOf(services)).toEqual(["kubernetes"]);
  await expect.poll(() => namesOf(pods), { timeout: 30_000 }).toEqual([]);
  expect((await namesOf(secrets)).filter((name) => name.startsWith("sh.helm.release"))).toEqual([]);
});

test("an upgrade that does not become ready fails, and says so", async () => {
  await helm(`install late chart ${flags}`);
  const failing = helm("upgrade late chart --wait --timeout 3s --server-side=false --set tag=nonexistent");
  await expect(failing).rejects.toThrow(/UPGRADE FAILED/);
  const history = JSON.parse(await helm("history late -o json")) as readonly { status: string }[];
  expect(history.map(({ status }) => status)).toEqual(["deployed", "failed"]);
});

async function writeChart(): Promise<void> {
  await mkdir(join(folder, "chart/templates"), { recursive: true });
  const labels = "{app: {{ .Release.Name }}}";
  const files = {
    "Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n",
    "values.yaml": 'tag: "1"\nreplicas: 2\ngreeting: hello\n',
    "templates/settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-settings"}
data: {greeting: "{{ .Values.greeting }}"}
`,
    "templates/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}-web"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: ${labels}}
  template:
    metadata: {labels: ${labels}}
    spec:
      containers: [{name: web, image: "web:{{ .Values.tag }}"}]
---
apiVersion: v1
kind: Service
metadata: {name: "{{ .Release.Name }}-web"}
spec: {selector: ${labels}, ports: [{port: 80}]}
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "chart", name), text);
}
