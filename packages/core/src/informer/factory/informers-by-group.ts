// Typed access to every built-in resource that can be watched, by group and version: `factory.core.v1.pods`. The names come
// from the generated tree, the types from its resources.
import { type ResourcesByGroup, resourcesByGroup } from "../../api/generated/resources-by-group.ts";
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { ResourceInformer } from "./resource-informer.ts";

export type GroupName = keyof ResourcesByGroup;

/** By version, then by resource. */
export type GroupInformers<G extends GroupName> = {
  readonly [V in keyof ResourcesByGroup[G]]: {
    readonly [R in keyof ResourcesByGroup[G][V]]: ResourcesByGroup[G][V][R] extends Resource<infer T>
      ? ResourceInformer<T>
      : never;
  };
};

export type InformersByGroup = { readonly [G in GroupName]: GroupInformers<G> };

/** Each entry is created when it is first read: a factory has a hundred resources, and a program uses five. */
export function groupInformers<G extends GroupName>(
  group: G,
  viewOf: (resource: Resource) => ResourceInformer<KubernetesObject>,
): GroupInformers<G> {
  const versions: { readonly [version: string]: { readonly [resource: string]: Resource } } = resourcesByGroup[group];
  return lazily(versions, (resources) => lazily(resources, viewOf)) as unknown as GroupInformers<G>;
}

/** Returns an object with the same keys, whose values are created when they are first read. */
function lazily<In, Out>(
  from: { readonly [key: string]: In },
  make: (value: In) => Out,
): { readonly [key: string]: Out } {
  const result: { [key: string]: Out } = {};
  for (const key of Object.keys(from)) {
    Object.defineProperty(result, key, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = make(from[key] as In);
        Object.defineProperty(result, key, { enumerable: true, value });
        return value;
      },
    });
  }
  return result;
}
