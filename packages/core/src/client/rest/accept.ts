// How a server is asked to show objects: whole, their metadata alone, or as rows of a table. A server that cannot do the
// latter answers with whole objects.

export type ObjectView = "full" | "metadata";

const plainJson = "application/json";

export const acceptTable = as("Table");
export const acceptMetadataList = as("PartialObjectMetadataList");

/** For what answers with one object, or with events about single ones. */
export function acceptOne(view: ObjectView): string {
  return view === "full" ? plainJson : as("PartialObjectMetadata");
}

export function acceptList(view: ObjectView): string {
  return view === "full" ? plainJson : acceptMetadataList;
}

function as(kind: string): string {
  return `${plainJson};as=${kind};g=meta.k8s.io;v=v1,${plainJson}`;
}
