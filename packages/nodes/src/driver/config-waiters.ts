// Which pods wait for which ConfigMaps and Secrets, so that a new object wakes the pods that wait for it and no others.
import { type corev1, type ObjectKey, objectKeyOf } from "@kubeloop/core/api";
import type { PodLife } from "../life/pod-life.ts";
import { configReferences } from "../life/volumes.ts";
import type { ConfigKind } from "../script/environment.ts";

export class ConfigWaiters {
  /** Pods by "configmap namespace/name". */
  readonly #pods = new Map<string, Set<ObjectKey>>();
  readonly #references = new Map<ObjectKey, readonly string[]>();

  /** Takes down whether a pod waits now. */
  note(key: ObjectKey, pod: corev1.Pod, { mountWait, containers, end }: PodLife): void {
    const isWaiting = mountWait !== undefined || containers.some(({ configFault }) => configFault !== undefined);
    if (!isWaiting || end !== undefined) this.drop(key);
    else if (!this.#references.has(key)) this.#add(key, pod);
  }

  #add(key: ObjectKey, pod: corev1.Pod): void {
    const references = [...configReferences(pod)].map(({ kind, name }) =>
      placeOf(kind, objectKeyOf(pod.metadata.namespace ?? "", name)),
    );
    this.#references.set(key, references);
    for (const place of references) {
      const waiting = this.#pods.get(place) ?? new Set();
      this.#pods.set(place, waiting.add(key));
    }
  }

  drop(key: ObjectKey): void {
    for (const place of this.#references.get(key) ?? []) {
      const waiting = this.#pods.get(place);
      waiting?.delete(key);
      if (waiting?.size === 0) this.#pods.delete(place);
    }
    this.#references.delete(key);
  }

  of(kind: ConfigKind, key: ObjectKey): readonly ObjectKey[] {
    return [...(this.#pods.get(placeOf(kind, key)) ?? [])];
  }
}

const placeOf = (kind: ConfigKind, key: ObjectKey) => `${kind} ${key}`;
