// Which nodes pods name, and since when each of them is missing. After a restart the quarantine of missing nodes begins anew.
import type { corev1, KubernetesObject } from "@kubeloop/core/api";
import type { Change, Learned, Wake } from "@kubeloop/core/contract";
import { liveGet } from "@kubeloop/core/contract";
import { nodes, pods } from "@kubeloop/core/resources";
import type { Observed } from "./observe.ts";

export class SeenNodes {
  /** How many pods name each. */
  readonly #pods = new Map<string, number>();
  #missing: ReadonlyMap<string, number> = new Map();

  named(): Iterable<string> {
    return this.#pods.keys();
  }

  missingSince(name: string): number | undefined {
    return this.#missing.get(name);
  }

  count(name: string | undefined, by: 1 | -1): void {
    if (name === undefined || name === "") return;
    const left = (this.#pods.get(name) ?? 0) + by;
    if (left > 0) this.#pods.set(name, left);
    else this.#pods.delete(name);
  }

  /** All that are missing now: others are forgotten. */
  noteMissing(missing: Iterable<readonly [string, number]>): void {
    this.#missing = new Map(missing);
  }
}

export function absorb(model: SeenNodes, change: Change<KubernetesObject>): readonly Wake[] {
  if (change.resource.plural !== pods.plural) return [];
  const nodeOf = (object: KubernetesObject) => (object as corev1.Pod).spec?.nodeName;
  if (change.type === "update") model.count(nodeOf(change.before), -1);
  model.count(nodeOf(change.object), change.type === "delete" ? -1 : 1);
  return [];
}

/** A node that the server has all the same, or that could not be asked for, begins its quarantine anew. */
export function learn(model: SeenNodes, { missing }: Observed, { nowMs, answer }: Learned): readonly Wake[] {
  model.noteMissing(
    missing.map(({ name, sinceMs }) => {
      const live = answer(liveGet(nodes, name));
      const isGone = live === undefined || (live.ok && live.value === undefined);
      return [name, isGone ? sinceMs : nowMs] as const;
    }),
  );
  return [];
}
