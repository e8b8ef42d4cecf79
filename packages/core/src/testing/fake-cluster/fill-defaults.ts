// Sets the defaults that a server sets when it stores an object. Built-in kinds get the defaults of their schema and of built-in-defaults.ts;
// custom kinds get the defaults of the schema in their definition.
import {
  type apiextensionsv1,
  applyDefaults,
  type KubernetesObject,
  type ObjectSchema,
  type Resource,
  schemaOfCrd,
  schemaOfResource,
} from "../../api/index.ts";
import { fillBuiltIn } from "./built-in-defaults.ts";

export type FillDefaults = <T extends KubernetesObject>(resource: Resource, object: T) => T;

/** If `crds` has a definition of the resource, its schema is used instead of the schema of the `Resource` value. */
export function newFillDefaults(crds: readonly apiextensionsv1.CustomResourceDefinition[] = []): FillDefaults {
  const known = new Map<Resource, ObjectSchema | undefined>();
  const schemaFor = (resource: Resource): ObjectSchema | undefined => {
    if (known.has(resource)) return known.get(resource);
    const { group, plural, version } = resource;
    const crd = crds.find(({ spec }) => spec.group === group && spec.names.plural === plural);
    const schema = crd === undefined ? schemaOfResource(resource) : schemaOfCrd(crd, version);
    known.set(resource, schema);
    return schema;
  };
  return <T extends KubernetesObject>(resource: Resource, object: T): T => {
    const filled = applyDefaults(object, schemaFor(resource));
    return (resource.schemaName === undefined ? filled : fillBuiltIn(filled)) as T;
  };
}
