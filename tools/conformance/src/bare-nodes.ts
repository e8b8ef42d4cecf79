// Nodes that are objects and nothing else: they say that they are ready and have room, and their leases stay fresh, so that the node lifecycle
// controller leaves them alone and the scheduler binds pods to them. No pod ever runs there.
import type { Clock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { leases, nodes } from "@kubeloop/core/resources";

const leaseSeconds = 40;
/** As often as a kubelet does. */
const renewEveryMs = 10_000;
const namespace = "kube-node-lease";
/** Much: nobody confirms that a bound pod has ended, so what specs delete stays and takes room until the run ends. */
const room = { cpu: "64", memory: "512Gi", "ephemeral-storage": "1000Gi", pods: "5000" };

export class BareNodes {
  readonly #client: Client;
  readonly #names: readonly string[];
  readonly #clock: Clock;

  constructor(client: Client, names: readonly string[], clock: Clock) {
    this.#client = client;
    this.#names = names;
    this.#clock = clock;
  }

  async create(signal: AbortSignal): Promise<void> {
    for (const [index, name] of this.#names.entries()) {
      await this.#client.resource(nodes).create(nodeOf(name), signal);
      const body = statusOf(name, index, `${this.#now().slice(0, 19)}Z`);
      await this.#client.resource(nodes).subresource("status").patch(name, { type: "merge", body }, signal);
      await this.#client.resource(leases).in(namespace).create(leaseOf(name, this.#now()), signal);
    }
  }

  /** Keeps the leases fresh until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(renewEveryMs, signal);
      const body = { spec: { renewTime: this.#now() } };
      for (const name of this.#names) {
        await this.#client.resource(leases).in(namespace).patch(name, { type: "merge", body }, signal);
      }
    }
  }

  /** As a MicroTime is written. */
  #now(): string {
    return new Date(this.#clock.now()).toISOString().replace("Z", "000Z");
  }
}

function nodeOf(name: string) {
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } } as const;
}

function leaseOf(name: string, renewTime: string) {
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace }, spec } as const;
}

function statusOf(name: string, index: number, now: string) {
  const time = { lastHeartbeatTime: now, lastTransitionTime: now };
  const isFine = (type: string, reason: string) => ({ type, status: "False", reason, message: reason, ...time });
  return {
    status: {
      capacity: room,
      allocatable: room,
      conditions: [
        isFine("MemoryPressure", "KubeletHasSufficientMemory"),
        isFine("DiskPressure", "KubeletHasNoDiskPressure"),
        isFine("PIDPressure", "KubeletHasSufficientPID"),
        { type: "Ready", status: "True", reason: "KubeletReady", message: "the node says so", ...time },
      ],
      addresses: [
        { type: "InternalIP", address: `192.0.2.${index + 1}` },
        { type: "Hostname", address: name },
      ],
    },
  };
}
