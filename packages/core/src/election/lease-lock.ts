// Reads, creates and updates the Lease on a server. An update has the resourceVersion that was read, so that only one of two concurrent
// writers succeeds. All other fields of the object stay as they are.

import { leases } from "../api/generated/resources.ts";
import { type coordinationv1, isNotFound } from "../api/index.ts";
import type { Client } from "../client/index.ts";
import { type LeaseRecord, type SeenLease, seenLease, withRecord } from "./lease-record.ts";

/** Where the lease is stored. Failures are thrown; the elector handles every failure as an unsuccessful attempt. */
export interface LeaseStore {
  /** Names the lease for logs and metrics. */
  readonly description: string;
  read(signal: AbortSignal): Promise<SeenLease | undefined>;
  /** Without `base`, creates the lease; otherwise updates the lease that was read. Throws if the lease has changed since. */
  write(base: SeenLease | undefined, record: LeaseRecord, signal: AbortSignal): Promise<SeenLease>;
}

export interface LeaseLockOptions {
  readonly namespace: string;
  readonly name: string;
  /** Added to the labels of the Lease at every write. */
  readonly labels?: { readonly [name: string]: string };
}

export class LeaseLock implements LeaseStore {
  readonly description: string;
  readonly #client: Client;
  readonly #options: LeaseLockOptions;

  constructor(client: Client, options: LeaseLockOptions) {
    this.#client = client;
    this.#options = options;
    this.description = `${options.namespace}/${options.name}`;
  }

  async read(signal: AbortSignal): Promise<SeenLease | undefined> {
    try {
      return seenLease(await this.#leases.get(this.#options.name, signal));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async write(base: SeenLease | undefined, record: LeaseRecord, signal: AbortSignal): Promise<SeenLease> {
    const object = this.#labelled(withRecord(base?.object ?? this.#newLease(), record));
    const leases = this.#leases;
    return seenLease(await (base === undefined ? leases.create(object, signal) : leases.update(object, signal)));
  }

  get #leases() {
    return this.#client.resource(leases).in(this.#options.namespace);
  }

  #newLease(): coordinationv1.Lease {
    const { namespace, name } = this.#options;
    return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name } };
  }

  #labelled(object: coordinationv1.Lease): coordinationv1.Lease {
    const { labels } = this.#options;
    if (labels === undefined) return object;
    return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } };
  }
}
