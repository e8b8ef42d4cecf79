// What a kubelet would do, for the benches: a node that is ready and renews its lease; each new pod on it gets an address and is ready, and each
// pod that is being deleted is gone at once.
import { type corev1, isAlreadyExists, isConflict, isNotFound, printMicroTime, printTime } from "@kubeloop/core/api";
import { systemClock, TaskScope } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { newFilteredPodInformer } from "@kubeloop/core/informers/core/v1";
import { leases, namespaces, nodes, pods } from "@kubeloop/core/resources";
import { neverAborted } from "./manager-stage.ts";

/** For the pods' `nodeName`. */
export const hollowNode = "hollow";

const leaseNamespace = "kube-node-lease";
const renewEveryMs = 5_000;

export class HollowNode implements AsyncDisposable {
  readonly #client: Client;
  readonly #scope = new TaskScope(neverAborted);
  #addresses = 0;
  #failure: unknown;

  private constructor(client: Client) {
    this.#client = client;
    for (const task of [this.#serve(), this.#renew()]) task.catch((error: unknown) => this.#fail(error));
  }

  static async start(client: Client): Promise<HollowNode> {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: leaseNamespace } } as const;
    await orIsThere(client.resource(namespaces).create(namespace, neverAborted));
    await orIsThere(
      client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name: hollowNode } }, neverAborted),
    );
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", ...heartbeat() }];
    const patch = { type: "strategic", body: { status: { conditions } } } as const;
    await client.resource(nodes).subresource("status").patch(hollowNode, patch, neverAborted);
    return new HollowNode(client);
  }

  /** Throws what keeps pods from becoming ready. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    if (!this.#scope.signal.aborted) this.#failure ??= error;
  }

  /** By an informer, because a kube-apiserver ends the watch of whoever reads too slowly. */
  async #serve(): Promise<void> {
    const informer = newFilteredPodInformer(this.#client, {
      tweak: (scope) => ({ ...scope, fieldSelector: `spec.nodeName=${hollowNode}` }),
    });
    const finish = (pod: corev1.Pod) => {
      if (pod.metadata.deletionTimestamp !== undefined) this.#finish(pod).catch((error: unknown) => this.#fail(error));
    };
    informer.addEventHandler({
      onAdd: (pod) => {
        this.#makeReady(pod).catch((error: unknown) => this.#fail(error));
        finish(pod);
      },
      onUpdate: (_, pod) => finish(pod),
    });
    await informer.run(this.#scope.signal);
  }

  async #renew(): Promise<void> {
    const { signal } = this.#scope;
    const target = this.#client.resource(leases).in(leaseNamespace);
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: hollowNode } } as const;
    const spec = () => ({
      holderIdentity: hollowNode,
      leaseDurationSeconds: 40,
      renewTime: printMicroTime(systemClock.now()),
    });
    await orIsThere(target.create({ ...lease, spec: spec() }, signal));
    for (;;) {
      await systemClock.sleep(renewEveryMs, signal);
      await target.patch(hollowNode, { type: "merge", body: { spec: spec() } }, signal);
    }
  }

  async #makeReady(pod: corev1.Pod): Promise<void> {
    if (pod.status?.podIP !== undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const addressed = { ...pod, status: { ...pod.status, podIP: this.#nextAddress() } };
    for (;;) {
      try {
        return await setReady(this.#client, addressed, true);
      } catch (error) {
        // Gone meanwhile.
        if (isNotFound(error)) return;
        if (!isConflict(error)) throw error;
      }
    }
  }

  async #finish({ metadata: { namespace = "", name = "", uid = "" } }: corev1.Pod): Promise<void> {
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    try {
      await this.#client.resource(pods).in(namespace).delete(name, options, neverAborted);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #nextAddress(): string {
    const n = ++this.#addresses;
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#scope.abort(new Error("the workload is over"));
    await this.#scope.join().catch(() => {});
  }
}

function heartbeat() {
  const now = printTime(systemClock.now());
  return { lastHeartbeatTime: now, lastTransitionTime: now };
}

async function orIsThere(created: Promise<unknown>): Promise<void> {
  try {
    await created;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

export async function setReady(client: Client, pod: corev1.Pod, isReady: boolean): Promise<void> {
  const { name = "", namespace = "" } = pod.metadata;
  const { lastTransitionTime } = heartbeat();
  const podIP = pod.status?.podIP ?? "";
  const status: corev1.PodStatus = {
    phase: "Running",
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: lastTransitionTime,
    conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime }],
  };
  const patch = { type: "strategic", body: { status } } as const;
  await client.resource(pods).in(namespace).subresource("status").patch(name, patch, neverAborted);
}
