// Brings one pod to the present: steps its life, writes the status if it differs, reports events, and confirms a deletion. The queue that calls it
// never has a pod with two workers, so at most one write of a pod is in flight.
import {
  compareResourceVersions,
  type corev1,
  createStrategicMerge,
  isConflict,
  isInvalid,
  isNotFound,
  keyOf,
  type ObjectKey,
  printTime,
  splitKey,
} from "@kubeloop/core/api";
import { type Clock, deepEqual, deferred, untilAborted } from "@kubeloop/core/base";
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
import type { AnyContainer, ConfigKind, ConfigSource } from "../script/environment.ts";
import { type Files, mountedFiles } from "../script/mounted-files.ts";
import { ConfigWaiters } from "./config-waiters.ts";
import type { HollowNode } from "./hollow-node.ts";

export interface PodWorkerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly nodes: ReadonlyMap<string, HollowNode>;
  readonly recorderOf: (node: string) => EventRecorder;
  /** Reads the cache. */
  readonly getPod: (key: ObjectKey) => corev1.Pod | undefined;
  /** Reads the cached ConfigMaps and Secrets of a namespace. */
  readonly configOf: (namespace: string) => ConfigSource;
}

/** A pod that a hollow node runs. */
export interface HeldPod {
  /** The newest state that was seen, be it from the cache or as the answer of a write. */
  readonly pod: corev1.Pod;
  readonly node: HollowNode;
  readonly life: PodLife;
  /** Files that execs have written, by "container/attempt". */
  readonly files: Map<string, Map<string, string>>;
  /** When its life goes on by itself; undefined if it must be looked at in any case. */
  readonly next?: NextLook | undefined;
}

/** When to look at a pod or a node again; Infinity if only a change is a reason to. */
export interface NextLook {
  readonly atMs: number;
  /** Whether nobody waits for it. */
  readonly isRoutine: boolean;
}

const never: NextLook = { atMs: Number.POSITIVE_INFINITY, isRoutine: true };

export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #held = new Map<ObjectKey, HeldPod>();
  readonly #waiters = new Map<ObjectKey, Set<() => void>>();
  readonly #configWaiters = new ConfigWaiters();
  /** Pods whose ConfigMap or Secret has come, or changed, since they were last looked at; a write of their status may have been in flight then. */
  readonly #woken = new Set<ObjectKey>();

  constructor(options: PodWorkerOptions) {
    this.#options = options;
  }

  get(key: ObjectKey): HeldPod | undefined {
    return this.#held.get(key);
  }

  /** Returns a pod that one of the nodes runs or has run, also one that had ended before this process began. */
  find(pod: corev1.Pod): HeldPod | undefined {
    const held = this.#held.get(keyOf(pod));
    if (held !== undefined && held.pod.metadata.uid === pod.metadata.uid) return held;
    const node = this.#options.nodes.get(pod.spec?.nodeName ?? "");
    const life = restorePodLife(pod, this.#configOf(pod), this.#options.clock.now());
    return node === undefined || life === undefined ? undefined : { pod, node, life, files: new Map() };
  }

  /** What is in a container's volumes now. */
  mountedFiles(pod: corev1.Pod, container: AnyContainer): Files {
    return mountedFiles(pod, container, this.#configOf(pod));
  }

  /** Whether a pod's node is one of these and not cut off. */
  canReach({ spec }: corev1.Pod): boolean {
    return this.#options.nodes.get(spec?.nodeName ?? "")?.isCutOff === false;
  }

  /** Returns the pods that wait for this ConfigMap or Secret. */
  wakeForConfig(kind: ConfigKind, key: ObjectKey): Iterable<ObjectKey> {
    const keys = this.#configWaiters.of(kind, key);
    for (const waiting of keys) this.#woken.add(waiting);
    return keys;
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

  async sync(key: ObjectKey, signal: AbortSignal): Promise<NextLook> {
    const cached = this.#options.getPod(key);
    const before = this.#held.get(key);
    if (before !== undefined && before.pod.metadata.uid !== cached?.metadata.uid) this.#forget(key, before);
    const node = this.#options.nodes.get(cached?.spec?.nodeName ?? "");
    if (cached === undefined || node === undefined) return never;
    if (node.isCutOff) {
      // Who follows its log hears no more.
      this.#wakeWaiters(key);
      return never;
    }
    const held = this.#held.get(key) ?? (await this.#admit(key, cached, node, signal));
    if (held === undefined) return never;
    const pod = newer(held.pod, cached);
    // What comes back from its own writes is no news.
    const { next } = held;
    const isNews = pod !== held.pod || this.#woken.has(key);
    if (!isNews && next !== undefined && this.#options.clock.now() < next.atMs) return next;
    return await this.#advance(key, { ...held, pod }, signal);
  }

  /** Undefined if the pod was rejected, or has ended before. */
  async #admit(key: ObjectKey, pod: corev1.Pod, node: HollowNode, signal: AbortSignal): Promise<HeldPod | undefined> {
    if (isPodTerminal(pod)) {
      if (isDeleted(pod)) await this.#confirmDeletion(key, pod, signal);
      return undefined;
    }
    const nowMs = this.#options.clock.now();
    const restored = restorePodLife(pod, this.#configOf(pod), nowMs);
    if (restored !== undefined) {
      node.adopt(pod);
      const held = { pod, node, life: restored, files: new Map() };
      this.#held.set(key, held);
      return held;
    }
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
    if (node.notReady !== undefined && pod.spec?.hostNetwork !== true) {
      const message = `network is not ready: ${node.notReady}`;
      this.#report(pod, node, [{ type: "Warning", reason: "NetworkNotReady", message }]);
    }
    const held = { pod, node, life: newPodLife(pod, nowMs), files: new Map() };
    this.#held.set(key, held);
    return held;
  }

  async #advance(key: ObjectKey, held: HeldPod, signal: AbortSignal): Promise<NextLook> {
    const { node, pod } = held;
    const { clock, timings } = this.#options;
    const nowMs = clock.now();
    const podIPs = held.life.podIPs ?? node.addressesFor(pod);
    this.#woken.delete(key);
    const config = this.#configOf(pod);
    const step = stepPod(held.life, { pod, podIPs, presentImages: node.images, config, timings }, nowMs);
    for (const image of step.pulledImages) node.images.add(image);
    const { life } = step;
    // Kept before anything is sent, so that a failed write does not make a container start twice.
    this.#held.set(key, { ...held, life, next: undefined });
    this.#configWaiters.note(key, pod, life);
    this.#wakeWaiters(key);
    this.#report(pod, node, step.events);
    const status = toPodStatus({ pod, life, hostIPs: node.spec.internalIPs }, nowMs);
    const written = await this.#write(key, pod, status, signal);
    if (written === undefined) return never;
    if (life.end !== undefined) {
      node.release(pod.metadata.uid ?? "");
      if (isDeleted(pod)) await this.#confirmDeletion(key, pod, signal);
    }
    // Without addresses it waits for its node. What others have changed while the status was on its way comes with the answer, and was not looked at.
    const isWaiting = life.podIPs === undefined && life.end === undefined;
    const next = { atMs: step.wakeAtMs, isRoutine: step.isSteady };
    const isKnown = !isWaiting && isUnchanged(pod, written);
    this.#held.set(key, { ...held, life, pod: written, next: isKnown ? next : undefined });
    return next;
  }

  #configOf({ metadata }: corev1.Pod): ConfigSource {
    return this.#options.configOf(metadata.namespace ?? "");
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
    this.#configWaiters.drop(key);
    this.#woken.delete(key);
    node.release(pod.metadata.uid ?? "");
    this.#wakeWaiters(key);
  }

  #wakeWaiters(key: ObjectKey): void {
    for (const wake of this.#waiters.get(key) ?? []) wake();
  }
}

/** The left one if both are the same. */
/** But for the status, which is the node's own. A deletion is a new generation. */
function isUnchanged({ metadata: a }: corev1.Pod, { metadata: b }: corev1.Pod): boolean {
  return (
    a.generation === b.generation &&
    a.deletionGracePeriodSeconds === b.deletionGracePeriodSeconds &&
    deepEqual([a.labels, a.annotations], [b.labels, b.annotations])
  );
}

function newer(left: corev1.Pod, right: corev1.Pod): corev1.Pod {
  const versions = [left.metadata.resourceVersion ?? "0", right.metadata.resourceVersion ?? "0"] as const;
  return compareResourceVersions(versions[0], versions[1]) >= 0 ? left : right;
}

function isDeleted({ metadata }: corev1.Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}
