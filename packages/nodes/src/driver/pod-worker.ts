// Brings one pod to the present: steps its life, writes the status if it differs, reports events, and confirms a deletion. The queue that calls it
// never has a pod with two workers, so at most one write of a pod is in flight.
import {
  compareResourceVersions,
  type corev1,
  createStrategicMerge,
  isConflict,
  isInvalid,
  isNotFound,
  type ObjectKey,
  printTime,
  splitKey,
} from "@kubeloop/core/api";
import { type Clock, deferred, untilAborted } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { type EventRecorder, toPartialReference } from "@kubeloop/core/events";
import { pods } from "@kubeloop/core/resources";
import { isPodTerminal } from "@kubeloop/core/rules";
import { fieldPathOf, type LifeEvent } from "../life/life-event.ts";
import { newPodLife, type PodLife, specContainers, type Timings } from "../life/pod-life.ts";
import { toPodStatus } from "../life/pod-status.ts";
import { restorePodLife } from "../life/restore-pod-life.ts";
import { stepPod } from "../life/step-pod.ts";
import { admitPod, rejectedStatus } from "../node/admit-pod.ts";
import { containerScript } from "../script/container-script.ts";
import type { HollowNode } from "./hollow-node.ts";

export interface PodWorkerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly nodes: ReadonlyMap<string, HollowNode>;
  readonly recorderOf: (node: string) => EventRecorder;
  /** Reads the cache. */
  readonly getPod: (key: ObjectKey) => corev1.Pod | undefined;
}

/** A pod that a hollow node runs. */
export interface HeldPod {
  /** The newest state that was seen, be it from the cache or as the answer of a write. */
  readonly pod: corev1.Pod;
  readonly node: HollowNode;
  readonly life: PodLife;
}

export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #held = new Map<ObjectKey, HeldPod>();
  readonly #waiters = new Map<ObjectKey, Set<() => void>>();

  constructor(options: PodWorkerOptions) {
    this.#options = options;
  }

  get(key: ObjectKey): HeldPod | undefined {
    return this.#held.get(key);
  }

  /** Resolves when the pod's life has changed or the pod has gone, and at the latest after `withinMs`. */
  async waitForChange(key: ObjectKey, withinMs: number, signal: AbortSignal): Promise<void> {
    const woken = deferred<void>();
    const waiters = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, waiters.add(woken.resolve));
    using _timer = this.#options.clock.after(withinMs, () => woken.resolve());
    try {
      await untilAborted(woken.promise, signal);
    } finally {
      waiters.delete(woken.resolve);
      if (waiters.size === 0) this.#waiters.delete(key);
    }
  }

  /** Returns when to look at the pod again; Infinity if only a change is a reason to. */
  async sync(key: ObjectKey, signal: AbortSignal): Promise<number> {
    const cached = this.#options.getPod(key);
    const before = this.#held.get(key);
    if (before !== undefined && before.pod.metadata.uid !== cached?.metadata.uid) this.#forget(key, before);
    const node = this.#options.nodes.get(cached?.spec?.nodeName ?? "");
    if (cached === undefined || node === undefined || node.isCutOff) return Number.POSITIVE_INFINITY;
    const held = this.#held.get(key) ?? (await this.#admit(key, cached, node, signal));
    if (held === undefined) return Number.POSITIVE_INFINITY;
    return await this.#advance(key, { ...held, pod: newer(held.pod, cached) }, signal);
  }

  /** Undefined if the pod was rejected, or has ended before. */
  async #admit(key: ObjectKey, pod: corev1.Pod, node: HollowNode, signal: AbortSignal): Promise<HeldPod | undefined> {
    if (isPodTerminal(pod)) {
      if (isDeleted(pod)) await this.#confirmDeletion(key, pod, signal);
      return undefined;
    }
    const restored = restorePodLife(pod);
    if (restored !== undefined) {
      node.adopt(pod);
      const held = { pod, node, life: restored };
      this.#held.set(key, held);
      return held;
    }
    const nowMs = this.#options.clock.now();
    const rejection = admitPod(pod, node.admissionObject(nowMs), node.admitted);
    if (rejection !== undefined) {
      const { reason, message } = rejection;
      this.#report(pod, node, [{ type: "Warning", reason, message }]);
      await this.#write(key, pod, rejectedStatus(pod, rejection, printTime(nowMs)), signal);
      return undefined;
    }
    node.admitted.add(pod);
    const faults = specContainers(pod).flatMap(({ container, kind }) =>
      containerScript(pod, container).faults.map((message) => ({
        type: "Warning" as const,
        reason: "InvalidAnnotation",
        message,
        container: { name: container.name, kind },
      })),
    );
    this.#report(pod, node, faults);
    const held = { pod, node, life: newPodLife(pod, nowMs) };
    this.#held.set(key, held);
    return held;
  }

  async #advance(key: ObjectKey, held: HeldPod, signal: AbortSignal): Promise<number> {
    const { node, pod } = held;
    const { clock, timings } = this.#options;
    const nowMs = clock.now();
    const podIPs = held.life.podIPs ?? node.addressesFor(pod);
    const step = stepPod(held.life, { pod, podIPs, presentImages: node.images, timings }, nowMs);
    for (const image of step.pulledImages) node.images.add(image);
    const { life } = step;
    // Kept before anything is sent, so that a failed write does not make a container start twice.
    this.#held.set(key, { ...held, life });
    this.#wakeWaiters(key);
    this.#report(pod, node, step.events);
    const status = toPodStatus({ pod, life, hostIPs: node.spec.internalIPs }, nowMs);
    const written = await this.#write(key, pod, status, signal);
    if (written === undefined) return Number.POSITIVE_INFINITY;
    this.#held.set(key, { ...held, life, pod: written });
    if (life.end !== undefined) {
      node.release(pod.metadata.uid ?? "");
      if (isDeleted(pod)) await this.#confirmDeletion(key, pod, signal);
    }
    return step.wakeAtMs;
  }

  /** Returns the pod with this status; undefined if it has gone. Sends nothing if the status is already so. */
  async #write(
    key: ObjectKey,
    pod: corev1.Pod,
    status: corev1.PodStatus,
    signal: AbortSignal,
  ): Promise<corev1.Pod | undefined> {
    const { apiVersion, kind, metadata } = pod;
    const frame = { apiVersion, kind, metadata: {} };
    const patch = createStrategicMerge({ ...frame, status: pod.status ?? {} }, { ...frame, status });
    if (Object.keys(patch).length === 0) return pod;
    const { namespace = "", name } = splitKey(key);
    // With the uid as precondition: a pod of the same name that came after this one is not touched.
    const body = { metadata: { uid: metadata.uid }, ...patch };
    try {
      const client = this.#options.client.resource(pods).in(namespace);
      return await client.subresource("status").patch(name, { type: "strategic", body }, signal);
    } catch (error) {
      if (isNotFound(error) || (await this.#isAnother(pod, key, error, signal))) return undefined;
      throw error;
    }
  }

  /** A patch with the uid of a pod that was replaced is refused, as a conflict or as invalid. */
  async #isAnother(pod: corev1.Pod, key: ObjectKey, error: unknown, signal: AbortSignal): Promise<boolean> {
    if (!isConflict(error) && !isInvalid(error)) return false;
    const { namespace = "", name } = splitKey(key);
    try {
      const now = await this.#options.client.resource(pods).in(namespace).get(name, signal);
      return now.metadata.uid !== pod.metadata.uid;
    } catch (cause) {
      if (isNotFound(cause)) return true;
      throw cause;
    }
  }

  /** The node, not the API server, ends a pod that it has: with a grace period of zero, when nothing runs any more. */
  async #confirmDeletion(key: ObjectKey, { metadata }: corev1.Pod, signal: AbortSignal): Promise<void> {
    const { namespace = "", name } = splitKey(key);
    const preconditions = metadata.uid === undefined ? {} : { uid: metadata.uid };
    try {
      const client = this.#options.client.resource(pods).in(namespace);
      await client.delete(name, { gracePeriodSeconds: 0, preconditions }, signal);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #report(pod: corev1.Pod, node: HollowNode, events: readonly LifeEvent[]): void {
    const recorder = this.#options.recorderOf(node.spec.name);
    for (const { type, reason, message, container } of events) {
      const regarding = container === undefined ? pod : (toPartialReference(pod, fieldPathOf(container)) ?? pod);
      recorder.event(regarding, type, reason, message);
    }
  }

  #forget(key: ObjectKey, { node, pod }: HeldPod): void {
    this.#held.delete(key);
    node.release(pod.metadata.uid ?? "");
    this.#wakeWaiters(key);
  }

  #wakeWaiters(key: ObjectKey): void {
    for (const wake of this.#waiters.get(key) ?? []) wake();
  }
}

function newer(left: corev1.Pod, right: corev1.Pod): corev1.Pod {
  const versions = [left.metadata.resourceVersion ?? "0", right.metadata.resourceVersion ?? "0"] as const;
  return compareResourceVersions(versions[0], versions[1]) > 0 ? left : right;
}

function isDeleted({ metadata }: corev1.Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}
