// The process around a controller: flags, kubeconfig, signals, probes and metrics, leader election.
import { parseArgs } from "node:util";
import { jsonLineLog, systemClock } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { type Controller, rbacObjects } from "@kubeloop/core/contract";
import { Manager, openStopSignal } from "@kubeloop/core/runtime";

const log = jsonLineLog({ write: (line) => console.error(line), now: () => systemClock.now() });

/** The last line of a program: until a signal ends it. */
export async function main(controller: Controller): Promise<void> {
  using stop = openStopSignal({ log });
  try {
    await runOperator(controller, process.argv.slice(2), stop.signal);
  } catch (error) {
    log.error("the operator has failed", { error });
    process.exitCode = 1;
  }
}

export async function runOperator(controller: Controller, args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      /** Found as kubectl finds it unless given; in a pod, the pod's own. */
      kubeconfig: { type: "string" },
      /** Where the operator lives: its lease and its service account. */
      namespace: { type: "string", default: "default" },
      "leader-elect": { type: "boolean", default: false },
      /** /healthz, /readyz and /metrics; none unless given. */
      "health-port": { type: "string" },
      /** Prints what the operator must be allowed to do, and ends. */
      "print-rbac": { type: "boolean", default: false },
    },
  });
  const serviceAccount = { namespace: flags.namespace, name: controller.name };
  if (flags["print-rbac"]) {
    const items = rbacObjects(controller, { serviceAccount, lease: serviceAccount });
    console.log(JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 2));
    return;
  }

  const { kubeconfig: path, "health-port": port } = flags;
  await using client = openClient(await loadClusterConfig(path === undefined ? {} : { path }, signal));
  const manager = new Manager({
    client,
    log,
    ...(port === undefined ? {} : { healthServer: { port: Number(port) } }),
    ...(flags["leader-elect"] ? { leaderElection: serviceAccount } : {}),
  });
  manager.addController(controller);
  await manager.run(signal);
}
