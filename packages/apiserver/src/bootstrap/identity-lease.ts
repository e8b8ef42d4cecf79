// The Lease by which a server says that it is there: kube-system/apiserver-<hash of the host's name>, renewed every ten seconds, as
// kube-apiserver's. A lease that was left behind is deleted first, and the server's own at the end.
import { createHash } from "node:crypto";
import { type coordinationv1, type KubernetesObject, printMicroTime } from "@kubeloop/core/api";
import { type Clock, type Log, type Random, randomBetween, toError } from "@kubeloop/core/base";
import type { LoopbackClient } from "./loopback-client.ts";

export interface IdentityLeaseOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly hostname: string;
  /** Where other servers would reach this one; undefined if nowhere. */
  readonly peerAddress: string | undefined;
  newUid(): string;
}

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const leaseDurationSeconds = 3600;
const renewMs = 10_000;
/** So much later at most, so that servers that began together do not stay together. */
const jitter = 0.04;

type Lease = coordinationv1.Lease & KubernetesObject;

export class IdentityLease {
  readonly #client: LoopbackClient;
  readonly #options: IdentityLeaseOptions;
  readonly #name: string;
  readonly #holderIdentity: string;

  constructor(client: LoopbackClient, options: IdentityLeaseOptions) {
    this.#client = client;
    this.#options = options;
    this.#name = identityOf(options.hostname);
    this.#holderIdentity = `${this.#name}_${options.newUid()}`;
  }

  /** A server that was there before under this name is gone: its lease must not pass for this one's. */
  async begin(signal: AbortSignal): Promise<void> {
    await this.end(signal);
    await this.renew(signal);
  }

  async end(signal: AbortSignal): Promise<void> {
    await this.#client.delete(`${leases}/${this.#name}`, signal);
  }

  /** Until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options;
    const background = clock.labelled({ kind: "background", name: "identity lease" });
    while (!signal.aborted) {
      await background.sleep(renewMs * (1 + randomBetween(random, 0, jitter)), signal);
      try {
        await this.renew(signal);
      } catch (error) {
        // The lease is good for an hour: the next renewal is soon enough.
        if (!signal.aborted) log.warn("the identity lease could not be renewed", { error: toError(error) });
      }
    }
  }

  async renew(signal: AbortSignal): Promise<void> {
    const { clock, hostname, peerAddress } = this.#options;
    const name = this.#name;
    const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": hostname };
    const annotations = peerAddress === undefined ? {} : { "kubernetes.io/peer-advertise-address": peerAddress };
    const renewed = { leaseDurationSeconds, renewTime: printMicroTime(clock.now()) };
    await this.#client.ensure<Lease>(
      { collection: leases, name },
      (current) => {
        const metadata = current?.metadata ?? { name, namespace: "kube-system" };
        return {
          kind: "Lease",
          apiVersion: "coordination.k8s.io/v1",
          metadata: {
            ...metadata,
            labels: { ...metadata.labels, ...labels },
            annotations: { ...metadata.annotations, ...annotations },
          },
          spec: { ...(current?.spec ?? { holderIdentity: this.#holderIdentity }), ...renewed },
        };
      },
      signal,
    );
  }
}

/** Of the host's name and of what serves, each with its length before it, so that no two pairs read alike. */
export function identityOf(hostname: string): string {
  const hash = createHash("sha256");
  for (const text of [hostname, "kube-apiserver"]) {
    const bytes = Buffer.from(text, "utf8");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

const letters = "abcdefghijklmnopqrstuvwxyz234567";

/** In lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) text += letters[(held >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + letters[(held << (5 - bits)) & 31];
}
