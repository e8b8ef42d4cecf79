// The controller manager of `kubeloop up`: upstream's flags and controllers, on the server of this process. Nobody else can lead here, so there
// is no election; the server is as near as can be, so requests are not rationed; its own endpoints are not served. It reads from the caches of
// the process (shared-informers.ts), which somebody else runs.
//
// Promises: `run` ends when the signal has aborted and the controllers have finished what they were at. `controllers` are those that exist.
import type { ApiServer } from "@kubeloop/apiserver";
import { type Log, noLog } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import type { SharedInformers } from "./shared-informers.ts";

export interface ManagerOfUp {
  /** Names of the controllers that run. */
  readonly controllers: readonly string[];
  run(signal: AbortSignal): Promise<void>;
}

export interface ManagerOfUpOptions {
  readonly server: ApiServer;
  readonly informers: Pick<SharedInformers, "objects" | "metadata">;
  /** The certificate that pods would trust the server by. */
  readonly caFile: string;
  readonly log: Log;
}

const fixedFlags = ["--leader-elect=false", "--secure-port=0", "--kube-api-qps=5000", "--kube-api-burst=10000"];

/** Would decline: the server has no key yet to sign tokens with, and nobody gives it networks for nodes. */
const declining: ReadonlySet<string> = new Set(["serviceaccount-token-controller", "node-ipam-controller"]);

export async function newManagerOfUp({ server, informers, caFile, log }: ManagerOfUpOptions): Promise<ManagerOfUp> {
  // Imported when it is needed: `up --help` does without.
  const { complete, controllerDescriptors, parseOptions, run } = await import("@kubeloop/controller-manager");
  const controllers = controllerDescriptors
    .filter(({ start, isOffByDefault }) => start !== undefined && isOffByDefault !== true)
    .map(({ name }) => name)
    .filter((name) => !declining.has(name));
  const options = parseOptions([...fixedFlags, `--controllers=${controllers.join(",")}`, `--root-ca-file=${caFile}`]);
  // The client logs only what the server warns of, such as a deprecated version: nobody at the terminal can change the manager's requests.
  const client = clientOf(server.transport, { log: noLog });
  const caches = { informers: informers.objects, metadataInformers: informers.metadata };
  return { controllers, run: (signal) => run(complete({ options, client, log, ...caches }), signal) };
}
