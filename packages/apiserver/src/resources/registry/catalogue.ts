// What a server serves at this moment. Each server has a catalogue of its own, which may change while the server runs.
//
// Promises
// - Every change raises `generation`, by one however many resources it concerns. What is made of the catalogue (discovery, OpenAPI, counts) is made anew
//   when the generation is another, and not otherwise.
// - A resource is found from the moment it is added. After it was removed, requests for it get 404 and its watches end, as upstream ends those of a
//   custom resource whose definition is deleted or changed; other requests that have begun are answered.
// - Objects stay in storage when their resource is removed: to delete them is for whoever removes it (upstream: the finalizer of a definition). They are
//   served again when a resource with the same collection is added.
import type { Resource } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import type { ServedResource } from "./served-resource.ts";

/** Names a resource: group, version and plural. */
export type ResourcePath = Pick<Resource, "group" | "version" | "plural">;

interface Entry {
  readonly served: ServedResource;
  /** Made for the first watch. */
  removal: AbortController | undefined;
}

export class Catalogue {
  readonly #entries = new Map<string, Entry>();
  #generation = 1;
  /** Of this generation. */
  #all: readonly ServedResource[] | undefined;

  constructor(served: readonly ServedResource[]) {
    for (const each of served) this.#entries.set(keyOf(each.resource), { served: each, removal: undefined });
  }

  get generation(): number {
    return this.#generation;
  }

  find(path: ResourcePath): ServedResource | undefined {
    return this.#entries.get(keyOf(path))?.served;
  }

  all(): readonly ServedResource[] {
    this.#all ??= [...this.#entries.values()].map(({ served }) => served);
    return this.#all;
  }

  /** Whether the group has a router, which answers what it does not know with a Status. Groups of custom resources alone have none. */
  hasRouter(group: string): boolean {
    return this.all().some(({ resource, codec }) => resource.group === group && !codec.isUnstructured);
  }

  /** Serves these from now on, in place of what was served under the same group, version and plural: watches of that end. */
  add(served: readonly ServedResource[]): void {
    if (served.length === 0) return;
    for (const each of served) {
      const key = keyOf(each.resource);
      this.#drop(key);
      this.#entries.set(key, { served: each, removal: undefined });
    }
    this.#raise();
  }

  /** Serves these no longer. What is not served is passed over. */
  remove(paths: readonly ResourcePath[]): void {
    const dropped = paths.filter((path) => this.#drop(keyOf(path)));
    if (dropped.length > 0) this.#raise();
  }

  /** Aborts when this very resource is served no longer. */
  removalOf(served: ServedResource): AbortSignal {
    const entry = this.#entries.get(keyOf(served.resource));
    if (entry?.served !== served) return AbortSignal.abort(removed());
    entry.removal ??= new AbortController();
    return entry.removal.signal;
  }

  /** A catalogue of its own, with the same resources and generation. What changes in one does not change in the other. */
  fork(): Catalogue {
    const fork = new Catalogue(this.all());
    fork.#generation = this.#generation;
    return fork;
  }

  #drop(key: string): boolean {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    entry?.removal?.abort(removed());
    return entry !== undefined;
  }

  #raise(): void {
    this.#generation++;
    this.#all = undefined;
  }
}

const keyOf = ({ group, version, plural }: ResourcePath) => `${group}/${version}/${plural}`;

const removed = () => new KubeloopError("the resource is no longer served", { reason: "NotFound", retry: "never" });
