// What the scheduler writes: bindings, the condition of a pod that cannot be placed, and evictions of victims. Patches hold only what they mean.
import { isNotFound, printTime } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { pods } from "@kubeloop/core/resources";
import type { Pod, PodCondition } from "@kubeloop/core/types/core/v1";
import { bindPod } from "./bind-pod.ts";
import { RequestSlots } from "./request-slots.ts";

/** Enough to keep a server of many cores busy. Upstream has no limit but its rate, and its requests time out when thousands of pods come at once. */
const bindingsAtOnce = 128;

export interface Refused {
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
  /** The node the pod is nominated to from now on; empty clears it, undefined leaves it. */
  readonly nominatedNodeName: string | undefined;
}

export class PodWrites {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #bindings = new RequestSlots(bindingsAtOnce);

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async bind(pod: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
    await bindPod(pod, nodeName, { client: this.#client, clock: this.#clock, slots: this.#bindings }, signal);
  }

  /** Writes nothing if nothing would change. A pod that has gone meanwhile is none of our business. */
  async refuse(pod: Pod, refused: Refused, signal: AbortSignal): Promise<void> {
    const { reason, message, nominatedNodeName } = refused;
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    const isSame = before?.status === "False" && before.reason === reason && (before.message ?? "") === message;
    const isNominated = nominatedNodeName === undefined || (pod.status?.nominatedNodeName ?? "") === nominatedNodeName;
    if (isSame && isNominated) return;
    const now = printTime(this.#clock.now());
    const condition: PodCondition = {
      type: "PodScheduled",
      status: "False",
      reason,
      message,
      lastTransitionTime: before?.status === "False" ? (before.lastTransitionTime ?? now) : now,
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    };
    const status = {
      ...(isSame ? {} : { conditions: [condition] }),
      ...(isNominated ? {} : { nominatedNodeName: nominatedNodeName === "" ? null : nominatedNodeName }),
    };
    await this.#patchStatus(pod, status, signal);
  }

  /** Says where the pod will be bound, because that may take its time. */
  async nominate(pod: Pod, nominatedNodeName: string, signal: AbortSignal): Promise<void> {
    await this.#patchStatus(pod, { nominatedNodeName }, signal);
  }

  async clearNomination(pod: Pod, signal: AbortSignal): Promise<void> {
    await this.#patchStatus(pod, { nominatedNodeName: null }, signal);
  }

  /** Tells the victim why, and deletes it with its own grace period. */
  async evict(victim: Pod, schedulerName: string, signal: AbortSignal): Promise<void> {
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: `${schedulerName}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: printTime(this.#clock.now()),
      ...(victim.metadata.generation === undefined ? {} : { observedGeneration: victim.metadata.generation }),
    };
    await this.#patchStatus(victim, { conditions: [condition] }, signal);
    const { name = "", namespace = "" } = victim.metadata;
    await this.#pods(namespace).delete(name, {}, signal).catch(ignoreNotFound);
  }

  async #patchStatus({ metadata }: Pod, status: object, signal: AbortSignal): Promise<void> {
    const { name = "", namespace = "", uid } = metadata;
    const body = { metadata: { uid }, status };
    await this.#pods(namespace)
      .subresource("status")
      .patch(name, { type: "strategic", body }, signal)
      .catch(ignoreNotFound);
  }

  #pods(namespace: string) {
    return this.#client.resource(pods).in(namespace);
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
