// What a resource is: the place on a server where objects of one kind live, with the TypeScript type of those objects
// tied to it. `pods` carries `corev1.Pod`, so whatever takes a resource knows the type of what it will read. Built-in
// resources are generated constants; `defineResource` makes the same for custom kinds:
//
//   const widgets = defineResource<Widget>({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });
//
// A resource is plain frozen-by-type data and says nothing about whether a given server serves it. The type parameters
// exist at compile time only.
import type { ObjectMeta } from "./generated/types/meta/v1.ts";
import type { ObjectSchema } from "./schema.ts";

/** Any object of any kind, as this project hands it out: `apiVersion`, `kind` and `metadata` are always there. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export interface GroupVersionKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** By name, the type each subresource answers with. */
export interface SubresourceTypes {
  readonly [name: string]: KubernetesObject;
}
export type NoSubresources = Readonly<Record<never, KubernetesObject>>;

export interface Subresource extends GroupVersionKind {
  readonly name: string;
  readonly verbs: readonly string[];
}

declare const objectType: unique symbol;
declare const subresourceTypes: unique symbol;

export interface Resource<T extends KubernetesObject = KubernetesObject, S extends SubresourceTypes = SubresourceTypes>
  extends GroupVersionKind {
  /** `apps/v1`, or `v1` in the core group. */
  readonly apiVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /** Undefined for what cannot be listed. */
  readonly listKind: string | undefined;
  /** The definition in the schema table. Undefined for custom kinds. */
  readonly schemaName: string | undefined;
  /** Of a custom kind whose schema is given. */
  readonly schema?: ObjectSchema;
  /** Whether a server without extra flags serves it. True for custom kinds. */
  readonly servedByDefault: boolean;
  /** Only for the compiler: never set. */
  readonly [objectType]?: T;
  /** Only for the compiler: never set. */
  readonly [subresourceTypes]?: S;
}

/** The type of a resource's objects: `ObjectOf<typeof pods>` is `corev1.Pod`. */
export type ObjectOf<R extends Resource> = R extends Resource<infer T> ? T : never;
/** The type a subresource answers with: `SubresourceOf<typeof deployments, "scale">` is `autoscalingv1.Scale`. */
export type SubresourceOf<R extends Resource, Name extends string> =
  R extends Resource<KubernetesObject, infer S> ? (Name extends keyof S ? S[Name] : never) : never;

export interface ResourceDefinition extends GroupVersionKind {
  readonly plural: string;
  /** Default: the kind in small letters. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: true. */
  readonly namespaced?: boolean;
  /** Default: all eight. */
  readonly verbs?: readonly string[];
  /** `status` answers with the kind itself, `scale` with autoscaling/v1 Scale; others say what they answer with. */
  readonly subresources?: readonly ("status" | "scale" | Subresource)[];
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  /** What is known about its objects, for `ensure` and test clusters: `schemaOfCrd(crd)`. Default: nothing. */
  readonly schema?: ObjectSchema;
}

const ordinaryVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** A resource of a custom kind, indistinguishable from a built-in one. */
export function defineResource<T extends KubernetesObject, S extends SubresourceTypes = SubresourceTypes>(
  definition: ResourceDefinition,
): Resource<T, S> {
  const { group, version, kind, plural } = definition;
  const toSubresource = (sub: "status" | "scale" | Subresource): Subresource => {
    if (sub === "status") return { name: "status", group, version, kind, verbs: subresourceVerbs };
    if (sub !== "scale") return sub;
    return { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: subresourceVerbs };
  };
  return {
    group,
    version,
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    plural,
    singular: definition.singular ?? kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    namespaced: definition.namespaced ?? true,
    verbs: definition.verbs ?? ordinaryVerbs,
    subresources: (definition.subresources ?? []).map(toSubresource),
    listKind: definition.listKind ?? `${kind}List`,
    schemaName: undefined,
    servedByDefault: true,
    ...(definition.schema === undefined ? {} : { schema: definition.schema }),
  };
}

/** Reads one generated row; `tools/generate/src/write-resources.ts` has its grammar. */
export function parseResource<T extends KubernetesObject, S extends SubresourceTypes = SubresourceTypes>(
  row: string,
): Resource<T, S> {
  const [group = "", version = "", kind = "", plural = "", singular = "", scope, ...rest] = row.split("|");
  const [shortNames, categories, verbs = "", listKind, schemaName, served, subresources] = rest;
  const own = { group, version, kind };
  return {
    ...own,
    apiVersion: group === "" ? version : `${group}/${version}`,
    plural,
    singular,
    shortNames: words(shortNames, ","),
    categories: words(categories, ","),
    namespaced: scope === "namespaced",
    verbs: verbs === "*" ? ordinaryVerbs : words(verbs, ","),
    subresources: words(subresources, ";").map((sub) => parseSubresource(sub, own)),
    listKind: listKind === "" ? undefined : listKind,
    schemaName: schemaName === "" ? undefined : schemaName,
    servedByDefault: served === "default",
  };
}

function parseSubresource(text: string, own: GroupVersionKind): Subresource {
  const [head = "", verbs] = text.split(":");
  const [name = "", answer = own.kind] = head.split("=");
  const parts = answer.split("/");
  const kind = parts.at(-1) ?? answer;
  return {
    name,
    group: parts.length === 3 ? (parts[0] ?? "") : parts.length === 2 ? "" : own.group,
    version: parts.length === 1 ? own.version : (parts.at(-2) ?? ""),
    kind,
    verbs: verbs === undefined ? subresourceVerbs : words(verbs, ","),
  };
}

function words(text: string | undefined, separator: string): readonly string[] {
  return text === undefined || text === "" ? [] : text.split(separator);
}
