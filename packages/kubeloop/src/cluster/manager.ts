// The controller manager of a control plane in one process: upstream's flags and controllers. Requests are not rationed, and its own endpoints are not
// served. It reads from the caches of the process
// (shared-informers.ts), which somebody else runs. Whoever gives flags of their own has the last word.
//
// Promises: `run` ends when the signal has aborted and the controllers have finished what they were at. `controllers` are those that exist.
import { type Clock, KubeloopError, type Log, type Metrics, type Random } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import type { SharedInformers } from "./shared-informers.ts";

type ManagerModule = typeof import("@kubeloop/controller-manager");

export interface ManagerPart {
  /** Names of the controllers that run. */
  readonly controllers: readonly string[];
  run(signal: AbortSignal): Promise<void>;
}

export interface ManagerPartOptions {
  readonly client: Client;
  readonly informers: Pick<SharedInformers, "objects" | "metadata">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What is counted; nobody reads it unless given. */
  readonly metrics?: Metrics & { print(): string };
  /** Upstream's flags besides those that make it a part of this process. */
  readonly flags: readonly string[];
}

const fixedFlags = ["--secure-port=0", "--kube-api-qps=5000", "--kube-api-burst=10000"];

/** Would decline: nobody gives it a key to sign tokens with. */
const declining: ReadonlySet<string> = new Set(["serviceaccount-token-controller"]);

/** Throws a KubeloopError with the reason `Invalid`, in upstream's words, if a flag is none or means nothing. */
export async function newManagerPart({ informers, flags, ...tools }: ManagerPartOptions): Promise<ManagerPart> {
  // Imported when it is needed: `up --help` does without.
  const manager = await import("@kubeloop/controller-manager");
  const { complete, controllerDescriptors, run, selectControllers } = manager;
  const own = flags.some((flag) => /^--controllers(?:=|$)/.test(flag)) ? [] : [`--controllers=${defaults(manager)}`];
  const options = parse(manager, [...fixedFlags, ...own, ...flags]);
  const caches = { informers: informers.objects, metadataInformers: informers.metadata };
  const config = complete({ ...tools, ...caches, options });
  const { selected } = selectControllers(config.componentConfig.generic.controllers, controllerDescriptors);
  const controllers = controllerDescriptors
    .filter(({ name, start }) => start !== undefined && selected.includes(name) && !declining.has(name))
    .map(({ name }) => name);
  return { controllers, run: (signal) => run(config, signal) };
}

/** All that are written and on by default. Named one by one, so that the others are not complained of. */
function defaults({ controllerDescriptors }: ManagerModule): string {
  return controllerDescriptors
    .filter(({ name, start, isOffByDefault }) => start !== undefined && isOffByDefault !== true && !declining.has(name))
    .map(({ name }) => name)
    .join(",");
}

function parse({ FlagError, joinFaults, parseOptions, validateOptions }: ManagerModule, flags: readonly string[]) {
  try {
    const options = parseOptions(flags);
    const faults = validateOptions(options);
    if (faults.length > 0) throw new FlagError(joinFaults(faults));
    return options;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    throw new KubeloopError(error.message, { reason: "Invalid", retry: "never", cause: error });
  }
}
