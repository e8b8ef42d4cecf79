// One resource as it is asked for: the rules of its kind, what is known of its objects (codecs), how they are converted from the version that is
// stored, where they are stored and how they are shown. A served resource never changes and belongs to no server: several catalogues may hold it.
import type { GroupResource, KubernetesObject, Resource, TableColumnDefinition } from "@kubeloop/core/api";
import type { KindRules, PrintContext, SelectableFields, ServedVersion, VersionRules } from "../../kinds/kind-rules.ts";
import { builtInCodec, type KindCodec } from "../../wire/kind-codec.ts";
import type { Presentation } from "../../wire/presentation.ts";
import { servedConversion, type VersionConversion } from "../../wire/version-conversion.ts";

export interface ServedResource {
  /** As served. */
  readonly resource: Resource;
  readonly rules: KindRules;
  /** What is particular to this version. Undefined for the one that is stored. */
  readonly version: VersionRules<KubernetesObject> | undefined;
  readonly conversion: VersionConversion;
  /** Where storage keeps it. */
  readonly collection: string;
  /** What is known of objects of the version that is served. */
  readonly codec: KindCodec;
  /** What is known of objects of the version that is stored. */
  readonly storedCodec: KindCodec;
  readonly presentation: Presentation;
  readonly groupResource: GroupResource;
  readonly openApi: OpenApiSource;
}

export type OpenApiSource =
  /** As in the documents that come with the server. */
  | { readonly kind: "built-in" }
  /** By path and by name of schema, to be merged into the document of its group and version. */
  | {
      readonly kind: "own";
      readonly paths: Readonly<Record<string, object>>;
      readonly schemas: Readonly<Record<string, object>>;
    };

export interface ServedResourceParts {
  readonly resource: Resource;
  /** Of the kind in the version that is stored. */
  readonly rules: KindRules;
  readonly version?: VersionRules<KubernetesObject> | undefined;
  /** None unless given: served as stored. */
  readonly conversion?: VersionConversion;
  readonly codec: KindCodec;
  /** The same unless given. */
  readonly storedCodec?: KindCodec;
  /** Asked for with the first table. */
  columns(): readonly TableColumnDefinition[];
  /** Nothing unless given. */
  readonly openApi?: OpenApiSource;
}

export function servedResource(parts: ServedResourceParts): ServedResource {
  const { resource, rules, version, conversion = { kind: "none" }, codec, storedCodec = codec } = parts;
  const { group, plural } = resource;
  return {
    resource,
    rules,
    version,
    conversion,
    collection: collectionOf(rules.resource),
    codec,
    storedCodec,
    groupResource: { group, resource: plural },
    presentation: presentationOf(parts, conversion),
    openApi: parts.openApi ?? { kind: "own", paths: {}, schemas: {} },
  };
}

/** A resource of the tables; `version` where it is not the one that is stored. */
export function builtInResource(
  resource: Resource,
  rules: KindRules,
  { version, columns }: { version?: ServedVersion<KubernetesObject>; columns(): readonly TableColumnDefinition[] },
): ServedResource {
  const codec = builtInCodec(resource);
  const openApi = { kind: "built-in" } as const;
  if (version === undefined) return servedResource({ resource, rules, codec, columns, openApi });
  const conversion: VersionConversion = {
    kind: "immediate",
    fromStored: (object) => version.fromStored(object),
    toStored: (draft) => version.toStored(draft),
  };
  const storedCodec = builtInCodec(rules.resource);
  return servedResource({ resource, rules, version, conversion, codec, storedCodec, columns, openApi });
}

export const collectionOf = ({ group, plural }: Pick<Resource, "group" | "plural">): string =>
  group === "" ? plural : `${group}/${plural}`;

/** Under a second version objects are shown converted, but their rows are those of the version that is stored. */
function presentationOf(
  { resource, codec, rules, columns }: ServedResourceParts,
  conversion: VersionConversion,
): Presentation {
  const shown = servedConversion(conversion, codec.apiVersion);
  return {
    resource,
    codec,
    // Most servers never show a table.
    get columns() {
      return columns();
    },
    ...shown,
    printRow: (object, context) => cellsOf(shown.storedOf(object), rules, context),
    rowConditions: (object) => rules.rowConditions?.(shown.storedOf(object)) ?? [],
  };
}

function cellsOf(object: KubernetesObject, rules: KindRules, context: PrintContext): readonly unknown[] {
  const cells = rules.printRow?.(object, context) ?? [object.metadata.name, object.metadata.creationTimestamp];
  // Of a bookmark, which has no name, a Go server prints an empty one.
  return object.metadata.name === undefined ? cells.map((cell) => cell ?? "") : cells;
}

/** Which fields selectors may name under this version. */
export function selectableFieldsOf({ rules, version }: ServedResource): SelectableFields<KubernetesObject> | undefined {
  return version === undefined ? rules.selectableFields : version.selectableFields;
}
