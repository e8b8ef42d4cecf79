// A value that stands for an object, as a draft: in the normal form of its kind, defaulted, and in the version that is stored.
import {
  type GroupVersionKind,
  type KubernetesObject,
  newBadRequest,
  type ObjectSchema,
  printGroupVersion,
  quote,
  type Resource,
  schemaOfKind,
} from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import { toNormalForm, UnmarshalError } from "../../wire/decode/index.ts";
import type { ServedResource } from "./catalogue.ts";
import type { WriteContext } from "./write-context.ts";

type AnyDraft = Draft<KubernetesObject>;

export interface DecodedValue {
  readonly draft: AnyDraft;
  readonly strictFaults: readonly string[];
}

/** A value of the resource's kind (a patched object), in the version that is stored. Throws 400. */
export function decodeValue({ served }: Pick<WriteContext, "served">, value: unknown): DecodedValue {
  const { group, version, kind } = served.resource;
  const { draft, strictFaults } = decodePlain(value, { group, version, kind });
  return { draft: toStored(served, draft), strictFaults };
}

export function decodePlain(value: unknown, { group, version, kind }: GroupVersionKind): DecodedValue {
  const apiVersion = printGroupVersion({ group, version });
  const schema = schemaOfKind({ apiVersion, kind });
  if (schema === undefined)
    throw newBadRequest(`no kind ${quote(kind)} is registered for version ${quote(apiVersion)}`);
  try {
    const { object, strictFaults } = toNormalForm(value, schema as ObjectSchema);
    return { draft: { ...object, kind, apiVersion } as unknown as AnyDraft, strictFaults };
  } catch (error) {
    if (error instanceof UnmarshalError) throw newBadRequest(error.message);
    throw error;
  }
}

/** In the version that is stored, defaulted. */
export function toStored({ version, rules }: ServedResource, draft: AnyDraft): AnyDraft {
  if (version !== undefined) {
    version.defaults?.(draft);
    const stored = version.toStored(draft);
    rules.defaults?.(stored);
    return stored;
  }
  rules.defaults?.(draft);
  return draft;
}

const emptyObjects = new WeakMap<Resource, KubernetesObject>();

/** An object of the kind that holds nothing, as a server prints it. */
export function emptyObject({ resource }: { readonly resource: Resource }): KubernetesObject {
  let empty = emptyObjects.get(resource);
  if (empty === undefined) {
    empty = decodePlain({}, resource).draft as KubernetesObject;
    emptyObjects.set(resource, empty);
  }
  return empty;
}
