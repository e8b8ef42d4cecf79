// Maps kinds to resources, resources to kinds, and names as typed to kubectl to resources, as served by the
// server: built-in resources that the server does not serve are not found.
//
// After a miss the mapper refreshes discovery and looks again, so that a kind whose CRD was just created is
// found at the first try. A loop that asks for an absent resource does not overload the server: misses cause
// at most one refresh per ten seconds (`minRefreshMs`), shared by all callers that miss meanwhile. In between they
// get the NoMatchError immediately, or, if that refresh failed, its error, because then the absence is not known.
import type { GroupVersionKind, Resource } from "../../api/resource.ts";
import { type Clock, isAborted, SharedWork, systemClock, toError } from "../../base/index.ts";
import type { CachedDiscovery } from "./cached-discovery.ts";
import type { Discovered } from "./discovered.ts";
import { type Asked, NoMatchError } from "./no-match-error.ts";
import {
  indexResources,
  type KindQuery,
  type ResourceIndex,
  type ResourceQuery,
  resourcesNamed,
  resourcesOfCategory,
  resourcesOfKind,
} from "./resource-index.ts";

export interface RestMapperOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** The minimum time between two refreshes caused by misses. Default: 10 s. */
  readonly minRefreshMs?: number;
}

interface Search {
  readonly found: readonly Resource[];
  readonly discovered: Discovered;
}

export class RestMapper {
  readonly #discovery: CachedDiscovery;
  readonly #clock: Clock;
  readonly #minRefreshMs: number;
  readonly #refresh: SharedWork<Discovered>;
  #lastRefresh: { readonly atMs: number; readonly failure: Error | undefined } | undefined;
  #indexed: { readonly discovered: Discovered; readonly index: ResourceIndex } | undefined;

  constructor(discovery: CachedDiscovery, options: RestMapperOptions = {}) {
    this.#discovery = discovery;
    this.#clock = options.clock ?? systemClock;
    this.#minRefreshMs = options.minRefreshMs ?? 10_000;
    this.#refresh = new SharedWork((signal) => this.#refreshOnce(signal));
  }

  /** Returns the resource of this kind; without a version, in the preferred one. Throws a NoMatchError. */
  async resourceForKind(kind: KindQuery, signal: AbortSignal): Promise<Resource> {
    const [first] = await this.#require({ kind }, (index) => resourcesOfKind(index, kind), signal);
    return first;
  }

  /** Returns the kind of a resource, given by group, version and resource or by name. Throws a NoMatchError. */
  async kindFor(resource: string | ResourceQuery, signal: AbortSignal): Promise<GroupVersionKind> {
    const { group, version, kind } = await this.resourceFor(resource, signal);
    return { group, version, kind };
  }

  /** Returns the best match for a query or a name (`deploy`, `deployments.apps`, `deployments.v1.apps`). Throws a NoMatchError. */
  async resourceFor(resource: string | ResourceQuery, signal: AbortSignal): Promise<Resource> {
    const [first] = await this.#require({ resource }, (index) => resourcesNamed(index, resource), signal);
    return first;
  }

  /** Returns all matches in all groups and versions, the best first. Throws a NoMatchError. */
  async resourcesFor(resource: string | ResourceQuery, signal: AbortSignal): Promise<readonly Resource[]> {
    return await this.#require({ resource }, (index) => resourcesNamed(index, resource), signal);
  }

  /** Returns the members of a category ("all"), each in its preferred version; empty if there is no such category. */
  async resourcesInCategory(category: string, signal: AbortSignal): Promise<readonly Resource[]> {
    return (await this.#search((index) => resourcesOfCategory(index, category), signal)).found;
  }

  /** Whether the server serves exactly this resource. Throws, instead of returning false, if its group-version is unreadable. */
  async has(
    resource: Pick<Resource, "group" | "version" | "plural" | "apiVersion">,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { group, version, plural } = resource;
    const matches = (index: ResourceIndex) =>
      resourcesNamed(index, { group, version, resource: plural }).filter((one) => one.plural === plural);
    const { found, discovered } = await this.#search(matches, signal);
    if (found.length > 0) return true;
    const failure = discovered.failures.get(resource.apiVersion);
    if (failure !== undefined) throw failure;
    return false;
  }

  async #require(
    asked: Asked,
    find: (index: ResourceIndex) => readonly Resource[],
    signal: AbortSignal,
  ): Promise<readonly [Resource, ...Resource[]]> {
    const { found, discovered } = await this.#search(find, signal);
    const [first, ...others] = found;
    if (first === undefined) throw new NoMatchError(asked, discovered.failures);
    return [first, ...others];
  }

  async #search(find: (index: ResourceIndex) => readonly Resource[], signal: AbortSignal): Promise<Search> {
    const { discovered, isNew } = await this.#discovery.read(signal);
    const found = find(this.#indexOf(discovered));
    if (found.length > 0 || isNew) return { found, discovered };
    const refreshed = await this.#refreshAfterMiss(signal);
    if (refreshed === undefined) return { found, discovered };
    return { found: find(this.#indexOf(refreshed)), discovered: refreshed };
  }

  /** Returns undefined if it is too early for another refresh. */
  async #refreshAfterMiss(signal: AbortSignal): Promise<Discovered | undefined> {
    const last = this.#lastRefresh;
    if (last !== undefined && this.#clock.monotonic() - last.atMs < this.#minRefreshMs) {
      if (last.failure !== undefined) throw last.failure;
      return undefined;
    }
    return await this.#refresh.join(signal);
  }

  // A refresh that all callers abandoned has no result, and does not count.
  async #refreshOnce(signal: AbortSignal): Promise<Discovered> {
    const atMs = this.#clock.monotonic();
    try {
      const discovered = await this.#discovery.refresh(signal);
      this.#lastRefresh = { atMs, failure: undefined };
      return discovered;
    } catch (error) {
      if (!isAborted(error, signal)) this.#lastRefresh = { atMs, failure: toError(error) };
      throw error;
    }
  }

  #indexOf(discovered: Discovered): ResourceIndex {
    if (this.#indexed?.discovered !== discovered) {
      this.#indexed = { discovered, index: indexResources(discovered) };
    }
    return this.#indexed.index;
  }
}
