// `kubectl`: the commands that people know from kubectl, without a kubectl, printing what kubectl 1.36 prints. Each is loaded when it is
// asked for. Start with get/get.ts; open-cluster.ts says which cluster a command speaks to.
//
// Not here: what runs the real kubectl (run-kubectl.ts).
import { isAborted } from "@kubeloop/core/base";
import { KubeconfigError } from "@kubeloop/core/client";
import { UsageError } from "../usage-error.ts";
import type { KubectlCommand } from "./commands.ts";
import { SeveralFailures } from "./failures.ts";
import { printFailures } from "./kubectl-error.ts";
import { type ClusterFlags, type OpenCluster, openCluster } from "./open-cluster.ts";
import type { KubectlWorld } from "./world.ts";

/** A command with its options read: what it prints as help, or how it runs. */
interface Prepared {
  readonly cluster: ClusterFlags;
  run(cluster: OpenCluster, signal: AbortSignal): Promise<void>;
}

type Prepare = (args: readonly string[], world: KubectlWorld) => Promise<Prepared | string>;

const commands: Readonly<Record<KubectlCommand, Prepare>> = {
  async get(args, world) {
    const { getHelp, parseGetOptions } = await import("./get/get-options.ts");
    const options = parseGetOptions(args);
    if (options === undefined) return getHelp;
    const { get } = await import("./get/get.ts");
    return { cluster: options.cluster, run: (cluster, signal) => get(options, cluster, world, signal) };
  },
  async describe(args, world) {
    const { describeHelp, parseDescribeOptions } = await import("./describe/describe-options.ts");
    const options = parseDescribeOptions(args);
    if (options === undefined) return describeHelp;
    const { describe } = await import("./describe/describe.ts");
    return { cluster: options.cluster, run: (cluster, signal) => describe(options, cluster, world, signal) };
  },
  async apply(args, world) {
    const { applyHelp, parseApplyOptions } = await import("./apply/apply-options.ts");
    const options = parseApplyOptions(args);
    if (options === undefined) return applyHelp;
    const { apply } = await import("./apply/apply.ts");
    return { cluster: options.cluster, run: (cluster, signal) => apply(options, cluster, world, signal) };
  },
  async delete(args, world) {
    const { deleteHelp, parseDeleteOptions } = await import("./delete/delete-options.ts");
    const options = parseDeleteOptions(args);
    if (options === undefined) return deleteHelp;
    const { deleteObjects } = await import("./delete/delete.ts");
    return { cluster: options.cluster, run: (cluster, signal) => deleteObjects(options, cluster, world, signal) };
  },
  async logs(args, world) {
    const { logsHelp, parseLogsOptions } = await import("./logs/logs-options.ts");
    const options = parseLogsOptions(args);
    if (options === undefined) return logsHelp;
    const { logs } = await import("./logs/logs.ts");
    return { cluster: options.cluster, run: (cluster, signal) => logs(options, cluster, world, signal) };
  },
  async wait(args, world) {
    const { waitHelp, parseWaitOptions } = await import("./wait/wait-options.ts");
    const options = parseWaitOptions(args);
    if (options === undefined) return waitHelp;
    const { wait } = await import("./wait/wait.ts");
    return { cluster: options.cluster, run: (cluster, signal) => wait(options, cluster, world, signal) };
  },
};

export async function kubectlHelp(name: KubectlCommand): Promise<string> {
  const { noWorld } = await import("./world.ts");
  const help = await commands[name](["--help"], noWorld);
  return typeof help === "string" ? help : "";
}

/** Returns the exit code. Bad usage is thrown as a UsageError. */
export async function runKubectlCommand(
  name: KubectlCommand,
  args: readonly string[],
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<number> {
  let server = "";
  try {
    const prepared = await commands[name](args, world);
    if (typeof prepared === "string") {
      world.print(prepared);
      return 0;
    }
    await using cluster = await openCluster(prepared.cluster, world, signal);
    server = cluster.server;
    await prepared.run(cluster, signal);
    return 0;
  } catch (error) {
    // Whoever presses Ctrl-C knows why it ends.
    if (isAborted(error, signal)) return signalCode;
    if (error instanceof KubeconfigError) throw new UsageError(`${name}: ${error.message}`);
    const text = printFailures(error instanceof SeveralFailures ? error.errors : [error], server);
    if (text === undefined) throw error;
    world.complain(text);
    return 1;
  }
}

/** As shells say it of a program that SIGINT ended. */
const signalCode = 130;
