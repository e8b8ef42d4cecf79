// The indexes of controllers on informers that several controllers share. Two controllers that declare the same index use one; a second
// index with the same name and another function is refused, because it would silently read the first one's values.
import type { KubernetesObject, Resource } from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import { resourceId } from "../contract/for-drivers.ts";
import type { Index } from "../contract/index.ts";
import type { SharedIndexInformer } from "../informer/index.ts";

export interface SharedIndexParts {
  readonly controller: string;
  readonly indexes: readonly Index[];
  /** Called when a function of the controller threw, which is a bug in the controller. */
  readonly panicked: (where: string, error: unknown) => void;
}

/** Adds the indexes of this resource to its informer. Throws if one of them is there already with another function. */
export function addIndexes(
  informer: SharedIndexInformer<KubernetesObject>,
  resource: Resource,
  parts: SharedIndexParts,
): void {
  const known = informer.getIndexer().getIndexers();
  for (const index of parts.indexes) {
    if (resourceId(index.resource) !== resourceId(resource)) continue;
    const other = Object.hasOwn(known, index.name) ? known[index.name] : undefined;
    if (other === undefined) informer.addIndexers({ [index.name]: indexFunction(index, parts) });
    else if (valuesOfFunction.get(other) !== index.valuesOf) throw newIndexConflict(parts.controller, index);
  }
}

/** Maps each function that was passed to an informer to the `valuesOf` of its index. */
const valuesOfFunction = new WeakMap<object, Index["valuesOf"]>();

/** An index function that throws is a bug in the controller: it is counted, and the object is found under no value. */
function indexFunction(index: Index, { panicked }: SharedIndexParts): (object: KubernetesObject) => readonly string[] {
  const indexed = (object: KubernetesObject) => {
    try {
      return index.valuesOf(object);
    } catch (error) {
      panicked(`index ${index.name} of ${index.resource.plural}`, error);
      return [];
    }
  };
  valuesOfFunction.set(indexed, index.valuesOf);
  return indexed;
}

function newIndexConflict(controller: string, { name, resource }: Index): KubeloopError {
  const message = `${controller} needs index ${name} of ${resource.plural}, which another controller has defined with another function: rename one of them`;
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
