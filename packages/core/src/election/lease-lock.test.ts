import { describe, expect, test } from "vitest";
import { type coordinationv1, isConflict, newConflict, newForbidden, newNotFound } from "../api/index.ts";
import { clientOf } from "../client/index.ts";
import { ScriptedServer } from "../client/rest/scripted-server.fixture.ts";
import { LeaseLock, type LeaseLockOptions } from "./lease-lock.ts";
import { type LeaseRecord, recordOf, seenLease, withRecord } from "./lease-record.ts";

const never = new AbortController().signal;
const place = { group: "coordination.k8s.io", resource: "leases" };

const stored: coordinationv1.Lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: {
    namespace: "kube-system",
    name: "lock",
    resourceVersion: "7",
    labels: { team: "a" },
    annotations: { kept: "yes" },
  },
  spec: {
    holderIdentity: "other",
    leaseDurationSeconds: 15,
    leaseTransitions: 3,
    acquireTime: "2030-01-01T00:00:00.000000Z",
    renewTime: "2030-01-01T00:00:10.000000Z",
    strategy: "OldestEmulationVersion",
  },
};
const mine: LeaseRecord = {
  holder: "me",
  leaseDurationMs: 15_000,
  transitions: 4,
  acquireTime: "2030-01-01T00:01:00.000000Z",
  renewTime: "2030-01-01T00:01:00.000000Z",
};

/** A lock on a server that echoes what it is sent, and answers reads with `stored`; or refuses everything. */
function lockOn(refusal?: { readonly status: object; readonly code: number }, options: Partial<LeaseLockOptions> = {}) {
  const server = new ScriptedServer("values", ({ method, body }) => {
    if (refusal !== undefined) return { status: refusal.code, json: refusal.status };
    return { json: method === "GET" ? stored : body.kind === "value" ? body.value : {} };
  });
  return {
    server,
    lock: new LeaseLock(clientOf(server.transport), { namespace: "kube-system", name: "lock", ...options }),
  };
}

const refusedWith = (error: { readonly status: object; readonly code: number }) => ({
  status: error.status,
  code: error.code,
});

describe("a lease lock", () => {
  test("reads the lease and what it says", async () => {
    const { lock, server } = lockOn();
    expect((await lock.read(never))?.record).toEqual({
      holder: "other",
      leaseDurationMs: 15_000,
      transitions: 3,
      acquireTime: "2030-01-01T00:00:00.000000Z",
      renewTime: "2030-01-01T00:00:10.000000Z",
    });
    expect(server.lines).toEqual(["GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/lock"]);
  });

  test("tells a lease that is not there from one that cannot be read", async () => {
    expect(await lockOn(refusedWith(newNotFound(place, "lock"))).lock.read(never)).toBeUndefined();
    const forbidden = refusedWith(newForbidden(place, "lock", { detail: "no" }));
    await expect(lockOn(forbidden).lock.read(never)).rejects.toMatchObject({ reason: "Forbidden" });
  });

  test("makes a lease where there was none, and throws what the server refuses", async () => {
    const { lock, server } = lockOn();
    expect((await lock.write(undefined, mine, never)).object).toEqual({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "kube-system", name: "lock" },
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        leaseTransitions: 4,
        acquireTime: "2030-01-01T00:01:00.000000Z",
        renewTime: "2030-01-01T00:01:00.000000Z",
      },
    });
    expect(server.lines).toEqual(["POST /apis/coordination.k8s.io/v1/namespaces/kube-system/leases"]);
    const forbidden = refusedWith(newForbidden(place, "lock", { detail: "no" }));
    await expect(lockOn(forbidden).lock.write(undefined, mine, never)).rejects.toMatchObject({ reason: "Forbidden" });
  });

  test("writes on top of what was read: its version, and everything it does not know, go along", async () => {
    const { lock, server } = lockOn();
    const { object } = await lock.write(seenLease(stored), mine, never);
    expect(object).toEqual({
      ...stored,
      spec: { ...withRecord(stored, mine).spec, strategy: "OldestEmulationVersion", holderIdentity: "me" },
    });
    expect(server.lines).toEqual(["PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/lock"]);
    const conflict = refusedWith(newConflict(place, "lock", { detail: "changed" }));
    const failure = await lockOn(conflict)
      .lock.write(seenLease(stored), mine, never)
      .catch((error: unknown) => error);
    expect(isConflict(failure)).toBe(true);
  });

  test.each<[string, Record<string, string> | undefined, Record<string, string> | undefined, object | undefined]>([
    ["keeps the labels a lease has", { team: "a" }, undefined, { team: "a" }],
    ["puts its own on a lease without any", undefined, { mine: "1" }, { mine: "1" }],
    [
      "puts its own beside those of a lease, and over them",
      { team: "a", mine: "0" },
      { mine: "1" },
      { team: "a", mine: "1" },
    ],
    ["leaves a lease without labels without them", undefined, undefined, undefined],
  ])("%s", async (_, has, puts, expected) => {
    const { lock } = lockOn(undefined, puts === undefined ? {} : { labels: puts });
    const { labels: __, ...metadata } = stored.metadata;
    const lease = { ...stored, metadata: has === undefined ? metadata : { ...metadata, labels: has } };
    expect((await lock.write(seenLease(lease), mine, never)).object.metadata.labels).toEqual(expected);
  });

  test("says which lease it is", () => {
    expect(lockOn().lock.description).toBe("kube-system/lock");
  });
});

describe("a record", () => {
  test("survives the way into a lease and back", () => {
    expect(recordOf(withRecord(stored, mine))).toEqual(mine);
  });

  test("of a lease without a spec says that nobody holds it", () => {
    const { spec: _, ...bare } = stored;
    expect(recordOf(bare)).toEqual({ holder: "", leaseDurationMs: 0, transitions: 0, acquireTime: "", renewTime: "" });
  });

  test("without times leaves them out: a server refuses an empty one", () => {
    const { spec } = withRecord(stored, { ...mine, acquireTime: "", renewTime: "" });
    expect(Object.keys(spec ?? {})).not.toContain("renewTime");
  });
});
