// What this server checks of itself, under a real server's names and in its order. Of those that a real server has, only the ones that mean
// something here: its storage stands for etcd, and of what is done at the start that is listed which this server does too. It answers
// nobody before all of that is done.
import { toError } from "@kubeloop/core/base";
import type { Storage } from "../storage/index.ts";

export const healthEndpoints = ["healthz", "livez", "readyz"] as const;
export type HealthEndpoint = (typeof healthEndpoints)[number];

export interface HealthCheck {
  readonly name: string;
  readonly endpoints: readonly HealthEndpoint[];
  /** Undefined when well; else what is wrong, which only who asks for this check is told. */
  readonly check: () => string | undefined | Promise<string | undefined>;
}

export interface CheckedParts {
  readonly storage: Storage;
  /** Aborts when the server is to close. */
  readonly closing: AbortSignal;
}

const everywhere: readonly HealthEndpoint[] = healthEndpoints;
const readiness: readonly HealthEndpoint[] = ["readyz"];

const doneAtTheStart = [
  "start-system-namespaces-controller",
  "storage-readiness",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
];

export function healthChecks({ storage, closing }: CheckedParts): readonly HealthCheck[] {
  const isReadable = () => storageFault(storage);
  return [
    { name: "ping", endpoints: everywhere, check: well },
    { name: "log", endpoints: everywhere, check: well },
    { name: "etcd", endpoints: everywhere, check: isReadable },
    { name: "etcd-readiness", endpoints: readiness, check: isReadable },
    { name: "informer-sync", endpoints: readiness, check: well },
    ...doneAtTheStart.map((name) => ({ name: `poststarthook/${name}`, endpoints: everywhere, check: well })),
    {
      name: "shutdown",
      endpoints: readiness,
      check: () => (closing.aborted ? "process is shutting down" : undefined),
    },
  ];
}

const well = () => undefined;

async function storageFault(storage: Storage): Promise<string | undefined> {
  try {
    await storage.list("namespaces", { limit: 1 });
    return undefined;
  } catch (error) {
    return toError(error).message;
  }
}
