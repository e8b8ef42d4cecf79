// Makes the action that brings an object to the wanted state, whether the object exists or not: a create, an edit of the fields that differ,
// or nothing. The wanted fields are merged into the stored object by the schema of the kind (`layOver` in api/lay-over.ts has the rules).
// Fields that the server or other clients have set keep their values, and an object that already has the wanted fields is not written.
//
// A field that was in an earlier `wanted` and is absent from this one keeps its stored value, because earlier calls are not recorded. Set a
// field to null to remove it, or use server-side apply (`apply`), where the server records the manager of each field.
import {
  type KubernetesObject,
  keyOf,
  layOver,
  type Resource,
  schemaOfResource,
  setControllerReference,
  withoutAbsent,
} from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import type { Action } from "./actions.ts";
import { type EditOptions, editObject } from "./edits.ts";
import { create } from "./writes.ts";

/** The wanted fields of an object. Undefined leaves a field as it is stored; null removes the field. */
export type Wanted<T> = Readonly<WantedFields<Omit<T, "apiVersion" | "kind">>> & {
  readonly apiVersion?: string;
  readonly kind?: string;
};

type WantedFields<T> = T extends readonly (infer E)[]
  ? readonly WantedFields<E>[]
  : T extends object
    ? { readonly [K in keyof T]: WantedFields<T[K]> | (undefined extends T[K] ? null | undefined : never) }
    : T;

export interface EnsureOptions extends EditOptions {
  /**
   * This object becomes the controller of the ensured object, as with `setControllerReference`. `ensureObject`
   * throws if another owner is the controller already.
   */
  readonly owner?: KubernetesObject | undefined;
}

/** `before` is the observed object, or undefined if it does not exist. Returns undefined if nothing has to be written. */
export function ensureObject<T extends KubernetesObject>(
  resource: Resource<T>,
  before: T | undefined,
  wanted: Wanted<T>,
  { owner, ...options }: EnsureOptions = {},
): Action<T> | undefined {
  const asked = asStored(resource, wanted);
  const owned = (object: T) => (owner === undefined ? object : setControllerReference(object, owner));
  if (before === undefined) {
    const { tolerates = [], options: write } = options;
    return create(resource, owned(withoutAbsent(asked) as T), { tolerates, options: write });
  }
  if (keyOf(before) !== keyOf(asked)) throw newOther(keyOf(before), keyOf(asked));
  return editObject(resource, before, owned(layOver(before, asked, schemaOfResource(resource))), options);
}

/** Returns `wanted` with apiVersion and kind, in the form that the server stores: `stringData` of a Secret becomes `data`. */
function asStored(resource: Resource, wanted: object): KubernetesObject {
  const { apiVersion, kind } = resource;
  const object = { ...wanted, apiVersion, kind } as KubernetesObject & SecretText;
  if (kind !== "Secret" || apiVersion !== "v1" || object.stringData === undefined) return object;
  const { stringData, data, ...rest } = object;
  const encoded = Object.entries(stringData ?? {}).map(([name, text]) => [name, text && encode(text)]);
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } } as KubernetesObject;
}

interface SecretText {
  readonly data?: object;
  readonly stringData?: Readonly<Record<string, string | null | undefined>> | null;
}

const encode = (text: string) => Buffer.from(text, "utf8").toString("base64");

function newOther(before: string, wanted: string): KubeloopError {
  const message = `what is wanted is another object than what was observed: ${wanted}, not ${before}`;
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
