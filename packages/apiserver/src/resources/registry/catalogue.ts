// What this server serves: each resource as it is asked for, with the rules of its kind, where it is stored and how it is shown.
// Custom resources will join it while it runs; whoever looks something up gets what is there now.
import {
  allResources,
  type GroupResource,
  type KubernetesObject,
  type Resource,
  type TableColumnDefinition,
} from "@kubeloop/core/api";
import type { KindRules, PrintContext, SelectableFields, ServedVersion } from "../../kinds/kind-rules.ts";
import { builtInCodec, type KindCodec } from "../../wire/kind-codec.ts";
import { keptConversion, type Presentation } from "../../wire/presentation.ts";
import { pathName } from "./object-meta.ts";

export interface ServedResource {
  /** As served. */
  readonly resource: Resource;
  readonly rules: KindRules;
  /** Undefined where it is served as stored. */
  readonly version: ServedVersion<KubernetesObject> | undefined;
  /** Where storage keeps it. */
  readonly collection: string;
  /** What is known of objects of the version that is served. */
  readonly codec: KindCodec;
  /** What is known of objects of the version that is stored. */
  readonly storedCodec: KindCodec;
  readonly presentation: Presentation;
  readonly groupResource: GroupResource;
}

export class Catalogue {
  readonly #byPath = new Map<string, ServedResource>();

  constructor(served: readonly ServedResource[]) {
    for (const each of served) this.#byPath.set(pathOf(each.resource), each);
  }

  /** By group, version and plural. */
  find(resource: Pick<Resource, "group" | "version" | "plural">): ServedResource | undefined {
    return this.#byPath.get(pathOf(resource));
  }

  all(): readonly ServedResource[] {
    return [...this.#byPath.values()];
  }

  hasGroup(group: string): boolean {
    return this.all().some(({ resource }) => resource.group === group);
  }
}

const pathOf = ({ group, version, plural }: Pick<Resource, "group" | "version" | "plural">) =>
  `${group}/${version}/${plural}`;

export const collectionOf = ({ group, plural }: Pick<Resource, "group" | "plural">): string =>
  group === "" ? plural : `${group}/${plural}`;

export interface CatalogueParts {
  /** Rules of kinds that have some; all others get none but the schema's. */
  readonly rules: readonly KindRules[];
  /** Columns by "group/version/plural", or "v1/plural" in the core group. */
  columnsOf(resource: Resource): readonly TableColumnDefinition[];
}

/** Everything a default server serves. */
export function builtInCatalogue(parts: CatalogueParts): Catalogue {
  const served: ServedResource[] = [];
  const taken = new Set<string>();
  const add = (resource: Resource, rules: KindRules, version: ServedVersion<KubernetesObject> | undefined) => {
    taken.add(pathOf(resource));
    served.push(servedResource(resource, rules, version, parts));
  };
  for (const rules of parts.rules) {
    add(rules.resource, rules, undefined);
    for (const version of rules.otherVersions ?? []) add(version.resource, rules, version);
  }
  for (const resource of allResources()) {
    if (resource.servedByDefault && !taken.has(pathOf(resource)))
      add(resource, { resource, checkName: pathName }, undefined);
  }
  return new Catalogue(served);
}

function servedResource(
  resource: Resource,
  rules: KindRules,
  version: ServedVersion<KubernetesObject> | undefined,
  { columnsOf }: CatalogueParts,
): ServedResource {
  const { group, plural } = resource;
  const codec = builtInCodec(resource);
  return {
    resource,
    rules,
    version,
    collection: collectionOf(rules.resource),
    groupResource: { group, resource: plural },
    codec,
    storedCodec: version === undefined ? codec : builtInCodec(rules.resource),
    presentation: presentationOf(resource, codec, rules, version, () => columnsOf(resource)),
  };
}

/** Under a second version objects are shown converted, but their rows are those of the version that is stored. */
function presentationOf(
  resource: Resource,
  codec: KindCodec,
  rules: KindRules,
  version: ServedVersion<KubernetesObject> | undefined,
  columns: () => readonly TableColumnDefinition[],
): Presentation {
  const stored = new WeakMap<KubernetesObject, KubernetesObject>();
  const convert = (object: KubernetesObject): KubernetesObject => {
    const converted = version?.fromStored(object) ?? object;
    stored.set(converted, object);
    return converted;
  };
  const storedOf = (object: KubernetesObject) => stored.get(object) ?? object;
  return {
    resource,
    codec,
    // Most servers never show a table.
    get columns() {
      return columns();
    },
    toServed: version === undefined ? (object) => object : keptConversion(convert),
    storedOf,
    printRow: (object, context) => cellsOf(storedOf(object), rules, context),
    rowConditions: (object) => rules.rowConditions?.(storedOf(object)) ?? [],
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
