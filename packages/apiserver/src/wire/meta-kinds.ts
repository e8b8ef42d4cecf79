// The kinds that requests bring and that are no resources: what is posted to a subresource, and the options of a deletion. They are the same on
// every server whatever its catalogue holds, so they are looked up in the table of built-in schemas, by their names.
import { type ObjectSchema, printGroupVersion, schemaNamed, schemaOfKind } from "@kubeloop/core/api";
import { builtInCodec, type KindCodec } from "./kind-codec.ts";

export const bindingKind: KindCodec = metaKind("", "v1", "Binding");
export const evictionKind: KindCodec = metaKind("policy", "v1", "Eviction");
export const scaleKind: KindCodec = metaKind("autoscaling", "v1", "Scale");
export const tokenRequestKind: KindCodec = metaKind("authentication.k8s.io", "v1", "TokenRequest");

/** Whatever group and version they say they are of. */
export const deleteOptionsSchema = (): ObjectSchema | undefined =>
  schemaOfKind({ apiVersion: "v1", kind: "DeleteOptions" });

/** Of the metadata of every object, also of one whose kind has no schema. */
export const objectMetaSchema = (): ObjectSchema | undefined =>
  schemaNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");

/** The schema is found when it is first asked for: to import this file must stay cheap. */
function metaKind(group: string, version: string, kind: string): KindCodec {
  let codec: KindCodec | undefined;
  const found = () => {
    const schemaName = schemaOfKind({ apiVersion: printGroupVersion({ group, version }), kind })?.name;
    codec ??= builtInCodec({ group, version, kind, schemaName });
    return codec;
  };
  return {
    group,
    version,
    kind,
    apiVersion: printGroupVersion({ group, version }),
    get schema() {
      return found().schema;
    },
    get protobufMessage() {
      return found().protobufMessage;
    },
    get strategicMerge() {
      return found().strategicMerge;
    },
    isUnstructured: false,
  };
}
