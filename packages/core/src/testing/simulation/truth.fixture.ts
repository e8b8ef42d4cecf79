// What really happened to every object the informer is to see, version by version: written down as the server writes, before anybody
// is told, and asked by the checks. An object that its selector no longer matches is as gone as a deleted one.
import { type corev1, type KubernetesObject, keyOf } from "../../api/index.ts";
import { deepEqual } from "../../base/index.ts";

export interface PodWrite {
  readonly revision: number;
  readonly before: corev1.Pod | undefined;
  readonly after: corev1.Pod | undefined;
}

/** One state of one object, as the cache is to show it. */
export interface TrueState {
  readonly version: number;
  readonly isGone: boolean;
  /** When gone: what it was, under the version of its deletion. */
  readonly object: corev1.Pod;
}

export interface TruthOptions {
  /** Whether the informer is to see it. */
  readonly isShown: (pod: corev1.Pod) => boolean;
  /** How the informer is to see it. */
  readonly shownAs: (pod: corev1.Pod) => corev1.Pod;
}

export class Truth {
  readonly #options: TruthOptions;
  readonly #states = new Map<string, TrueState[]>();
  /** What is cached is frozen, so it is compared once. */
  readonly #verified = new WeakSet<corev1.Pod>();

  constructor(options: TruthOptions) {
    this.#options = options;
  }

  isShown(pod: corev1.Pod): boolean {
    return this.#options.isShown(pod);
  }

  /** Must come in the order of versions. */
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

  /** The state there was at this version. */
  stateAt(key: string, version: number): TrueState | undefined {
    return this.#states.get(key)?.findLast((state) => state.version <= version);
  }

  /** Whether it was gone at some moment after this version. */
  wasGoneAfter(key: string, version: number): boolean {
    return this.#states.get(key)?.some((state) => state.isGone && state.version > version) ?? false;
  }

  /** Why this cannot be how the object was when it was (or went); undefined if it can. */
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
