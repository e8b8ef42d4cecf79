// A lease in memory that behaves like a server: it has versions and conflicts, and a test can inject failures and delays.
import { newConflict } from "../api/index.ts";
import type { LeaseStore } from "./lease-lock.ts";
import { type LeaseRecord, type SeenLease, seenLease, withRecord } from "./lease-record.ts";

export class MemoryLease implements LeaseStore {
  readonly description = "kube-system/test";
  /** All calls, oldest first. */
  readonly calls: string[] = [];
  /** Called before each read and write; may throw or wait. */
  before: (call: "read" | "write", signal: AbortSignal) => Promise<void> | void = () => {};
  #lease: SeenLease | undefined;
  #version = 0;

  get record(): LeaseRecord | undefined {
    return this.#lease?.record;
  }

  /** Stores or removes the lease, as another writer would. */
  put(record: Partial<LeaseRecord> | undefined): void {
    if (record === undefined) {
      this.#lease = undefined;
      return;
    }
    const whole = {
      holder: "other",
      leaseDurationMs: 15_000,
      transitions: 0,
      acquireTime: "",
      renewTime: "",
      ...record,
    };
    this.#store(undefined, whole);
  }

  async read(signal: AbortSignal): Promise<SeenLease | undefined> {
    this.calls.push("read");
    await this.before("read", signal);
    return this.#lease;
  }

  async write(base: SeenLease | undefined, record: LeaseRecord, signal: AbortSignal): Promise<SeenLease> {
    this.calls.push(base === undefined ? "create" : `update ${record.holder}`);
    await this.before("write", signal);
    if (base?.object.metadata.resourceVersion !== this.#lease?.object.metadata.resourceVersion) {
      throw newConflict({ group: "coordination.k8s.io", resource: "leases" }, "test", { detail: "it has changed" });
    }
    return this.#store(base, record);
  }

  #store(base: SeenLease | undefined, record: LeaseRecord): SeenLease {
    const object = base?.object ?? { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "test" } };
    const written = withRecord(object, record);
    const resourceVersion = String(++this.#version);
    this.#lease = seenLease({ ...written, metadata: { ...written.metadata, resourceVersion } });
    return this.#lease;
  }
}
