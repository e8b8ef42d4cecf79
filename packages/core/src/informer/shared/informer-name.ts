// The identity of an informer in the metrics: a name that one part of the process has reserved, and its resource. One name
// and resource identify one informer: the first to request them publishes metrics, a second one does not (its values would
// overwrite the first one's). After the name is released, an informer that starts with it publishes nothing; one that is already running
// continues until it ends.
import { KubeloopError } from "../../base/index.ts";

/** The labels of a resource in metrics. Every `Resource` is one. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

const reservedNames = new Set<string>();

/** An informer's identity. Without one it publishes no metrics. */
export interface InformerIdentity {
  readonly name: string;
  readonly resource: GroupVersionResource;
  /** Whether this informer publishes metrics, read when it starts: it was the first, and its name is not released. */
  readonly isReserved: boolean;
}

/** Reserves the name in the whole process, from construction until release. */
export class InformerName implements Disposable {
  readonly name: string;
  readonly #resources = new Set<string>();
  #isReleased = false;

  /** Throws if the name is empty or taken. */
  constructor(name: string) {
    if (name === "") throw new KubeloopError("informer name is empty", { reason: "Invalid", retry: "never" });
    if (reservedNames.has(name)) {
      throw new KubeloopError(`informer name "${name}" is taken`, { reason: "AlreadyExists", retry: "never" });
    }
    reservedNames.add(name);
    this.name = name;
  }

  /** Returns an identity; only the first for each resource is reserved. */
  withResource(resource: GroupVersionResource): InformerIdentity {
    const { group, version, plural } = resource;
    const key = `${group}/${version}/${plural}`;
    const isFirst = !this.#isReleased && !this.#resources.has(key);
    this.#resources.add(key);
    const isReserved = () => isFirst && !this.#isReleased;
    return {
      name: this.name,
      resource: { group, version, plural },
      get isReserved() {
        return isReserved();
      },
    };
  }

  /** Releases the name, so that it can be reserved again. A second call does nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    reservedNames.delete(this.name);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
