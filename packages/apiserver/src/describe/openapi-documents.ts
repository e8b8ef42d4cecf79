// The OpenAPI v3 documents of one server: those that come with it, without what is not served, and with what was added. They are put together when
// first asked for, and again only after the catalogue changed.
import { allResources } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import type { Catalogue } from "../resources/registry/catalogue.ts";
import type { ServedResource } from "../resources/registry/served-resource.ts";
import { type BaseDocuments, baseDocuments, hashed, type OpenApiDocument } from "./openapi-base.ts";
import { perGeneration } from "./per-generation.ts";

/** In the order in which the index names them. */
export type OpenApiDocumentsByPath = ReadonlyMap<string, OpenApiDocument>;

export class OpenApiDocuments {
  readonly #documents: () => Promise<OpenApiDocumentsByPath>;

  constructor(catalogue: Catalogue, clock: Clock) {
    this.#documents = perGeneration(catalogue, async () => {
      const served = catalogue.all();
      return documentsOf(served, await baseDocuments(clock));
    });
  }

  all(): Promise<OpenApiDocumentsByPath> {
    return this.#documents();
  }
}

function documentsOf(served: readonly ServedResource[], base: BaseDocuments): OpenApiDocumentsByPath {
  const byVersion = new Map<string, ServedResource[]>();
  for (const each of served) {
    const path = pathOf(each.resource);
    const others = byVersion.get(path);
    if (others === undefined) byVersion.set(path, [each]);
    else others.push(each);
  }
  const groups = new Set(served.map(({ resource }) => `apis/${resource.group}`));
  const all: [string, OpenApiDocument][] = [];
  for (const [path, document] of base) {
    const isGone = isOfVersion(path) ? !byVersion.has(path) : isOfGroup(path) && !groups.has(path);
    if (!isGone) all.push([path, document]);
  }
  const found = new Map(all);
  for (const [path, resources] of byVersion) {
    const document = documentOf(path, resources, base);
    if (document !== undefined) found.set(path, document);
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const pathOf = ({ group, version }: { readonly group: string; readonly version: string }) =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`;

const isOfVersion = (path: string) => /^(?:api|apis\/[^/]+)\/[^/]+$/.test(path);
const isOfGroup = (path: string) => /^apis\/[^/]+$/.test(path);

/** Undefined where the document that comes with the server is the right one. */
function documentOf(
  path: string,
  resources: readonly ServedResource[],
  base: BaseDocuments,
): OpenApiDocument | undefined {
  const document = base.get(path);
  const ownPaths = new Map<string, object>();
  const schemas: Record<string, object> = {};
  const builtIn = new Set<string>();
  for (const { resource, openApi } of resources) {
    if (openApi.kind === "built-in") builtIn.add(resource.plural);
    else {
      for (const [each, item] of Object.entries(openApi.paths)) ownPaths.set(each, item);
      Object.assign(schemas, openApi.schemas);
    }
  }
  if (document === undefined) return newDocument(ownPaths, schemas);
  const isWhole = defaultPlurals(path).every((plural) => builtIn.has(plural));
  if (isWhole && builtIn.size === resources.length) return undefined;
  const paths = JSON.parse(document.paths) as Readonly<Record<string, object>>;
  const kept = Object.entries(paths).filter(([each]) => {
    const plural = pluralIn(each, path);
    return plural === "" || builtIn.has(plural);
  });
  return document.withPaths(inOrder(new Map([...kept, ...ownPaths])), schemas);
}

/** As upstream heads a document of custom resources alone. */
function newDocument(paths: ReadonlyMap<string, object>, schemas: object): OpenApiDocument {
  const info = { title: "Kubernetes CRD Swagger", version: "v0.1.0" };
  return hashed(JSON.stringify({ openapi: "3.0.0", info, paths: inOrder(paths), components: { schemas } }));
}

const inOrder = (paths: ReadonlyMap<string, object>) =>
  Object.fromEntries([...paths].toSorted(([a], [b]) => (a < b ? -1 : 1)));

const defaultPlurals = (path: string) =>
  allResources().flatMap((each) => (each.servedByDefault && pathOf(each) === path ? [each.plural] : []));

/** Of which resource a path is; empty for that of the version itself. */
function pluralIn(path: string, versionPath: string): string {
  const parts = path.slice(versionPath.length + 2).split("/");
  if (parts[0] === "watch") parts.shift();
  const isNamespaced = parts[0] === "namespaces" && parts[1] === "{namespace}" && parts.length > 2;
  return (isNamespaced ? parts[2] : parts[0]) ?? "";
}
