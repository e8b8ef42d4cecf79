// What the server knows about the objects of one kind in one version: by which schema they are decoded and their fields managed, as which
// protobuf message they travel, and how a strategic merge patch treats their lists. A served resource carries two of these, of the version that is
// served and of the one that is stored, and whoever handles a request asks them: no table of kinds is consulted for a resource.
import {
  type GroupVersionKind,
  type ObjectSchema,
  printGroupVersion,
  type Resource,
  schemaNamed,
} from "@kubeloop/core/api";

export interface KindCodec extends GroupVersionKind {
  /** `apps/v1`, or `v1` in the core group. */
  readonly apiVersion: string;
  /** Undefined where nothing is known of the fields of its objects but their metadata. */
  readonly schema: ObjectSchema | undefined;
  /** `k8s.io.api.core.v1.Pod`. Undefined where objects can be neither sent nor read as protobuf. */
  readonly protobufMessage: string | undefined;
  /** The schema that says which lists merge and by which key. Undefined where strategic merge patches are refused with 415. */
  readonly strategicMerge: ObjectSchema | undefined;
  /**
   * Whether its objects have no Go type, as those of custom resources: a body is kept as it was sent, but for its metadata, and must say its kind.
   * Refusals are then worded as upstream's handler of custom resources words them, in front of which there is no router.
   */
  readonly isUnstructured: boolean;
}

/** Of a kind in the table of schemas. What is looked up there is looked up when it is first asked for, because the table is large. */
export function builtInCodec(resource: Pick<Resource, "group" | "version" | "kind" | "schemaName">): KindCodec {
  const { group, version, kind, schemaName } = resource;
  let schema: ObjectSchema | undefined;
  const find = () => {
    schema ??= schemaName === undefined ? undefined : schemaNamed(schemaName);
    return schema;
  };
  return {
    group,
    version,
    kind,
    apiVersion: printGroupVersion({ group, version }),
    get schema() {
      return find();
    },
    protobufMessage: schemaName === undefined ? undefined : messageOfSchema(schemaName),
    get strategicMerge() {
      return find();
    },
    isUnstructured: false,
  };
}

/** Of a kind whose objects have no Go type: JSON and YAML only, and no strategic merge patches. */
export function unstructuredCodec({ group, version, kind }: GroupVersionKind, schema?: ObjectSchema): KindCodec {
  return {
    group,
    version,
    kind,
    apiVersion: printGroupVersion({ group, version }),
    schema,
    protobufMessage: undefined,
    strategicMerge: undefined,
    isUnstructured: true,
  };
}

/** Protobuf's packages have underscores where OpenAPI's have hyphens, and no reversed domain. */
function messageOfSchema(schemaName: string): string {
  return schemaName.replace(/^io\.k8s\.([a-z]+)-([a-z]+)\./, "k8s.io.$1_$2.").replace(/^io\.k8s\./, "k8s.io.");
}
