// The Accept headers for whole objects, metadata only, or a table. A server that does not support the
// last two sends whole objects.

export type ObjectView = "full" | "metadata";

const plainJson = "application/json";

export const acceptTable = as("Table");
export const acceptMetadataList = as("PartialObjectMetadataList");

/** For responses with one object, or with events of single objects. */
export function acceptOne(view: ObjectView): string {
  return view === "full" ? plainJson : as("PartialObjectMetadata");
}

export function acceptList(view: ObjectView): string {
  return view === "full" ? plainJson : acceptMetadataList;
}

function as(kind: string): string {
  return `${plainJson};as=${kind};g=meta.k8s.io;v=v1,${plainJson}`;
}
