// Scenarios on a real kube-apiserver: each in a namespace of its own, in real time. A fact is looked at ten times a second, for a hundred seconds at most.
import { isDeepStrictEqual } from "node:util";
import { isAlreadyExists } from "@kubeloop/core/api";
import { systemClock, toError } from "@kubeloop/core/base";
import { type Client, clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "@kubeloop/core/client";
import { namespaces, serviceAccounts } from "@kubeloop/core/resources";
import type { RealCluster } from "@kubeloop/real-cluster";
import type { Scenario, ScenarioCluster } from "@kubeloop/scenarios";

const lookEveryMs = 100;
const patienceMs = 100_000;

/** Both families, for Services that ask for both; and addresses enough for the Services of all scenarios. */
export const dualStackFlags: readonly string[] = ["--service-cluster-ip-range=10.0.0.0/16,fd00:10::/112"];

/** As the admin. */
export function adminClient(cluster: RealCluster): Client {
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  return openClient(clusterConfig({ server: cluster.url, tls, credentials: tokenCredentials(cluster.adminToken) }));
}

export interface RealRun {
  readonly client: Client;
  readonly namespace: string;
  readonly isDisturbed?: boolean;
  /** Whether the manager makes the account without which no pod is admitted. Default: false, and then the run makes it. */
  readonly hasAccountController?: boolean;
}

/** Runs it and leaves what came of it. */
export async function runOnRealCluster(
  scenario: Scenario,
  { client, namespace, isDisturbed = false, hasAccountController = false }: RealRun,
  signal: AbortSignal,
): Promise<void> {
  const name = "default";
  await client
    .resource(namespaces)
    .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, signal);
  const accounts = client.resource(serviceAccounts).in(namespace);
  const cluster = realScenarioCluster({ client, namespace, isDisturbed }, signal);
  if (hasAccountController) {
    await cluster.until(`account ${name} in ${namespace}`, () => accounts.get(name, signal));
  } else {
    await accounts.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } }, signal).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  await scenario.run(cluster);
}

/** A real cluster as scenarios see it; what is given is kept. */
export function realScenarioCluster(
  given: Pick<ScenarioCluster, "client" | "namespace"> & Partial<ScenarioCluster>,
  signal: AbortSignal,
): ScenarioCluster {
  return {
    signal,
    isDisturbed: false,
    nowMs: () => systemClock.now(),
    until: (what, look) => untilSo(what, look, signal),
    pass: (ms) => systemClock.sleep(ms, signal),
    ...given,
  };
}

const settledAfterLooks = 6;
const settleEveryMs = 500;

/** Waits until what is looked at has not changed for three seconds, and returns it. */
export async function untilSettled<T>(look: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const lastMs = systemClock.monotonic() + patienceMs;
  let last = await look();
  for (let same = 0; same < settledAfterLooks; ) {
    if (systemClock.monotonic() > lastMs) throw new Error("what was looked at changes without end");
    await systemClock.sleep(settleEveryMs, signal);
    const now = await look();
    same = isDeepStrictEqual(now, last) ? same + 1 : 0;
    last = now;
  }
  return last;
}

async function untilSo<T>(what: string, look: () => Promise<T | undefined | false>, signal: AbortSignal): Promise<T> {
  const lastMs = systemClock.monotonic() + patienceMs;
  for (;;) {
    const seen = await look().catch((error: unknown) => toError(error));
    if (!(seen instanceof Error) && seen !== undefined && seen !== false) return seen;
    if (systemClock.monotonic() > lastMs) {
      const last = seen instanceof Error ? seen.message : JSON.stringify(seen);
      throw new Error(`${what} did not hold within ${patienceMs / 1000} s; last seen: ${last}`, {
        ...(seen instanceof Error ? { cause: seen } : {}),
      });
    }
    await systemClock.sleep(lookEveryMs, signal);
  }
}
