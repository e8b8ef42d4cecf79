// Two servers, one kubectl: what it prints against this server and against a real one, command by command. What no two runs share
// (uids, times, versions, addresses) is taken out before it is compared.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cleanup } from "@kubeloop/core/base";
import { RealCluster } from "@kubeloop/real-cluster";
import { ApiServer } from "../api-server.ts";
import { writeKubeconfig } from "./clients/kubeconfig.contract.ts";
import { manifests } from "./kubectl-commands.contract.ts";
import { withoutAdmission } from "./without-admission.contract.ts";

export interface KubectlComparison extends AsyncDisposable {
  /** A kubectl of the real server's version. */
  readonly kubectlPath: string;
  /** The commands that do not print the same, with both. */
  compare(kubectlPath: string, commands: readonly string[]): Promise<readonly object[]>;
}

export async function openKubectlComparison(): Promise<KubectlComparison> {
  await using cleanup = new Cleanup();
  const folder = await mkdtemp(join(tmpdir(), "kubeloop-kubectl-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(manifests)) await writeFile(join(folder, name), text);
  // A real server cannot publish the address it listens on, since that is loopback.
  const flags = [...withoutAdmission["kube-apiserver"], `--advertise-address=${advertiseAddress}`];
  const cluster = cleanup.use(await RealCluster.start({ extraFlags: { "kube-apiserver": flags } }));
  const server = cleanup.use(await ApiServer.open());
  const { url, admin } = await server.listen({ advertiseAddress });
  const access = { url, caPem: admin.caPem ?? "", token: admin.token };
  const kubeconfigPath = await writeKubeconfig(join(folder, "ours.kubeconfig"), access);
  const home = (name: string) => join(folder, `home-${name}`);
  const { adminKubeconfigPath, url: realUrl } = cluster;
  const theirs = { folder, kubeconfigPath: adminKubeconfigPath, home: home("theirs"), port: new URL(realUrl).port };
  const ours = { folder, kubeconfigPath, home: home("ours"), port: new URL(url).port };
  const owned = cleanup.move();
  return {
    kubectlPath: cluster.kubectlPath,
    async compare(path, commands) {
      const different: object[] = [];
      for (const command of commands) {
        // Command after command: the second half of most stories depends on the first.
        const printed = await Promise.all(
          [theirs, ours].map(async (place) => plain(await run(path, command, place), place)),
        );
        const [real = "", embedded = ""] = printed;
        if (embedded !== real) different.push({ command, ours: embedded.split("\n"), theirs: real.split("\n") });
      }
      return different;
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

interface Place {
  readonly folder: string;
  readonly kubeconfigPath: string;
  /** Where kubectl keeps what it discovered. */
  readonly home: string;
  /** On which the server listens. */
  readonly port: string;
}

const advertiseAddress = "10.20.30.40";

/** What it printed and how it ended. */
async function run(path: string, command: string, place: Place): Promise<string> {
  const wanted = /\{uid:([^}]+)\}/.exec(command);
  if (wanted === null) return await runPlain(path, command, place);
  const answer = await runPlain(path, `get ${wanted[1]} -o jsonpath={.metadata.uid}`, place);
  return await runPlain(path, command.replaceAll(wanted[0], answer.replace(/exit 0$/, "")), place);
}

async function runPlain(path: string, command: string, { folder, kubeconfigPath, home }: Place): Promise<string> {
  const args = command.split(" ").map((word) => word.replaceAll("_", " "));
  const env = { ...process.env, KUBECONFIG: kubeconfigPath, HOME: home, KUBE_EDITOR: "sed -i s/red/blue/" };
  return await new Promise((resolve) => {
    execFile(path, args, { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error.code ?? "killed");
      resolve(`${stdout}${stderr}exit ${code}`);
    });
  });
}

const plain = (text: string, { port }: Place) =>
  text
    .replaceAll(new RegExp(`\\b${port}\\b`, "g"), "{port}")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "{uid}")
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, "{time}")
    .replaceAll(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} [\d:]{8} [+-]\d{4}/g, "{date}")
    .replaceAll(/\d{4}-\d{2}-\d{2} [\d:]{8} [+-]\d{4} UTC/g, "{date}")
    .replaceAll(/resourceVersion("?): "\d+"/g, 'resourceVersion$1: "{version}"')
    .replaceAll(/(https:\/\/|"serverAddress":")127\.0\.0\.1:(?:\d{2,}|\{port\})/g, "$1{server}")
    .replaceAll("kubernetes-admin", "admin")
    .replaceAll(/10\.0\.\d+\.\d+/g, "{address}")
    .replaceAll(/([: ])3[0-2]\d{3}\//g, "$1{node port}/")
    .replaceAll(/\b\d+(?:ms|s)\b/g, "{age}")
    .replaceAll(/ +\n/g, "\n")
    .replaceAll(/ {2,}/g, "  ");
