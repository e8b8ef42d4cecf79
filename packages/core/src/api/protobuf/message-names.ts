// Where protobuf keeps the messages that need code of their own, and which message a kind is. Every kind that Kubernetes'
// OpenAPI documents describe has a message; custom kinds and tables have none.
//
// The codec of a served resource says the message of its objects (`wire/kind-codec.ts`). Kinds are looked up here for what is no resource (Status,
// options, lists of metadata, documents of discovery), and for a body that says it is of another kind than the resource it was sent to.
import { schemaOfKind } from "../schema-table.ts";

export const meta = "k8s.io.apimachinery.pkg.apis.meta.v1";
export const runtime = "k8s.io.apimachinery.pkg.runtime";
export const quantities = "k8s.io.apimachinery.pkg.api.resource";
export const intOrString = "k8s.io.apimachinery.pkg.util.intstr.IntOrString";
export const apiextensions = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1";

/** Go's zero time. It is an empty message, and null in JSON. */
export const zeroTimeSeconds = -62_135_596_800;

/** What an object says of itself. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** OpenAPI's name of the schema whose message a kind is; undefined where there is none. */
export function schemaNameOfKind({ apiVersion, kind }: Kind): string | undefined {
  if (kind === "PartialObjectMetadata") return isMetaVersion(apiVersion) ? `${metaSchemas}.${kind}` : undefined;
  if (kind === "PartialObjectMetadataList") {
    if (isOldMetadataList({ apiVersion, kind })) return oldMetadataList.schemaName;
    return isMetaVersion(apiVersion) ? `${metaSchemas}.${kind}` : undefined;
  }
  // Clients name the group they are talking to, whichever it is.
  if (kind === "DeleteOptions") return `${metaSchemas}.${kind}`;
  // The two documents at /api and /api/v1 say their kind but no version.
  const isBare = apiVersion === "" && (kind === "APIVersions" || kind === "APIResourceList");
  return schemaOfKind({ apiVersion: isBare ? "v1" : apiVersion, kind })?.name;
}

const metaSchemas = "io.k8s.apimachinery.pkg.apis.meta.v1";

const isMetaVersion = (apiVersion: string) => apiVersion === "meta.k8s.io/v1" || apiVersion === "meta.k8s.io/v1beta1";

/** In meta.k8s.io/v1beta1 a list of metadata has its items before its own metadata. */
export const oldMetadataList = {
  name: "k8s.io.apimachinery.pkg.apis.meta.v1beta1.PartialObjectMetadataList",
  schemaName: "io.k8s.apimachinery.pkg.apis.meta.v1beta1.PartialObjectMetadataList",
} as const;

export function isOldMetadataList({ apiVersion, kind }: Kind): boolean {
  return apiVersion === "meta.k8s.io/v1beta1" && kind === "PartialObjectMetadataList";
}

/** Whether objects of this kind can be sent and asked for as protobuf. Loads no table of messages. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  const name = schemaNameOfKind({ apiVersion, kind });
  return name !== undefined && name !== versionSchema;
}

/** The answer of /version, the only schema without a message. */
const versionSchema = "io.k8s.apimachinery.pkg.version.Info";
