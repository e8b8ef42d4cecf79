// Fills in what a server does when it stores an object: of built-in kinds what their schema says and built-in-defaults.ts knows, of custom
// kinds the defaults of their definition's schema.
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

/** A definition counts before the schema that a resource has been defined with. */
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
