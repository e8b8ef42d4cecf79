// Converts objects between the versions of one kind. Each version (spoke) has functions to convert to one of the versions, the hub, and back.
// A conversion between any two versions goes through the hub.
//
//   const convertFoos = defineConverter(foosV2, [spoke(foosV1, { toHub: (foo) => ..., fromHub: (foo) => ... })]);
//
// Promises: the converted object has the desired version and the metadata of the original, except labels and annotations: a conversion may
// use these to keep values for which the other version has no field. If a conversion changes kind, name, namespace or uid, it fails, as the
// API server would not accept the object either.
import { decodeObject, type KubernetesObject, parseGroupVersion, type Resource } from "../../api/index.ts";
import { deepFreeze, KubeloopError } from "../../base/index.ts";

type Answer<A> = A | Promise<A>;

export interface SpokeFunctions<H extends KubernetesObject, S extends KubernetesObject> {
  toHub(object: S): Answer<H>;
  fromHub(object: H): Answer<S>;
}

/** A version of the kind. Its own type is not part of the interface. */
export interface Spoke<H extends KubernetesObject> {
  readonly resource: Resource;
  toHub(object: KubernetesObject): Answer<H>;
  fromHub(object: H): Answer<KubernetesObject>;
}

export interface Converter {
  readonly kind: "converter";
  /** Kind and group, for example "Foo.example.com". */
  readonly name: string;
  readonly resource: Resource;
  readonly apiVersions: readonly string[];
  /** Throws if the object cannot be converted. */
  convert(json: unknown, desiredApiVersion: string): Promise<KubernetesObject>;
}

export function spoke<H extends KubernetesObject, S extends KubernetesObject>(
  resource: Resource<S>,
  functions: SpokeFunctions<H, S>,
): Spoke<H> {
  return {
    resource,
    // `convert` selects the spoke by the object's apiVersion, so the object has the type S.
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

/** Returns whether the object has the converter's group and kind, in any version. */
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
