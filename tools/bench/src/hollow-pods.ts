// What kubelets would do to the pods of one namespace, for the manager's bench: each new pod gets an address and is ready. There are no nodes, and
// a pod without one is gone as soon as it is deleted.
import { type corev1, isConflict, isNotFound } from "@kubeloop/core/api";
import { TaskScope } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { pods } from "@kubeloop/core/resources";
import { neverAborted } from "./manager-stage.ts";

export class HollowPods implements AsyncDisposable {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #scope = new TaskScope(neverAborted);
  #addresses = 0;
  #failure: unknown;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
    void this.#scope.spawn((signal) => this.#serve(signal)).catch((error: unknown) => this.#fail(error));
  }

  /** Throws what keeps pods from becoming ready. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    if (!this.#scope.signal.aborted) this.#failure ??= error;
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const watch = this.#client.resource(pods).in(this.#namespace).watch({}, signal);
    for await (const { type, object } of watch) {
      const pod = object as corev1.Pod;
      if (type === "ADDED" && pod.status?.podIP === undefined)
        this.#makeReady(pod).catch((error: unknown) => this.#fail(error));
    }
  }

  async #makeReady(pod: corev1.Pod): Promise<void> {
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

  #nextAddress(): string {
    const n = this.#addresses++;
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#scope.abort(new Error("the workload is over"));
    await this.#scope.join().catch(() => {});
  }
}

export async function setReady(client: Client, pod: corev1.Pod, isReady: boolean): Promise<void> {
  const { name = "", namespace = "" } = pod.metadata;
  const now = new Date().toISOString().replace(/\.\d+Z/, "Z");
  const podIP = pod.status?.podIP ?? "";
  const status: corev1.PodStatus = {
    phase: "Running",
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: now,
    conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: now }],
  };
  const patch = { type: "strategic", body: { status } } as const;
  await client.resource(pods).in(namespace).subresource("status").patch(name, patch, neverAborted);
}
