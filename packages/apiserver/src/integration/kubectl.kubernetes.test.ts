// kubectl as people use it, on good and bad input: what it prints against this server equals what it prints against a real one.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import type { Listening } from "../serving/index.ts";
import { kubectlCommands, manifests } from "./kubectl-commands.contract.ts";
import { withoutAdmission } from "./without-admission.contract.ts";

const never = new AbortController().signal;
let folder: string;
let cluster: RealCluster;
let server: ApiServer;
let listening: Listening;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-kubectl-"));
  for (const [name, text] of Object.entries(manifests)) await writeFile(join(folder, name), text);
  cluster = await RealCluster.start({ extraFlags: withoutAdmission }, never);
  server = await ApiServer.open();
  listening = await server.listen();
  const base64 = (text: string | undefined) => Buffer.from(text ?? "").toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "k", cluster: { server: listening.url, "certificate-authority-data": base64(listening.admin.caPem) } },
    ],
    users: [{ name: "k", user: { token: listening.admin.token } }],
    contexts: [{ name: "k", context: { cluster: "k", user: "k" } }],
    "current-context": "k",
  };
  await writeFile(join(folder, "ours.kubeconfig"), JSON.stringify(config));
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** What it printed and how it ended. */
async function kubectl(kubeconfig: string, home: string, command: string): Promise<string> {
  const args = command.split(" ").map((word) => word.replaceAll("_", " "));
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home };
  return await new Promise((resolve) => {
    execFile(cluster.kubectlPath, args, { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error.code ?? "killed");
      resolve(`${stdout}${stderr}exit ${code}`);
    });
  });
}

const plain = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "{uid}")
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, "{time}")
    .replaceAll(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} [\d:]{8} [+-]\d{4}/g, "{date}")
    .replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: "{version}"')
    .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, "{server}")
    .replaceAll(/10\.0\.\d+\.\d+/g, "{address}")
    .replaceAll(/:3[0-2]\d{3}\//g, ":{node port}/")
    .replaceAll(/\b\d+(?:ms|s)\b/g, "{age}")
    .replaceAll(/ +\n/g, "\n")
    .replaceAll(/ {2,}/g, "  ");

test("kubectl cannot tell the two apart", async () => {
  const different: object[] = [];
  for (const command of kubectlCommands) {
    // One after the other: the second half of most stories depends on the first.
    const theirs = plain(await kubectl(cluster.adminKubeconfigPath, join(folder, "home-theirs"), command));
    const ours = plain(await kubectl(join(folder, "ours.kubeconfig"), join(folder, "home-ours"), command));
    if (ours !== theirs) different.push({ command, ours: ours.split("\n"), theirs: theirs.split("\n") });
  }
  console.log(`${kubectlCommands.length} commands, ${different.length} print something else`);
  expect(different).toEqual([]);
}, 600_000);
