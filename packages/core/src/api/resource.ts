// A resource: group, version and plural under which a server serves objects of one kind, with the TypeScript type of those
// objects. `pods` carries `corev1.Pod`, so a function that takes a resource knows the type of its objects. Built-in
// resources are generated constants; `defineResource` makes the same for custom kinds:
//
//   const widgets = defineResource<Widget>({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });
//
// A resource is plain readonly data and does not say whether a given server serves it. The type parameters
// exist only at compile time.
import type { ObjectMeta } from "./generated/types/meta/v1.ts";
import type { ObjectSchema } from "./schema.ts";

/** Any object of any kind: `apiVersion`, `kind` and `metadata` are always present. */
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

/** The response type of each subresource, by name. */
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
  /** Undefined if the resource cannot be listed. */
  readonly listKind: string | undefined;
  /** The name in the schema table. Undefined for custom kinds. */
  readonly schemaName: string | undefined;
  /** The schema of a custom kind, if given. */
  readonly schema?: ObjectSchema;
  /** Whether a server with default flags serves it. True for custom kinds. */
  readonly servedByDefault: boolean;
  /** Only for the compiler: never set. */
  readonly [objectType]?: T;
  /** Only for the compiler: never set. */
  readonly [subresourceTypes]?: S;
}

/** The type of a resource's objects: `ObjectOf<typeof pods>` is `corev1.Pod`. */
export type ObjectOf<R extends Resource> = R extends Resource<infer T> ? T : never;
/** The response type of a subresource: `SubresourceOf<typeof deployments, "scale">` is `autoscalingv1.Scale`. */
export type SubresourceOf<R extends Resource, Name extends string> =
  R extends Resource<KubernetesObject, infer S> ? (Name extends keyof S ? S[Name] : never) : never;

export interface ResourceDefinition extends GroupVersionKind {
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: true. */
  readonly namespaced?: boolean;
  /** Default: all eight. */
  readonly verbs?: readonly string[];
  /** `status` responds with the kind itself, `scale` with autoscaling/v1 Scale; for others the response kind is given. */
  readonly subresources?: readonly ("status" | "scale" | Subresource)[];
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  /** The schema of its objects, for `ensure` and test clusters: `schemaOfCrd(crd)`. Default: none. */
  readonly schema?: ObjectSchema;
}

const ordinaryVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** Defines a resource of a custom kind, in the same form as a built-in one. */
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

/** Parses one generated row; `tools/generate/src/write-resources.ts` defines its grammar. */
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
