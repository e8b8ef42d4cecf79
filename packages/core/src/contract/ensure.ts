// Makes the action that brings an object to what is wanted, whether it exists or not: a create, an edit of what differs, or nothing. What
// is wanted is laid over what is stored, by the kind's schema (`layOver` in api/lay-over.ts has the rules), so that fields which the server or
// others have set stay, and an object that already has what is wanted is not written.
//
// Fields that an earlier `wanted` had and this one has not stay as they are, because nobody remembers them. Say null for a field that must go,
// or use server-side apply (`apply`), where the server remembers who set what.
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

/** An object as somebody wants it: undefined says nothing about a field, null says that it must be absent. */
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
  /** Becomes the controlling owner, as by `setControllerReference`; throws if another owner controls the object. */
  readonly owner?: KubernetesObject | undefined;
}

/** `before` is the object as it was observed; undefined if it is not there. Returns undefined when nothing is to be written. */
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

/** With its kind, and without what the server stores elsewhere: `stringData` of a Secret becomes `data`. */
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
