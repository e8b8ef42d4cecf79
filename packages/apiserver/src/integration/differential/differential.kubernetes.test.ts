// The same requests to a real kube-apiserver and to this one: whatever a client could tell apart must stand in known-differences.json, with the
// reason. Their number is printed, and it never rises.
import { readFileSync } from "node:fs";
import { clusterConfig, HttpTransport, inlineCaBundle, tokenCredentials } from "@kubeloop/core/client";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { allScenes } from "./all-scenes.contract.ts";
import { differences, normalise } from "./request-script.contract.ts";
import { runScenes } from "./run-script.contract.ts";

const never = new AbortController().signal;

interface Known {
  readonly step: string;
  /** As printed by the test. */
  readonly difference: string;
  readonly reason: string;
}

const known = JSON.parse(readFileSync(new URL("known-differences.json", import.meta.url), "utf8")) as readonly Known[];

/** Off by default on one or on both, and written here: the servers are compared with every plugin that this one has. */
const alsoOn: readonly string[] = ["ServiceAccount", "NodeRestriction"];

let cluster: RealCluster;
let server: ApiServer;
beforeAll(async () => {
  const flags = [`--enable-admission-plugins=${alsoOn.join(",")}`];
  cluster = await RealCluster.start({ extraFlags: { "kube-apiserver": flags } }, never);
  server = await ApiServer.open({ enableAdmissionPlugins: alsoOn });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test("nobody could tell the two apart, but for what is known", async () => {
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  const config = clusterConfig({ server: cluster.url, tls, credentials: tokenCredentials(cluster.adminToken) });
  const http = new HttpTransport(config);
  const transport = http.as({ credentials: config.credentials });
  // Side by side: much of it is waiting for watches to end.
  const [theirs, ours] = await Promise.all([
    runScenes(transport, allScenes, never, { withAccounts: true }),
    runScenes(server.transport, allScenes, never, { withAccounts: true }),
  ]);
  await http[Symbol.asyncDispose]();
  const found: string[] = [];
  for (const [step, answer] of ours) {
    const other = theirs.get(step);
    if (other === undefined) throw new Error(`the real server was not asked: ${step}`);
    const lines = differences(normalise(answer, answer.namespace), normalise(other, other.namespace));
    found.push(...lines.map((line) => `${step}\n    ${line}`));
  }
  const expected = new Set(known.map(({ step, difference }) => `${step}\n    ${difference}`));
  const unknown = found.filter((line) => !expected.has(line));
  const outdated = [...expected].filter((line) => !found.includes(line));
  console.log(`${ours.size} requests, ${found.length} differences, ${known.length} of them known`);
  expect({ unknown, outdated }).toEqual({ unknown: [], outdated: [] });
});
