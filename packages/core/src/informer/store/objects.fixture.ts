// The objects of this folder's tests: small pods, named in one line.
import type { ObjectMeta } from "../../api/generated/types/meta/v1.ts";

export interface Pod {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: ObjectMeta & { readonly name: string };
}

export function pod(name: string, metadata: Partial<ObjectMeta> = {}): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name } };
}

export const namesOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).sort();

/** By the users annotated, comma-separated; a pod annotated "broken" makes it throw. */
export function usersOf({ metadata: { annotations = {} } }: Pod): readonly string[] {
  if (annotations["broken"] !== undefined) throw new Error("who are they");
  return annotations["users"]?.split(",") ?? [];
}

export const usedBy = (name: string, users: string, metadata: Partial<ObjectMeta> = {}) =>
  pod(name, { ...metadata, annotations: { users } });

export const broken = (name: string, metadata: Partial<ObjectMeta> = {}) =>
  pod(name, { ...metadata, annotations: { broken: "yes" } });
