// A load generator in a process of its own: 32 connections over TLS and HTTP/1.1, each asking again as soon as it has been answered. The
// same requests for any server; prints how many a second of each kind it got.
// Arguments: the file that says where the server is, how many milliseconds each kind lasts, and which kinds (all).
import { readFileSync } from "node:fs";
import { Agent, type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { systemClock } from "@kubeloop/core/base";
import { repositoryRoot } from "./repository.ts";

interface Target {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

const connections = 32;
const runMs = Number(process.argv[3] ?? 3000);
const warmUpMs = runMs / 2;
const target = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Target;
const agent = new Agent({ keepAlive: true, maxSockets: connections + 120, ca: target.ca });
const namespace = "bench";
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
/** Here each pod is defaulted and checked by a LimitRange and counted by a ResourceQuota. */
const limitedNamespace = "bench-limited";
const limitedPods = `/api/v1/namespaces/${limitedNamespace}/pods`;
const protobufType = "application/vnd.kubernetes.protobuf";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: Uint8Array;
  readonly type?: string;
  /** As the body unless given. */
  readonly accept?: string;
}

function optionsFor({ method, path, body, type = "application/json", accept = type }: Asked): RequestOptions {
  const { hostname, port } = new URL(target.url);
  const headers: Record<string, string> = { authorization: `Bearer ${target.token}`, accept };
  if (body !== undefined) {
    headers["content-type"] = type;
    headers["content-length"] = String(body.length);
  }
  return { agent, hostname, port, method, path, headers };
}

/** The answer's code and size; the body is thrown away unless wanted. */
function ask(asked: Asked): Promise<{ readonly code: number; readonly bytes: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(optionsFor(asked), (incoming) => {
      let bytes = 0;
      let text = "";
      incoming.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes < 10_000) text += chunk.toString("latin1");
      });
      incoming.on("end", () => resolve({ code: incoming.statusCode ?? 0, bytes, text }));
      incoming.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(asked.body);
  });
}

/** How many a second, over all connections, once they have been asked for a while: no server is at its best in its first second. */
async function rate(make: () => Asked, expected: number, parallel = connections): Promise<number> {
  let count = 0;
  const start = systemClock.monotonic() + warmUpMs;
  const worker = async () => {
    for (let nowMs = systemClock.monotonic(); nowMs - start < runMs; nowMs = systemClock.monotonic()) {
      const { code, text } = await ask(make());
      if (code !== expected) throw new Error(`expected ${expected}, got ${code}: ${text}`);
      if (nowMs >= start) count++;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return (count * 1000) / (systemClock.monotonic() - start);
}

function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  return lines;
}

/** Counts messages that each stand behind their length in four bytes, wherever the chunks are cut. */
function framesIn(): (chunk: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0);
  let missing = 0;
  return (chunk) => {
    let frames = 0;
    let at = Math.min(missing, chunk.length);
    missing -= at;
    if (at > 0 && missing === 0) frames++;
    if (missing > 0) return frames;
    let left = rest.length === 0 ? chunk.subarray(at) : Buffer.concat([rest, chunk.subarray(at)]);
    for (at = 0; left.length - at >= 4; ) {
      const end = at + 4 + left.readUInt32BE(at);
      if (end > left.length) {
        missing = end - left.length;
        at = left.length;
      } else {
        frames++;
        at = end;
      }
    }
    left = left.subarray(at);
    rest = left;
    return frames;
  };
}

/** Messages that arrive at 100 watchers, a second, while a few write as fast as they may. */
async function fanOut(type: string): Promise<number> {
  let count = 0;
  const open = Array.from({ length: 100 }, () => {
    const path = `${maps}?watch=true&fieldSelector=metadata.name%3Dshared&resourceVersion=0`;
    return new Promise<() => void>((resolve, reject) => {
      const sent = request(optionsFor({ method: "GET", path, type }), (incoming) => {
        const messages = type === protobufType ? framesIn() : linesIn;
        incoming.on("data", (chunk: Buffer) => {
          count += messages(chunk);
        });
        incoming.on("error", () => {});
        resolve(() => sent.destroy());
      });
      sent.on("error", reject);
      sent.end();
    });
  });
  const closers = await Promise.all(open);
  const start = systemClock.monotonic() + warmUpMs;
  using _warm = systemClock.after(warmUpMs, () => {
    count = 0;
  });
  let i = 0;
  const writer = async () => {
    while (systemClock.monotonic() - start < runMs) {
      const body = Buffer.from(JSON.stringify({ data: { n: String(i++) } }));
      const patch = { method: "PATCH", path: `${maps}/shared`, body, type: "application/merge-patch+json" };
      const { code, text } = await ask({ ...patch, accept: "application/json" });
      if (code !== 200) throw new Error(`expected 200, got ${code}: ${text}`);
    }
  };
  await Promise.all([writer(), writer(), writer(), writer()]);
  const perSecond = (count * 1000) / (systemClock.monotonic() - start);
  for (const close of closers) close();
  return perSecond;
}

const configMap = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { generateName: "c-", labels: { app: "bench" } },
  data: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`key-${i}`, "x".repeat(80)])),
};
const container = (i: number) => ({
  name: `c${i}`,
  image: `registry.example/app-${i}:1.2.3`,
  env: Array.from({ length: 15 }, (_, n) => ({ name: `VARIABLE_${n}`, value: "v".repeat(30) })),
  ports: [{ containerPort: 8000 + i, protocol: "TCP" }],
  resources: { limits: { cpu: "500m", memory: "128Mi" }, requests: { cpu: "100m", memory: "64Mi" } },
});
const deployment = {
  kind: "Deployment",
  apiVersion: "apps/v1",
  metadata: { generateName: "d-" },
  spec: {
    selector: { matchLabels: { app: "bench" } },
    template: { metadata: { labels: { app: "bench" } }, spec: { containers: [0, 1, 2, 3].map(container) } },
  },
};
const pod = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { generateName: "p-", labels: { app: "bench" } },
  spec: { containers: [0, 1, 2, 3].map(container) },
};
const limitRange = {
  metadata: { name: "limits" },
  spec: { limits: [{ type: "Container", default: { "ephemeral-storage": "1Gi" }, max: { cpu: "2" } }] },
};
const quota = {
  metadata: { name: "quota" },
  spec: { hard: { pods: "1000000", "requests.cpu": "1000000", "limits.memory": "1000Ti" } },
};

const json = (value: object) => Buffer.from(JSON.stringify(value));
await ask({ method: "POST", path: "/api/v1/namespaces", body: json({ metadata: { name: namespace } }) });
await ask({ method: "POST", path: maps, body: json({ metadata: { name: "shared" } }) });
await ask({ method: "POST", path: "/api/v1/namespaces", body: json({ metadata: { name: limitedNamespace } }) });
for (const [plural, object] of Object.entries({ limitranges: limitRange, resourcequotas: quota })) {
  const path = `/api/v1/namespaces/${limitedNamespace}/${plural}`;
  const { code, text } = await ask({ method: "POST", path, body: json(object) });
  if (code !== 201) throw new Error(`expected 201, got ${code}: ${text}`);
}
// A quota refuses pods until somebody has counted what there is.
const counted = { ...quota, status: { ...quota.spec, used: { pods: "0", "requests.cpu": "0", "limits.memory": "0" } } };
const status = { path: `/api/v1/namespaces/${limitedNamespace}/resourcequotas/quota/status`, body: json(counted) };
await ask({ method: "PATCH", ...status, type: "application/merge-patch+json", accept: "application/json" });
const named = json({ ...configMap, metadata: { name: "one" } });
await ask({ method: "POST", path: maps, body: named });
for (let i = 0; i < 1000; i++) {
  const body = json({ ...configMap, metadata: { name: `l-${i}`, labels: { listed: "yes" } } });
  await ask({ method: "POST", path: maps, body });
}
const codec = (await import(join(repositoryRoot, "packages/apiserver/dist/esm/wire/protobuf/index.js"))) as {
  loadProtobuf(): Promise<{ encodeEnvelope(object: object): Uint8Array }>;
};
const protobuf = await codec.loadProtobuf();
const mapBytes = protobuf.encodeEnvelope(configMap);
const deploymentBytes = protobuf.encodeEnvelope(deployment);
const podBytes = protobuf.encodeEnvelope(pod);
const podJson = json(pod);
const listed = `${maps}?labelSelector=listed%3Dyes`;
const mapJson = json(configMap);
const deploymentJson = json(deployment);

const runs: Readonly<Record<string, () => Promise<number>>> = {
  getJson: () => rate(() => ({ method: "GET", path: `${maps}/one` }), 200),
  listJson: () => rate(() => ({ method: "GET", path: listed }), 200, 4),
  fanOutJson: () => fanOut("application/json"),
  createMapJson: () => rate(() => ({ method: "POST", path: maps, body: mapJson }), 201),
  createDeploymentJson: () => rate(() => ({ method: "POST", path: deployments, body: deploymentJson }), 201),
  createPodJson: () => rate(() => ({ method: "POST", path: pods, body: podJson }), 201),
  createLimitedPodJson: () => rate(() => ({ method: "POST", path: limitedPods, body: podJson }), 201),
  getProtobuf: () => rate(() => ({ method: "GET", path: `${maps}/one`, type: protobufType }), 200),
  listProtobuf: () => rate(() => ({ method: "GET", path: listed, type: protobufType }), 200, 4),
  fanOutProtobuf: () => fanOut(protobufType),
  createMapProtobuf: () => rate(() => ({ method: "POST", path: maps, body: mapBytes, type: protobufType }), 201),
  createDeploymentProtobuf: () =>
    rate(() => ({ method: "POST", path: deployments, body: deploymentBytes, type: protobufType }), 201),
  createPodProtobuf: () => rate(() => ({ method: "POST", path: pods, body: podBytes, type: protobufType }), 201),
};
const wanted = process.argv[4]?.split(",") ?? Object.keys(runs);
const results: Record<string, number> = {};
for (const name of wanted) {
  const run = runs[name];
  if (run === undefined) throw new Error(`no kind of load is called ${name}`);
  results[name] = await run();
}
console.log(JSON.stringify(results));
process.exit(0);
