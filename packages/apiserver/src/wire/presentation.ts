// How one resource's objects are shown: under which version, and as which row of which table. Views are made from stored objects,
// which stay as they are; conversions are kept beside the object they were made from.
import type {
  KubernetesObject,
  PartialObjectMetadata,
  Resource,
  TableColumnDefinition,
  TableRow,
} from "@kubeloop/core/api";
import type { PrintContext } from "../kinds/kind-rules.ts";
import type { KindCodec } from "./kind-codec.ts";
import type { OutputForm, ViewForm } from "./output-form.ts";

export interface Presentation {
  /** As served: its kind and apiVersion are those of the answer. */
  readonly resource: Resource;
  /** Of the kind that is shown. */
  readonly codec: KindCodec;
  readonly columns: readonly TableColumnDefinition[];
  /** From the version that is stored; the same object where that is the one served. */
  toServed(object: KubernetesObject): KubernetesObject;
  printRow(object: KubernetesObject, context: PrintContext): readonly unknown[];
  /** What a shown object was made of. */
  storedOf?(object: KubernetesObject): KubernetesObject;
  /** Of a row: what marks the object as over. */
  rowConditions?(object: KubernetesObject): readonly object[];
}

/** For a second version: each object converted once. */
export function keptConversion(
  convert: (object: KubernetesObject) => KubernetesObject,
): (object: KubernetesObject) => KubernetesObject {
  const known = new WeakMap<KubernetesObject, KubernetesObject>();
  return (object) => {
    let converted = known.get(object);
    if (converted === undefined) {
      converted = convert(object);
      known.set(object, converted);
    }
    return converted;
  };
}

const metaVersion = (version: "v1" | "v1beta1") => `meta.k8s.io/${version}`;

export function metadataOf(object: KubernetesObject, version: "v1" | "v1beta1"): PartialObjectMetadata {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: metaVersion(version),
    metadata: object.metadata,
  } as PartialObjectMetadata;
}

type TableView = Extract<ViewForm, { kind: "table" }>;

export function rowOf(
  object: KubernetesObject,
  presentation: Presentation,
  view: TableView,
  context: PrintContext,
): TableRow {
  const marks = presentation.rowConditions?.(object) ?? [];
  const cells = presentation.printRow(object, context);
  const row = marks.length === 0 ? { cells } : { cells, conditions: marks };
  switch (view.includeObject) {
    case "None":
      return { ...row, object: null } as unknown as TableRow;
    case "Object":
      return { ...row, object: object as unknown as PartialObjectMetadata } as TableRow;
    case "Metadata":
      return { ...row, object: metadataOf(presentation.storedOf?.(object) ?? object, view.version) } as TableRow;
  }
}

/** A table of these objects; without columns for all but the first of a stream. */
export function tableOf(
  rows: readonly TableRow[],
  metadata: object,
  { presentation, view, hasColumns = true }: { presentation: Presentation; view: TableView; hasColumns?: boolean },
): object {
  return {
    kind: "Table",
    apiVersion: metaVersion(view.version),
    metadata,
    columnDefinitions: hasColumns ? presentation.columns : null,
    rows,
  };
}

/** One object in the form asked for. */
export function viewOf(
  stored: KubernetesObject,
  presentation: Presentation,
  { view }: OutputForm,
  context: PrintContext,
): object {
  const object = presentation.toServed(stored);
  switch (view.kind) {
    case "object":
      return object;
    case "metadata":
      return metadataOf(object, view.version);
    case "table": {
      const { resourceVersion } = object.metadata;
      return tableOf([rowOf(object, presentation, view, context)], { resourceVersion }, { presentation, view });
    }
  }
}
