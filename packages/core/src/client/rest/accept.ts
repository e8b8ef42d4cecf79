// The Accept headers for whole objects, metadata only, or a table. A server that does not support the
// last two sends whole objects; one that does not support protobuf sends JSON.

export type ObjectView = "full" | "metadata";

/** In which form objects of built-in kinds are requested. */
export type Encoding = "json" | "protobuf";

const plainJson = "application/json";
export const protobufMediaType = "application/vnd.kubernetes.protobuf";

export const acceptTable = `${as("Table", plainJson)},${plainJson}`;
export const acceptMetadataList: string = acceptAs("PartialObjectMetadataList", "json");

/** For responses with one object, or with events of single objects. */
export function acceptOne(view: ObjectView, encoding: Encoding = "json"): string {
  return view === "full" ? acceptWhole(encoding) : acceptAs("PartialObjectMetadata", encoding);
}

export function acceptList(view: ObjectView, encoding: Encoding = "json"): string {
  return view === "full" ? acceptWhole(encoding) : acceptAs("PartialObjectMetadataList", encoding);
}

function acceptWhole(encoding: Encoding): string {
  return encoding === "json" ? plainJson : `${protobufMediaType},${plainJson}`;
}

function acceptAs(kind: string, encoding: Encoding): string {
  const json = `${as(kind, plainJson)},${plainJson}`;
  return encoding === "json" ? json : `${as(kind, protobufMediaType)},${json}`;
}

function as(kind: string, mediaType: string): string {
  return `${mediaType};as=${kind};g=meta.k8s.io;v=v1`;
}
