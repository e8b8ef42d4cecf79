// From nothing to the first answer: a process that imports the client and reads one namespace from a server on loopback, as
// a share of what the same takes with @kubernetes/client-node; and the memory it then holds beyond a bare Node. Each gets a
// process of its own; they take turns.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Measurement, median } from "./budget.ts";
import { installPeers } from "./peers.ts";
import { repositoryRoot } from "./repository.ts";

interface ColdStart {
  readonly ms: number;
  readonly rssMb: number;
}

const rounds = 9;

const report = `
  const ms = performance.now() - start;
  gc();
  console.log(JSON.stringify({ ms, rssMb: process.memoryUsage().rss / 2 ** 20 }));
  process.exit(0);
`;

const ours = `
  const start = performance.now();
  const { clusterConfig, openClient } = await import("@kubeloop/core/client");
  const { namespaces } = await import("@kubeloop/core/resources");
  const client = openClient(clusterConfig({ server: process.argv[1] }));
  const namespace = await client.resource(namespaces).get("default", new AbortController().signal);
  if (namespace.metadata.name !== "default") throw new Error("wrong answer");
  ${report}
`;

const theirs = `
  const start = performance.now();
  const { CoreV1Api, KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: "c", server: process.argv[1], skipTLSVerify: true }, { name: "u" });
  const namespace = await config.makeApiClient(CoreV1Api).readNamespace({ name: "default" });
  if (namespace.metadata.name !== "default") throw new Error("wrong answer");
  ${report}
`;

const bare = `const start = performance.now(); ${report}`;

export async function measureColdStart(): Promise<readonly Measurement[]> {
  const peers = installPeers();
  const answer = JSON.stringify({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "default", uid: "u", resourceVersion: "1" },
  });
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const runs: Record<"ours" | "theirs" | "bare", ColdStart[]> = { ours: [], theirs: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    runs.ours.push(await run(ours, repositoryRoot, address));
    runs.theirs.push(await run(theirs, peers, address));
    runs.bare.push(await run(bare, repositoryRoot, address));
  }
  server.close();
  server.closeAllConnections();
  const [mine, peer, floor] = [runs.ours, runs.theirs, runs.bare].map((list) => ({
    ms: median(list.map((one) => one.ms)),
    rssMb: median(list.map((one) => one.rssMb)),
  })) as [ColdStart, ColdStart, ColdStart];
  return [
    {
      what: "cold import to first answer against @kubernetes/client-node",
      measured: mine.ms / peer.ms,
      limit: 0.25,
      bound: "at most",
      unit: " ×",
      detail: `${mine.ms.toFixed(0)} of ${peer.ms.toFixed(0)} ms, median of ${rounds}, HTTP/1.1`,
    },
    {
      what: "memory over bare Node after the first answer",
      measured: mine.rssMb - floor.rssMb,
      limit: 40,
      bound: "at most",
      unit: " MB",
      detail: `${mine.rssMb.toFixed(0)} MB, bare Node ${floor.rssMb.toFixed(0)} MB, @kubernetes/client-node ${peer.rssMb.toFixed(0)} MB`,
    },
  ];
}

async function run(program: string, cwd: string, address: string): Promise<ColdStart> {
  const args = ["--expose-gc", "--input-type=module", "--eval", program, address];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) printed += chunk;
  if (printed === "") throw new Error("a measured process printed nothing");
  return JSON.parse(printed) as ColdStart;
}
