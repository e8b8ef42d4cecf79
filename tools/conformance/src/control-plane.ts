// The control plane that the suite judges: `kubeloop up` in a folder of its own, with all its parts, or with upstream's scheduler beside it, two bare
// nodes (bare-nodes.ts) that make pods schedulable, and either upstream's controller manager or the one of `up`. Or a real kube-apiserver with etcd,
// which manager, scheduler and nodes of `up` join.
//
// Promises: when `open` returns, the API server answers and the nodes are there. Disposing ends every process and removes the folder; if our
// process dies without doing so, they go all the same. What the processes print is kept in `logs`, which stays.
import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Cleanup, systemClock } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { type Binaries, filesIn, pathOf, RealCluster, SupervisedProcess } from "@kubeloop/real-cluster";
import { BareNodes } from "./bare-nodes.ts";
import { ConformanceError } from "./conformance-error.ts";

export interface ControlPlaneOptions {
  readonly binaries: Binaries;
  readonly manager: "upstream" | "ours";
  /** Whether scheduler and nodes are those of `up`. */
  readonly ours: boolean;
  readonly server: "embedded" | "real";
  /** Where the logs go. */
  readonly logs: string;
}

const command = fileURLToPath(new URL("../../../packages/kubeloop/dist/bundle/esm/cli.js", import.meta.url));
const patienceMs = 60_000;
const lookEveryMs = 50;

export class ControlPlane implements AsyncDisposable {
  readonly kubeconfig: string;
  readonly #cleanup: Cleanup;

  private constructor(kubeconfig: string, cleanup: Cleanup) {
    this.kubeconfig = kubeconfig;
    this.#cleanup = cleanup;
  }

  static async open(
    { binaries, manager, ours, server: which, logs }: ControlPlaneOptions,
    signal: AbortSignal,
  ): Promise<ControlPlane> {
    await using cleanup = new Cleanup();
    const folder = await mkdtemp(join(tmpdir(), "kubeloop-conformance-"));
    cleanup.defer(() => rm(folder, { recursive: true, force: true }));
    await mkdir(logs, { recursive: true });
    const start = async (name: string, path: string, flags: readonly string[]) => {
      const logPath = join(logs, `${name}.log`);
      await rm(logPath, { force: true });
      const started = await SupervisedProcess.start({ path, flags, logPath, folder, throwAwayFolder: folder });
      cleanup.defer(() => started.stop(10_000));
      return { started, logPath };
    };

    if (which === "real") {
      const cluster = cleanup.use(await RealCluster.start({}, signal));
      const joined = [`--kubeconfig=${cluster.adminKubeconfigPath}`, "--", ...keyFlags(cluster.folder)];
      const up = await start("up", process.execPath, [command, "up", "--json", ...joined]);
      await untilReady(up.logPath, up.started, signal);
      return new ControlPlane(cluster.adminKubeconfigPath, cleanup.move());
    }
    const own = [
      ...(manager === "upstream" ? ["--without-manager"] : []),
      ...(ours ? [] : ["--without-scheduler", "--nodes=0"]),
    ];
    const server = await start("up", process.execPath, [command, "up", "--port=0", "--json", ...own]);
    const kubeconfig = await untilReady(server.logPath, server.started, signal);
    const flags = [`--kubeconfig=${kubeconfig}`, "--secure-port=0", "--leader-elect=false"];
    if (manager === "upstream") {
      const files = await writeManagerFiles(folder);
      await start("kube-controller-manager", pathOf(binaries, "kube-controller-manager"), [...flags, ...files]);
    }
    if (ours) return new ControlPlane(kubeconfig, cleanup.move());
    await start("kube-scheduler", pathOf(binaries, "kube-scheduler"), flags);

    const client = cleanup.use(openClient(await loadClusterConfig({ path: kubeconfig }, signal)));
    const nodes = new BareNodes(client, ["bare-1", "bare-2"], systemClock);
    await nodes.create(signal);
    const renewing = new AbortController();
    const renewed = nodes.run(renewing.signal).catch((error: unknown) => {
      if (!renewing.signal.aborted) console.error(`conformance: the nodes' leases are not renewed: ${String(error)}`);
    });
    cleanup.defer(async () => {
      renewing.abort();
      await renewed;
    });
    return new ControlPlane(kubeconfig, cleanup.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup[Symbol.asyncDispose]();
  }
}

/** The kubeconfig that the ready line of `up` names. */
async function untilReady(logPath: string, { exited }: SupervisedProcess, signal: AbortSignal): Promise<string> {
  const lastMs = systemClock.monotonic() + patienceMs;
  let status: number | undefined;
  void exited.then((ended) => {
    status = ended;
  });
  for (;;) {
    const printed = await readFile(logPath, "utf8");
    const ready = /^\{"event":"ready".*\}$/m.exec(printed);
    if (ready !== null) return (JSON.parse(ready[0]) as { readonly kubeconfig: string }).kubeconfig;
    if (status !== undefined || systemClock.monotonic() > lastMs) {
      const how = status === undefined ? `is not ready after ${patienceMs / 1000} s` : `ended with status ${status}`;
      throw new ConformanceError(`kubeloop up ${how}; it printed:\n${printed.slice(-2000)}`, { reason: "StartFailed" });
    }
    await systemClock.sleep(lookEveryMs, signal);
  }
}

/** What a manager needs of a real cluster beside a kubeconfig. */
function keyFlags(folder: string): readonly string[] {
  const { serviceAccountKey, caCert } = filesIn(folder);
  return [`--service-account-private-key-file=${serviceAccountKey}`, `--root-ca-file=${caCert}`];
}

/** What upstream's controller manager needs beside a kubeconfig: `up` has put the certificate authority next to it. */
async function writeManagerFiles(folder: string): Promise<readonly string[]> {
  const keyFile = join(folder, "service-account.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(keyFile, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  return [
    `--service-account-private-key-file=${keyFile}`,
    `--root-ca-file=${join(folder, ".kubeloop", "ca.crt")}`,
    "--kube-api-qps=100",
    "--kube-api-burst=200",
  ];
}
