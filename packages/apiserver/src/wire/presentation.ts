// How one resource's objects are shown: under which version, and as which row of which table. Views are made from stored objects,
// which stay as they are. Where a conversion takes batches, `convertAll` comes before everything else that is made of the objects.
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
import type { ServedConversion } from "./version-conversion.ts";

export interface Presentation extends ServedConversion {
  /** As served: its kind and apiVersion are those of the answer. */
  readonly resource: Resource;
  /** Of the kind that is shown. */
  readonly codec: KindCodec;
  readonly columns: readonly TableColumnDefinition[];
  printRow(object: KubernetesObject, context: PrintContext): readonly unknown[];
  /** Of a row: what marks the object as over. */
  rowConditions?(object: KubernetesObject): readonly object[];
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
      return { ...row, object: metadataOf(presentation.storedOf(object), view.version) } as TableRow;
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
