// The true history of every object that the informer must see, version by version. It is recorded when the server writes, before any watch sends
// the change, and the checks compare with it. An object that no longer matches the selector counts as deleted.
import { type corev1, type KubernetesObject, keyOf } from "../../api/index.ts";
import { deepEqual } from "../../base/index.ts";

export interface PodWrite {
  readonly revision: number;
  readonly before: corev1.Pod | undefined;
  readonly after: corev1.Pod | undefined;
}

/** One state of one object, as the cache must have it. */
export interface TrueState {
  readonly version: number;
  readonly isGone: boolean;
  /** For a deletion, the last state with the resourceVersion of the deletion. */
  readonly object: corev1.Pod;
}

export interface TruthOptions {
  /** Whether the informer must see the pod. */
  readonly isShown: (pod: corev1.Pod) => boolean;
  /** Returns the pod as the informer must have it in its cache. */
  readonly shownAs: (pod: corev1.Pod) => corev1.Pod;
}

export class Truth {
  readonly #options: TruthOptions;
  readonly #states = new Map<string, TrueState[]>();
  /** Pods that were compared already. Cached objects are frozen, so one comparison is enough. */
  readonly #verified = new WeakSet<corev1.Pod>();

  constructor(options: TruthOptions) {
    this.#options = options;
  }

  isShown(pod: corev1.Pod): boolean {
    return this.#options.isShown(pod);
  }

  /** Writes must be recorded in the order of their revisions. */
  record({ revision: version, before, after }: PodWrite): void {
    const { isShown, shownAs } = this.#options;
    if (after !== undefined && isShown(after)) {
      this.#add(keyOf(after), { version, isGone: false, object: shownAs(after) });
    } else if (before !== undefined && isShown(before)) {
      const metadata = { ...before.metadata, resourceVersion: String(version) };
      this.#add(keyOf(before), { version, isGone: true, object: shownAs({ ...before, metadata }) });
    }
  }

  #add(key: string, state: TrueState): void {
    const states = this.#states.get(key);
    if (states === undefined) this.#states.set(key, [state]);
    else states.push(state);
  }

  keys(): Iterable<string> {
    return this.#states.keys();
  }

  /** Returns the state of the object at this version. */
  stateAt(key: string, version: number): TrueState | undefined {
    return this.#states.get(key)?.findLast((state) => state.version <= version);
  }

  /** Whether the object was deleted at some time after this version. */
  wasGoneAfter(key: string, version: number): boolean {
    return this.#states.get(key)?.some((state) => state.isGone && state.version > version) ?? false;
  }

  /** Returns why the object never had this state (or was never deleted with it); undefined if it did. */
  faultOf(key: string, shown: corev1.Pod, expected: "there" | "gone"): string | undefined {
    const version = versionOf(shown);
    const state = this.#states.get(key)?.find((candidate) => candidate.version === version);
    if (state === undefined || state.isGone !== (expected === "gone"))
      return `${key} never was ${expected} at ${version}`;
    if (this.#verified.has(shown)) return undefined;
    if (deepEqual(state.object, shown)) {
      this.#verified.add(shown);
      return undefined;
    }
    return `${key}@${version} is ${JSON.stringify(shown)} instead of ${JSON.stringify(state.object)}`;
  }
}

export function versionOf({ metadata }: KubernetesObject): number {
  return Number(metadata.resourceVersion);
}
