// What the driver remembers of one hollow node: its health and connection, the addresses and the room that its pods share, and the images it has pulled.
import type { corev1, ObjectKey } from "@kubeloop/core/api";
import { isPodTerminal } from "@kubeloop/core/rules";
import { AdmittedPods } from "../node/admit-pod.ts";
import { type HollowNodeSpec, newNode } from "../node/node-object.ts";
import { PodAddresses } from "../node/pod-addresses.ts";

/** Annotations of a Node object. `cut-off: "true"` silences the node; `not-ready: <cause>` makes it report that it is not ready. */
export const cutOffAnnotation = "kubeloop.dev/cut-off";
export const notReadyAnnotation = "kubeloop.dev/not-ready";

export class HollowNode {
  readonly spec: HollowNodeSpec;
  readonly admitted = new AdmittedPods();
  readonly images = new Set<string>();
  /** Pods that were bound to this node and have not gone, so that they can be looked at again when it is back. */
  readonly podKeys = new Set<ObjectKey>();
  /** What the library said; the node's annotations may say more. */
  isCutOffByCaller = false;
  notReadyByCaller: string | undefined;
  isRegistered = false;
  /** Undefined where nobody listens. */
  kubeletPort: number | undefined;
  /** Wall times of the next renewal of the lease and of the next report that must come; 0 before the first. */
  renewAtMs = 0;
  reportAtMs = 0;
  /** What the last comparison of the status with the API server's looked at. */
  compared: readonly unknown[] = [];
  isUnschedulable = false;
  /** The Node object as it was seen last; undefined when it was deleted. */
  object: corev1.Node | undefined;
  #addresses: PodAddresses | undefined;
  /** Addresses of adopted pods, until the ranges are known. */
  readonly #adopted = new Map<string, readonly string[]>();

  constructor(spec: HollowNodeSpec) {
    this.spec = spec;
  }

  get isCutOff(): boolean {
    return this.isCutOffByCaller || this.object?.metadata.annotations?.[cutOffAnnotation] === "true";
  }

  /** Why it is not ready; undefined if it is. */
  get notReady(): string | undefined {
    return this.notReadyByCaller ?? this.object?.metadata.annotations?.[notReadyAnnotation];
  }

  /** The ranges of pod addresses are fixed from the first time on that they are known. */
  useCidrs(fallback: readonly string[]): void {
    const { podCIDR, podCIDRs } = this.object?.spec ?? {};
    const assigned = podCIDRs ?? (podCIDR === undefined ? [] : [podCIDR]);
    const cidrs = assigned.length > 0 ? assigned : fallback;
    if (cidrs.length === 0 || this.#addresses !== undefined) return;
    this.#addresses = new PodAddresses(cidrs);
    for (const [uid, addresses] of this.#adopted) this.#addresses.adopt(uid, addresses);
    this.#adopted.clear();
  }

  get hasAddresses(): boolean {
    return this.#addresses !== undefined;
  }

  /** Undefined while the node's network is not ready. */
  addressesFor(pod: corev1.Pod): readonly string[] | undefined {
    if (pod.spec?.hostNetwork === true) return this.spec.internalIPs;
    return this.notReady === undefined ? this.#addresses?.allocate(pod.metadata.uid ?? "") : undefined;
  }

  /** What admission compares a pod with. */
  admissionObject(nowMs: number): corev1.Node {
    return this.object ?? newNode(this.spec, { notReady: undefined }, nowMs);
  }

  /** Counts a pod that an earlier process of this node has begun, so that nobody else gets its room and its address. */
  adopt(pod: corev1.Pod): void {
    const { startTime, podIPs = [] } = pod.status ?? {};
    if (startTime === undefined || startTime === null || isPodTerminal(pod)) return;
    this.admitted.add(pod);
    if (podIPs.length === 0 || pod.spec?.hostNetwork === true) return;
    const uid = pod.metadata.uid ?? "";
    const addresses = podIPs.map(({ ip }) => ip);
    if (this.#addresses === undefined) this.#adopted.set(uid, addresses);
    else this.#addresses.adopt(uid, addresses);
  }

  /** A pod that has ended leaves its room and its address; its address stays in its status. */
  release(uid: string): void {
    this.admitted.remove(uid);
    this.#addresses?.release(uid);
    this.#adopted.delete(uid);
  }
}
