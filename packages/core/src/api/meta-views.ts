// The two other representations of objects that a server can return: metadata only, and rows of a table.
// They are in no OpenAPI document, so they are written by hand.
import type { ListMeta, ObjectMeta } from "./generated/types/meta/v1.ts";

export interface PartialObjectMetadata {
  readonly apiVersion: "meta.k8s.io/v1";
  readonly kind: "PartialObjectMetadata";
  readonly metadata: ObjectMeta;
}

export interface PartialObjectMetadataList {
  readonly apiVersion: "meta.k8s.io/v1";
  readonly kind: "PartialObjectMetadataList";
  readonly metadata: ListMeta;
  readonly items: readonly PartialObjectMetadata[];
}

export interface Table {
  readonly apiVersion: "meta.k8s.io/v1";
  readonly kind: "Table";
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumnDefinition[];
  readonly rows: readonly TableRow[];
}

export interface TableColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; others only with `kubectl get -o wide`. */
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  /** The object of the row: only its metadata by default. */
  readonly object?: PartialObjectMetadata;
}
