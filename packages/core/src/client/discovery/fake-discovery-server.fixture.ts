// A server that only describes itself: a list of groups, printed in either form, as bytes or as values. For tests. What
// it serves may change at any time; `intercept` answers in its place.
import { newGenericServerResponse } from "../../api/generic-status.ts";
import { printGroupVersion } from "../../api/group-version.ts";
import type { Resource, Subresource } from "../../api/resource.ts";
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  type HttpHeaders,
  headerValue,
  type Transport,
  valueResponse,
} from "../../api/transport.ts";
import { deepFreeze } from "../../base/index.ts";

export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly Resource[];
  readonly isStale?: boolean;
}

export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

export interface FakeDiscoveryServerOptions {
  readonly form?: "aggregated" | "legacy";
  readonly sends?: "bytes" | "values";
  readonly hasEtags?: boolean;
}

export type Interception = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse> | undefined;

export class FakeDiscoveryServer {
  groups: readonly ServedGroup[];
  /** Before anything else; undefined leaves it to the server. */
  intercept: Interception = () => undefined;
  readonly requests: ApiRequest[] = [];
  readonly #options: FakeDiscoveryServerOptions;

  constructor(groups: readonly ServedGroup[], options: FakeDiscoveryServerOptions = {}) {
    this.groups = groups;
    this.#options = options;
  }

  get paths(): readonly string[] {
    return this.requests.map((request) => request.path);
  }

  readonly transport: Transport = async (request, signal) => {
    signal.throwIfAborted();
    this.requests.push(request);
    return (await this.intercept(request, signal)) ?? this.#answer(request);
  };

  #answer(request: ApiRequest): ApiResponse {
    const isAggregated =
      this.#options.form !== "legacy" && headerValue(request.headers, "accept")?.includes("v=v2;") === true;
    const document = isAggregated ? printAggregated(this.groups, request.path) : printLegacy(this.groups, request.path);
    if (document === undefined) return this.#send(404, newGenericServerResponse({ code: 404, method: "GET" }).status);
    if (this.#options.hasEtags !== true || !isAggregated) return this.#send(200, document);
    const etag = `"${JSON.stringify(document).length}"`;
    if (headerValue(request.headers, "if-none-match") === etag) return this.#send(304, undefined);
    return this.#send(200, document, { etag });
  }

  #send(status: number, document: unknown, headers: HttpHeaders = {}): ApiResponse {
    if (document === undefined) return { ...bytesResponse(status, new Uint8Array(), headers), body: { kind: "none" } };
    if (this.#options.sends === "values") return valueResponse(status, deepFreeze(document), headers);
    return bytesResponse(status, Buffer.from(JSON.stringify(document)), headers);
  }
}

/** The groups that a list of resources makes, in its order. */
export function toServedGroups(resources: readonly Resource[]): readonly ServedGroup[] {
  const names = [...new Set(resources.map((one) => one.group))];
  return names.map((name) => {
    const own = resources.filter((one) => one.group === name);
    const versions = [...new Set(own.map((one) => one.version))];
    return {
      name,
      versions: versions.map((version) => ({ version, resources: own.filter((one) => one.version === version) })),
    };
  });
}

export function printAggregated(groups: readonly ServedGroup[], path: string): object | undefined {
  if (path !== "/api" && path !== "/apis") return undefined;
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups
      .filter(({ name }) => (name === "") === (path === "/api"))
      .map(({ name, versions }) => ({
        metadata: name === "" ? { creationTimestamp: null } : { name },
        versions: versions.map(({ version, resources, isStale }) => ({
          version,
          ...(isStale === true ? {} : { resources: resources.map(printAggregatedResource) }),
          freshness: isStale === true ? "Stale" : "Current",
        })),
      })),
  };
}

function printAggregatedResource(resource: Resource): object {
  const { plural, kind, singular, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: { group: "", version: "", kind },
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: { ...foreignPlace(resource, sub), kind: sub.kind },
            verbs: sub.verbs,
          })),
        }),
  };
}

export function printLegacy(groups: readonly ServedGroup[], path: string): object | undefined {
  if (path === "/api") {
    const core = groups.find(({ name }) => name === "");
    return core && { kind: "APIVersions", versions: core.versions.map((one) => one.version) };
  }
  if (path === "/apis") {
    const others = groups.filter(({ name }) => name !== "");
    return { kind: "APIGroupList", apiVersion: "v1", groups: others.map(printLegacyGroup) };
  }
  const place = /^\/api\/([^/]+)$|^\/apis\/([^/]+)\/([^/]+)$/.exec(path);
  const version = place?.[1] ?? place?.[3];
  const served = groups
    .find(({ name }) => name === (place?.[2] ?? ""))
    ?.versions.find((one) => one.version === version && one.isStale !== true);
  return served && { kind: "APIResourceList", resources: served.resources.flatMap(printLegacyResource) };
}

function printLegacyGroup({ name, versions }: ServedGroup): object {
  const print = ({ version }: ServedVersion) => ({
    groupVersion: printGroupVersion({ group: name, version }),
    version,
  });
  const [preferred] = versions;
  return {
    name,
    versions: versions.map(print),
    ...(preferred === undefined ? {} : { preferredVersion: print(preferred) }),
  };
}

function printLegacyResource(resource: Resource): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  return [
    { name: plural, singularName: singular, namespaced, kind, verbs, shortNames, categories, storageVersionHash: "x" },
    ...resource.subresources.map((sub) => ({
      ...{ name: `${plural}/${sub.name}`, singularName: "", namespaced, kind: sub.kind, verbs: sub.verbs },
      ...foreignPlace(resource, sub),
    })),
  ];
}

// Real servers leave a subresource's group and version empty where they are its resource's.
function foreignPlace(resource: Resource, { group, version }: Subresource) {
  return group === resource.group && version === resource.version ? { group: "", version: "" } : { group, version };
}
