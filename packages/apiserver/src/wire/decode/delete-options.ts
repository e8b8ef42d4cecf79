// The body of a DELETE. A server reads it with a scheme of its own, in which DeleteOptions are registered for every group and version:
// client-go's typed clients send them in the version of the group they talk to. Unknown fields are ignored. What is wrong with the body
// is reported as a 400 with the decoder's text alone.
import { type GroupVersionKind, newBadRequest, printGroupVersion, quote } from "@kubeloop/core/api";
import { deleteOptionsSchema } from "../meta-kinds.ts";
import { type BodySource, jsonSource, valueSource, yamlSource } from "./body-source.ts";
import { readTypeMeta } from "./type-meta.ts";
import { UnmarshalError } from "./unmarshal-error.ts";
import type { JsonDraft } from "./unset-forms.ts";

export type OptionsFormat = "json" | "yaml";

/** What a body is taken for that does not say it. */
export const deleteOptionsKind: GroupVersionKind = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };

/** Throws a StatusError. */
export async function decodeDeleteOptions(bytes: Uint8Array, format: OptionsFormat): Promise<JsonDraft> {
  if (format === "json") return decodeFrom(() => jsonSource(bytes));
  const { parseYaml } = await import("./yaml.ts");
  return decodeFrom(() => yamlSource(parseYaml(bytes)));
}

/** Of a value sent inside this process, or read from protobuf. Throws a StatusError. */
export function decodeDeleteOptionsValue(value: unknown): JsonDraft {
  return decodeFrom(() => valueSource(value));
}

function decodeFrom(open: () => BodySource): JsonDraft {
  try {
    const source = open();
    const fault = findDeleteOptionsFault(readTypeMeta(source.value, deleteOptionsKind));
    if (fault !== undefined) throw new UnmarshalError(fault);
    const schema = deleteOptionsSchema();
    return schema === undefined ? {} : source.decode(schema).object;
  } catch (error) {
    throw error instanceof UnmarshalError ? newBadRequest(error.message) : error;
  }
}

/** Registered for every group and version, known or not. */
const unversionedKinds = [
  ...["CreateOptions", "UpdateOptions"],
  ...["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"],
];
const viewKinds = ["PartialObjectMetadata", "PartialObjectMetadataList", "Table", "TableOptions"];
const metaKinds: { readonly [groupVersion: string]: readonly string[] } = {
  "meta.k8s.io/v1": ["GetOptions", "ListOptions", "PatchOptions", "WatchEvent", ...viewKinds],
  "meta.k8s.io/v1beta1": viewKinds,
};

/** Returns why a body of the kind `said` cannot be read as DeleteOptions, as upstream words it; undefined if it can. */
export function findDeleteOptionsFault(said: GroupVersionKind): string | undefined {
  const { kind } = said;
  if (kind === deleteOptionsKind.kind) return undefined;
  const groupVersion = printGroupVersion(said);
  const ofMeta = Object.hasOwn(metaKinds, groupVersion) ? (metaKinds[groupVersion] ?? []) : [];
  if (unversionedKinds.includes(kind) || ofMeta.includes(kind)) {
    // The other kinds of v1beta1 are those of v1 under another name.
    const isOld = kind === "PartialObjectMetadataList" && said.version === "v1beta1";
    return `converting (${isOld ? "v1beta1" : "v1"}.${kind}) to (v1.DeleteOptions): unknown conversion`;
  }
  return `no kind ${quote(kind)} is registered for version ${quote(groupVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}
