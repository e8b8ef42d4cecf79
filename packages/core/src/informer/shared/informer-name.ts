// Who an informer is in the metrics: a name that one part of the process has reserved, and the resource it reads. One name
// and resource stand for one informer: the first to ask gets them and publishes, a second one does not (its numbers would
// overwrite the first one's), and letting the name go silences all that had it.
import { KubeloopError } from "../../base/index.ts";

/** Where a resource lives, as metrics name it. A `Resource` is one. */
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
  /** Whether this one is to publish: it was the first, and its name has not been released. */
  readonly isReserved: boolean;
}

/** Reserved from its construction to its release, in the whole process. */
export class InformerName implements Disposable {
  readonly name: string;
  readonly #resources = new Set<string>();
  #isReleased = false;

  /** Throws for the empty name, and for one that is taken. */
  constructor(name: string) {
    if (name === "") throw new KubeloopError("informer name is empty", { reason: "Invalid", retry: "never" });
    if (reservedNames.has(name)) {
      throw new KubeloopError(`informer name "${name}" is taken`, { reason: "AlreadyExists", retry: "never" });
    }
    reservedNames.add(name);
    this.name = name;
  }

  /** The first for each resource is reserved. */
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

  /** Lets others take the name. A second time it does nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    reservedNames.delete(this.name);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
