// The body of a server-side apply: the full identity, and only the fields to apply.
import type { KubernetesObject } from "../../api/index.ts";

export type Applied<T extends KubernetesObject> = Pick<T, "apiVersion" | "kind"> & {
  readonly metadata: T["metadata"] & { readonly name: string };
} & DeepPartial<Omit<T, "apiVersion" | "kind" | "metadata">>;

type DeepPartial<T> = T extends readonly (infer E)[]
  ? readonly DeepPartial<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;
