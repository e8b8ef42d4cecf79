// The manager as a process among replicas: who leads when the leader is killed, told to stop, or loses its lease. Facts are the versions of the
// Lease, which say who held it since when, and how the processes ended.
import type { coordinationv1, corev1 } from "@kubeloop/core/api";
import { parseTime } from "@kubeloop/core/api";
import { deferred, TaskScope } from "@kubeloop/core/base";
import { leases, namespaces, serviceAccounts } from "@kubeloop/core/resources";
import { test as base, describe, expect, vi } from "vitest";
import type { ManagerProcess } from "./manager-process.contract.ts";
import { ServedCluster, untilSeen } from "./process-on-embedded-server.contract.ts";

// Ends what hangs; nothing is expected of it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const { signal } = new AbortController();
const leaseName = "kube-controller-manager";

interface Parts {
  readonly cluster: ServedCluster;
  readonly history: LeaseHistory;
}

/** Each test has a cluster of its own, so they run at the same time: most of their time is waiting. */
const test = base.extend<Parts>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern.
  cluster: async ({}, use) => {
    await using cluster = await ServedCluster.open();
    await use(cluster);
  },
  history: async ({ cluster }, use) => {
    await using history = new LeaseHistory(cluster);
    await use(history);
  },
});

interface Timings {
  readonly leaseSeconds: number;
  readonly renewSeconds: number;
}

/** Runs out soon. */
const short: Timings = { leaseSeconds: 8, renewSeconds: 7 };
/** Outlives every test. */
const long: Timings = { leaseSeconds: 600, renewSeconds: 500 };

/** Returns when the leader has sent a request that is never answered. */
async function holdARequest(cluster: ServedCluster): Promise<void> {
  const asked = deferred();
  cluster.hold = ({ method, path }) => {
    if (method !== "POST" || !path.endsWith("/serviceaccounts")) return undefined;
    asked.resolve();
    return new Promise(() => {});
  };
  const stuck = { apiVersion: "v1", kind: "Namespace", metadata: { name: "stuck" } } as const;
  await cluster.client.resource(namespaces).create(stuck, signal);
  await asked.promise;
}

const contend = (cluster: ServedCluster, { leaseSeconds, renewSeconds }: Timings, ...more: readonly string[]) =>
  cluster.start([
    "--secure-port=0",
    "--controllers=serviceaccount-controller",
    `--leader-elect-lease-duration=${leaseSeconds}s`,
    `--leader-elect-renew-deadline=${renewSeconds}s`,
    "--leader-elect-retry-period=500ms",
    ...more,
  ]);

/** Its identity, once it leads. */
async function leads(manager: ManagerProcess): Promise<string> {
  const line = await manager.logged("became leader");
  return /identity="([^"]+)"/.exec(line)?.[1] ?? "";
}

const isStandingBy = (manager: ManagerProcess) => manager.logged("another replica leads");

/** Every version of the lease. */
class LeaseHistory implements AsyncDisposable {
  readonly versions: coordinationv1.Lease[] = [];
  readonly #scope = new TaskScope(signal);
  readonly #ended = new AbortController();

  constructor({ client }: ServedCluster) {
    const options = { fieldSelector: `metadata.name=${leaseName}` };
    void this.#scope
      .spawn(async () => {
        const watch = client.resource(leases).in("kube-system").watch(options, this.#ended.signal);
        for await (const { type, object } of watch) {
          if (type === "ADDED" || type === "MODIFIED") this.versions.push(object as coordinationv1.Lease);
        }
      })
      .catch(() => {});
  }

  /** The last version of the first holder before somebody else's first one. */
  lastOf(holder: string): coordinationv1.LeaseSpec {
    return this.versions.findLast(({ spec }) => spec?.holderIdentity === holder)?.spec ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort(new Error("the test is over"));
    await this.#scope.join().catch(() => {});
  }
}

const heldBy = (cluster: ServedCluster, holder: (identity: string) => boolean) =>
  untilSeen(
    cluster.client.resource(leases).in("kube-system"),
    leaseName,
    ({ spec }) => holder(spec?.holderIdentity ?? ""),
    signal,
  );

const msOf = (time: string | undefined) => parseTime(time ?? "");

/** It works: a new namespace gets its service account. */
async function works(cluster: ServedCluster, name: string): Promise<corev1.ServiceAccount> {
  await cluster.client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
  return await untilSeen(cluster.client.resource(serviceAccounts).in(name), "default", () => true, signal);
}

describe.concurrent("of two replicas", () => {
  test("the other one leads when the lease of a leader that was killed has run out, and not before", async ({
    cluster,
    history,
  }) => {
    const first = contend(cluster, short);
    const killed = await leads(first);
    const second = contend(cluster, short);
    await isStandingBy(second);
    const before = await heldBy(cluster, (holder) => holder === killed);
    first.kill("SIGKILL");
    expect(await first.exited).toEqual({ code: null, signal: "SIGKILL" });
    const successor = await leads(second);
    expect(successor).not.toBe(killed);
    const { spec = {} } = await heldBy(cluster, (holder) => holder === successor);
    const last = history.lastOf(killed);
    expect(last.leaseDurationSeconds).toBe(short.leaseSeconds);
    expect(msOf(spec.acquireTime) - msOf(last.renewTime)).toBeGreaterThanOrEqual(short.leaseSeconds * 1000);
    expect(spec.leaseTransitions).toBe((before.spec?.leaseTransitions ?? 0) + 1);
    expect((await works(cluster, "after")).metadata.name).toBe("default");
  });

  test("one that is told to stop finishes what it is at, gives the lease back and ends with 0; the other leads at once", async ({
    cluster,
    history,
  }) => {
    const first = contend(cluster, long);
    const stopped = await leads(first);
    const second = contend(cluster, long);
    await isStandingBy(second);
    const asked = deferred();
    const answered = deferred();
    cluster.hold = ({ method, path }) => {
      if (method !== "POST" || !path.endsWith("/late/serviceaccounts")) return undefined;
      asked.resolve();
      return answered.promise;
    };
    const late = { apiVersion: "v1", kind: "Namespace", metadata: { name: "late" } } as const;
    await cluster.client.resource(namespaces).create(late, signal);
    await asked.promise;
    first.kill("SIGTERM");
    // It renews while it finishes.
    const { renewTime } = history.lastOf(stopped);
    await untilSeen(
      cluster.client.resource(leases).in("kube-system"),
      leaseName,
      ({ spec }) => spec?.holderIdentity === stopped && spec.renewTime !== renewTime,
      signal,
    );
    answered.resolve();
    const account = await untilSeen(cluster.client.resource(serviceAccounts).in("late"), "default", () => true, signal);
    expect(await first.exited).toEqual({ code: 0, signal: null });
    const successor = await leads(second);
    const { spec = {} } = await heldBy(cluster, (holder) => holder === successor);
    const released = history.versions.find(({ spec: each }) => each?.holderIdentity === "");
    expect(Number(released?.metadata.resourceVersion)).toBeGreaterThan(Number(account.metadata.resourceVersion));
    const last = history.lastOf(stopped);
    expect(msOf(spec.acquireTime)).toBeLessThan(msOf(last.renewTime) + long.leaseSeconds * 1000);
  });

  test("with the gate off, a signal ends the process at once and the lease stays where it is, as upstream's", async ({
    cluster,
    history,
  }) => {
    const first = contend(cluster, long, "--feature-gates=ControllerManagerReleaseLeaderElectionLockOnExit=false");
    const holder = await leads(first);
    first.kill("SIGTERM");
    expect(await first.exited).toEqual({ code: null, signal: "SIGTERM" });
    const second = contend(cluster, long);
    expect(await isStandingBy(second)).toContain(holder);
    expect(history.versions.at(-1)?.spec?.holderIdentity).toBe(holder);
  });
});

describe.concurrent("a leader", () => {
  test("whose lease somebody else has taken ends with 1 and leaves that lease alone", async ({ cluster, history }) => {
    const manager = contend(cluster, short);
    await leads(manager);
    const thief = { spec: { holderIdentity: "thief" } };
    await cluster.client.resource(leases).in("kube-system").patch(leaseName, { type: "merge", body: thief }, signal);
    expect(await manager.exited).toEqual({ code: 1, signal: null });
    expect(manager.stderr).toContain("leader election lost");
    expect(history.versions.at(-1)?.spec?.holderIdentity).toBe("thief");
  });

  test("that cannot renew until the deadline ends with 1", async ({ cluster }) => {
    const manager = contend(cluster, { leaseSeconds: 3, renewSeconds: 2 });
    await leads(manager);
    await cluster.stopListening();
    expect(await manager.exited).toEqual({ code: 1, signal: null });
    expect(manager.stderr).toContain("leader election lost");
  });

  test("is not kept by a request that is never answered: its shutdown has a time limit", async ({
    cluster,
    history,
  }) => {
    const manager = contend(cluster, long, "--controller-shutdown-timeout=1s");
    const holder = await leads(manager);
    await holdARequest(cluster);
    manager.kill("SIGTERM");
    expect(await manager.exited).toEqual({ code: 0, signal: null });
    expect(holder).not.toBe("");
    expect(history.versions.at(-1)?.spec?.holderIdentity).toBe("");
  });

  test("that is told twice to stop ends at once with 1", async ({ cluster }) => {
    const manager = contend(cluster, long);
    await leads(manager);
    await holdARequest(cluster);
    manager.kill("SIGTERM");
    manager.kill("SIGINT");
    expect(await manager.exited).toEqual({ code: 1, signal: null });
  });
});
