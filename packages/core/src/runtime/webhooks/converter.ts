// Between the versions of one kind: each version knows the way to one of them, the hub, and back. Any pair is converted by way
// of it.
//
//   const convertFoos = defineConverter(foosV2, [spoke(foosV1, { toHub: (foo) => ..., fromHub: (foo) => ... })]);
//
// Promises: an object comes out with the version that was asked for, and with the metadata it had but labels and annotations,
// which a conversion may use to keep what the other version has no place for. One whose kind, name, namespace or uid was
// changed is refused, as the API server would.
import { decodeObject, type KubernetesObject, parseGroupVersion, type Resource } from "../../api/index.ts";
import { deepFreeze, KubeloopError } from "../../base/index.ts";

type Answer<A> = A | Promise<A>;

export interface SpokeFunctions<H extends KubernetesObject, S extends KubernetesObject> {
  toHub(object: S): Answer<H>;
  fromHub(object: H): Answer<S>;
}

/** A version, whose own type only itself knows. */
export interface Spoke<H extends KubernetesObject> {
  readonly resource: Resource;
  toHub(object: KubernetesObject): Answer<H>;
  fromHub(object: H): Answer<KubernetesObject>;
}

export interface Converter {
  readonly kind: "converter";
  /** Group and kind, as "Foo.example.com". */
  readonly name: string;
  readonly resource: Resource;
  readonly apiVersions: readonly string[];
  /** Throws what is wrong. */
  convert(json: unknown, desiredApiVersion: string): Promise<KubernetesObject>;
}

export function spoke<H extends KubernetesObject, S extends KubernetesObject>(
  resource: Resource<S>,
  functions: SpokeFunctions<H, S>,
): Spoke<H> {
  return {
    resource,
    // Its apiVersion has been looked at: it is one of these.
    toHub: (object) => functions.toHub(object as S),
    fromHub: (object) => functions.fromHub(object),
  };
}

export function defineConverter<H extends KubernetesObject>(hub: Resource<H>, spokes: readonly Spoke<H>[]): Converter {
  const byVersion = new Map<string, Spoke<H>>([[hub.apiVersion, identity(hub)]]);
  for (const each of spokes) {
    const { resource } = each;
    if (resource.group !== hub.group || resource.kind !== hub.kind) {
      throw misuse(`${resource.kind} of ${resource.apiVersion} is not a version of ${hub.kind} of ${hub.apiVersion}`);
    }
    if (byVersion.has(resource.apiVersion)) throw misuse(`${resource.apiVersion} is there twice`);
    byVersion.set(resource.apiVersion, each);
  }
  const find = (apiVersion: string): Spoke<H> => {
    const found = byVersion.get(apiVersion);
    if (found !== undefined) return found;
    throw misuse(`${apiVersion} is not one of ${[...byVersion.keys()].join(", ")}`);
  };
  return {
    kind: "converter",
    name: `${hub.kind}.${hub.group}`,
    resource: hub,
    apiVersions: [...byVersion.keys()],
    async convert(json, desiredApiVersion) {
      const object = deepFreeze(decodeObject(json));
      if (object.kind !== hub.kind) throw misuse(`it is a ${object.kind}, not a ${hub.kind}`);
      const [from, to] = [find(object.apiVersion), find(desiredApiVersion)];
      if (from === to) return object;
      return withIdentity(object, await to.fromHub(await from.toHub(object)), desiredApiVersion);
    },
  };
}

/** Whose kinds these are: of the group of a version, by that group's kinds. */
export function isOfConverter({ resource }: Converter, json: unknown): boolean {
  if (typeof json !== "object" || json === null || !("apiVersion" in json) || !("kind" in json)) return false;
  if (typeof json.apiVersion !== "string" || json.kind !== resource.kind) return false;
  return parseGroupVersion(json.apiVersion).group === resource.group;
}

function identity<H extends KubernetesObject>(resource: Resource<H>): Spoke<H> {
  return { resource, toHub: (object) => object as H, fromHub: (object) => object };
}

function withIdentity(before: KubernetesObject, after: KubernetesObject, apiVersion: string): KubernetesObject {
  const { metadata } = decodeObject({ ...after, apiVersion, kind: after?.kind ?? before.kind });
  const mustStay = [
    ["kind", before.kind, after.kind ?? before.kind],
    ["name", before.metadata.name, metadata.name],
    ["namespace", before.metadata.namespace, metadata.namespace],
    ["UID", before.metadata.uid, metadata.uid],
  ] as const;
  for (const [what, was, is] of mustStay) {
    if ((was ?? "") !== (is ?? "")) throw misuse(`must have the same ${what}: ${was ?? ""} != ${is ?? ""}`);
  }
  const { labels: _labels, annotations: _annotations, ...kept } = before.metadata;
  const { labels, annotations } = metadata;
  return {
    ...after,
    apiVersion,
    kind: before.kind,
    metadata: {
      ...kept,
      ...(labels === undefined || labels === null ? {} : { labels }),
      ...(annotations === undefined || annotations === null ? {} : { annotations }),
    },
  };
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Conversion", retry: "never" });
}
