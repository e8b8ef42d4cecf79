// The resources a server can serve: what discovery lists, in discovery's order, then what only the OpenAPI paths know:
// the alpha and beta resources a default server leaves out. Of those the paths give kind, scope, verbs and
// subresources; the singular is the kind in small letters, as for every built-in, and short names are not known.
import type { DiscoveredResource } from "./discovery.ts";
import { apiVersionOf, compareVersions } from "./names.ts";
import { compareText, type GroupVersionKind, kindsOf, type OpenApi, type Operation } from "./openapi.ts";

export interface SubresourceRow {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
  /** The definition of what it answers with, if OpenAPI has one. */
  readonly schemaName: string | undefined;
}

export interface ResourceRow extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceRow[];
  readonly listKind: string | undefined;
  readonly schemaName: string | undefined;
  readonly servedByDefault: boolean;
}

export function resourceRows(openApi: OpenApi, discovered: readonly DiscoveredResource[]): readonly ResourceRow[] {
  const schemaNames = new Map<string, string>();
  for (const [name, schema] of openApi.definitions) {
    for (const kind of kindsOf(schema)) schemaNames.set(kindKey(kind), name);
  }
  const known = new Set(discovered.map(resourceKey));
  const others = resourcesInPaths(openApi.operations)
    .filter((resource) => !known.has(resourceKey(resource)))
    .sort(
      (a, b) =>
        compareText(a.group, b.group) || compareVersions(a.version, b.version) || compareText(a.plural, b.plural),
    );
  const toRow = (resource: DiscoveredResource, servedByDefault: boolean): ResourceRow => {
    const listKind = `${resource.kind}List`;
    return {
      ...resource,
      servedByDefault,
      schemaName: schemaNames.get(kindKey(resource)),
      listKind: schemaNames.has(kindKey({ ...resource, kind: listKind })) ? listKind : undefined,
      subresources: resource.subresources.map((sub) => ({ ...sub, schemaName: schemaNames.get(kindKey(sub.kind)) })),
    };
  };
  return [...discovered.map((one) => toRow(one, true)), ...others.map((one) => toRow(one, false))];
}

const verbOfAction: { readonly [action: string]: string } = {
  ...{ get: "get", list: "list", post: "create", put: "update", patch: "patch", delete: "delete" },
  ...{ deletecollection: "deletecollection", watchlist: "watch" },
};
const verbOfConnect: { readonly [method: string]: string } = {
  ...{ get: "get", post: "create", put: "update", patch: "patch", delete: "delete" },
};

const resourcePath =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)\/(?:watch\/)?(?<scope>namespaces\/\{namespace\}\/)?(?<plural>[^/{}]+)(?:\/\{name\}(?:\/(?<subresource>[^/{}]+))?)?$/;

/** What the paths tell of each resource; exported because it can be held against discovery. */
export function resourcesInPaths(operations: readonly Operation[]): DiscoveredResource[] {
  const drafts = new Map<string, Draft>();
  for (const operation of operations) {
    const parts = resourcePath.exec(operation.path)?.groups;
    if (parts === undefined) continue;
    const { group = "", version = "", plural = "", subresource } = parts;
    const key = resourceKey({ group, version, plural });
    const draft = drafts.get(key) ?? new Draft(group, version, plural);
    drafts.set(key, draft);
    draft.add(operation, { subresource, isNamespaced: parts["scope"] !== undefined });
  }
  return [...drafts.values()].flatMap((draft) => draft.finish());
}

class Draft {
  readonly #place: { readonly group: string; readonly version: string; readonly plural: string };
  readonly #verbs = new Set<string>();
  readonly #subresources = new Map<string, { readonly kind: GroupVersionKind; readonly verbs: Set<string> }>();
  #kind: string | undefined;
  #namespaced = false;

  constructor(group: string, version: string, plural: string) {
    this.#place = { group, version, plural };
  }

  add(operation: Operation, at: { readonly subresource: string | undefined; readonly isNamespaced: boolean }): void {
    const verb = operation.action === "connect" ? verbOfConnect[operation.method] : verbOfAction[operation.action];
    if (at.isNamespaced) this.#namespaced = true;
    if (at.subresource === undefined) {
      this.#kind ??= operation.kind.kind;
      if (verb !== undefined) this.#verbs.add(verb);
      return;
    }
    const sub = this.#subresources.get(at.subresource) ?? { kind: operation.kind, verbs: new Set<string>() };
    this.#subresources.set(at.subresource, sub);
    if (verb !== undefined) sub.verbs.add(verb);
  }

  finish(): DiscoveredResource[] {
    if (this.#kind === undefined) return [];
    return [
      {
        ...this.#place,
        kind: this.#kind,
        singular: this.#kind.toLowerCase(),
        shortNames: [],
        categories: [],
        namespaced: this.#namespaced,
        verbs: [...this.#verbs].sort(),
        subresources: [...this.#subresources]
          .sort(([a], [b]) => compareText(a, b))
          .map(([name, { kind, verbs }]) => ({ name, kind, verbs: [...verbs].sort() })),
      },
    ];
  }
}

function kindKey(kind: GroupVersionKind): string {
  return `${apiVersionOf(kind)}/${kind.kind}`;
}

function resourceKey(resource: { readonly group: string; readonly version: string; readonly plural: string }): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}
