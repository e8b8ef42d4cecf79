// What a server says of itself in its own objects while it listens: the authority that vouches for its clients, the endpoints of the Service
// `kubernetes`, and the Lease of its identity. A server that only lives inside a process can be reached by nobody, and says nothing.
//
// Promise: what cannot be written is reported and does not keep anybody from listening; the lease is tried again with the next renewal.
import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import { type Clock, type Log, type Random, TaskScope, toError } from "@kubeloop/core/base";
import { advertiseAddressOf } from "./advertise-address.ts";
import { publishClientAuthority } from "./cluster-authentication-trust.ts";
import { IdentityLease } from "./identity-lease.ts";
import { type AdvertisedAddress, reconcileKubernetesService } from "./kubernetes-service.ts";
import type { LoopbackClient } from "./loopback-client.ts";

export { LoopbackClient } from "./loopback-client.ts";

export interface ServingObjectsOptions {
  readonly client: LoopbackClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  newUid(): string;
}

/** One place where the server listens. */
export interface ServedAddress {
  readonly caPem: string;
  readonly host: string;
  readonly port: number;
  /** What others reach it by; chosen as upstream does unless given. */
  readonly advertiseAddress: string | undefined;
}

export class ServingObjects {
  readonly #options: ServingObjectsOptions;
  readonly #served = new Set<ServedAddress>();
  /** While there is a place to listen at. */
  #identity: { readonly lease: IdentityLease; readonly renewals: TaskScope } | undefined;

  constructor(options: ServingObjectsOptions) {
    this.#options = options;
  }

  async add(served: ServedAddress, signal: AbortSignal): Promise<void> {
    this.#served.add(served);
    await this.write(signal);
    if (this.#identity !== undefined) return;
    const { client, clock, random, newUid, log } = this.#options;
    const address = addressOf(served);
    const peerAddress = address === undefined ? undefined : printAddress(address);
    const lease = new IdentityLease(client, { clock, random, log, newUid, hostname: hostname(), peerAddress });
    const renewals = new TaskScope(signal);
    this.#identity = { lease, renewals };
    await this.#attempt("identity lease", () => lease.begin(signal));
    void renewals.spawn((ending) => lease.keep(ending));
  }

  async remove(served: ServedAddress, signal: AbortSignal): Promise<void> {
    if (!this.#served.delete(served)) return;
    const isLast = this.#served.size === 0;
    const identity = this.#identity;
    if (isLast && identity !== undefined) {
      this.#identity = undefined;
      identity.renewals.abort();
      await identity.renewals.join();
    }
    // A server that closes takes no request any more, and its storage goes with it.
    if (signal.aborted) return;
    if (isLast && identity !== undefined) await this.#attempt("identity lease", () => identity.lease.end(signal));
    await this.#writeEndpoints(signal);
  }

  /** Once more, when the storage went back to an earlier state. */
  async write(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    for (const { caPem } of this.#served) {
      await publishClientAuthority(client, { caPem, nowMs: clock.now() }, signal);
    }
    await this.#writeEndpoints(signal);
    const lease = this.#identity?.lease;
    if (lease !== undefined) await this.#attempt("identity lease", () => lease.renew(signal));
  }

  async #writeEndpoints(signal: AbortSignal): Promise<void> {
    const [first] = this.#served;
    const address = first === undefined ? undefined : addressOf(first);
    await this.#attempt("endpoints", () => reconcileKubernetesService(this.#options.client, address, signal));
  }

  async #attempt(what: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#options.log.warn("the server's own object could not be written", { what, error: toError(error) });
    }
  }
}

function addressOf({
  host,
  port,
  advertiseAddress = advertiseAddressOf(host),
}: ServedAddress): AdvertisedAddress | undefined {
  return advertiseAddress === undefined ? undefined : { ip: advertiseAddress, port };
}

const printAddress = ({ ip, port }: AdvertisedAddress) => (isIPv6(ip) ? `[${ip}]:${port}` : `${ip}:${port}`);
