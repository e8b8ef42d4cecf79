// Reads which resources a server serves, over any Transport.
//
// - One request to /api and one to /apis, in the aggregated form if the server supports it. If it answers in the
//   legacy form, each group-version is requested, a few at a time; the two roots may differ in form.
// - Group-versions that are stale or cannot be read are recorded as failures. Because groups may change
//   during the read, everything is read once more if something failed; what fails again is recorded.
// - If a root fails, discovery throws. A 404 for one root means that it has no groups, as with an
//   aggregated server that is called directly; a 404 for both means that this is not an API server.
// - ETags are remembered: an unchanged root costs an empty 304, and if both roots are unchanged and in the aggregated form,
//   the same value is returned.
//
// Not here: caching (CachedDiscovery), lookup of names and kinds (RestMapper), retries of single requests (the
// Transport).
import { type GroupVersion, printGroupVersion } from "../../api/group-version.ts";
import type { Resource } from "../../api/resource.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Transport } from "../../api/transport.ts";
import { assertNever, type Clock, runTogether, systemClock, timeoutSignal, toError } from "../../base/index.ts";
import type { VersionDocument } from "./decode-discovery.ts";
import { decodeGroups, decodeResourceList, decodeServerVersion, type GroupDocument } from "./decode-discovery.ts";
import { type ApiGroup, type Discovered, type ServerVersion, StaleGroupVersionError } from "./discovered.ts";
import { mapBounded } from "./map-bounded.ts";
import { type DocumentAnswer, type DocumentRequest, readDocument } from "./read-document.ts";
import { toResources } from "./to-resources.ts";

export interface DiscoveryOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** "legacy" never requests the aggregated form. Default: "aggregated", with the fallback above. */
  readonly form?: "aggregated" | "legacy";
  /** The timeout of each request. Default: 32 s, as in client-go. */
  readonly timeoutMs?: number;
  /** How many requests for group-versions run at a time. Default: 8. */
  readonly maxParallel?: number;
}

const plainJson = "application/json";
// Servers require this order of g, v and as.
const aggregatedForms = ["v2", "v2beta1"].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);

interface Remembered {
  readonly etag: string;
  readonly groups: readonly GroupDocument[];
}

interface Answer {
  readonly documents: readonly (readonly GroupDocument[])[];
  readonly discovered: Discovered;
}

export class Discovery {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #accept: string;
  readonly #timeoutMs: number;
  readonly #maxParallel: number;
  readonly #remembered = new Map<string, Remembered>();
  #lastAnswer: Answer | undefined;

  constructor(transport: Transport, options: DiscoveryOptions = {}) {
    this.#transport = transport;
    this.#clock = (options.clock ?? systemClock).labelled({ kind: "background", name: "discovery timeout" });
    this.#accept = options.form === "legacy" ? plainJson : [...aggregatedForms, plainJson].join(",");
    this.#timeoutMs = options.timeoutMs ?? 32_000;
    this.#maxParallel = options.maxParallel ?? 8;
  }

  /** Reads everything that the server serves. */
  async discover(signal: AbortSignal): Promise<Discovered> {
    const first = await this.#discoverOnce(signal);
    if (first.failures.size === 0) return first;
    try {
      return await this.#discoverOnce(signal);
    } catch {
      // The second attempt failed as a whole: the incomplete result of the first is better than none.
      signal.throwIfAborted();
      return first;
    }
  }

  /** Reads only the groups: two requests in either form. */
  async serverGroups(signal: AbortSignal): Promise<readonly ApiGroup[]> {
    const groups = mergeGroups(await this.#readRoots(signal));
    return groups.map((group) => toApiGroup(group, (version) => version.contents.kind !== "stale"));
  }

  async serverVersion(signal: AbortSignal): Promise<ServerVersion> {
    return decodeServerVersion(await this.#getJson("/version", signal));
  }

  async #discoverOnce(signal: AbortSignal): Promise<Discovered> {
    const documents = await this.#readRoots(signal);
    const last = this.#lastAnswer;
    const isUnchanged = last?.documents.every((document, index) => document === documents[index]) === true;
    if (isUnchanged && documents.flat().every(isSelfContained)) return last.discovered;
    const discovered = await this.#readGroups(mergeGroups(documents), signal);
    this.#lastAnswer = { documents, discovered };
    return discovered;
  }

  async #readRoots(signal: AbortSignal): Promise<readonly (readonly GroupDocument[])[]> {
    const roots = await runTogether(
      signal,
      ["/api", "/apis"].map((path) => (own: AbortSignal) => this.#readRoot(path, own)),
    );
    const failures = roots.filter((root) => root instanceof Error);
    // Wait for both, so that a 404 of one is not thrown if the other has a more useful error.
    const failure =
      failures.find((one) => !isNotFound(one)) ?? (failures.length === roots.length ? failures[0] : undefined);
    if (failure !== undefined) throw failure;
    return roots.map((root) => (root instanceof Error ? noGroups : root));
  }

  async #readRoot(path: string, signal: AbortSignal): Promise<readonly GroupDocument[] | Error> {
    const remembered = this.#remembered.get(path);
    try {
      const answer = await this.#get({ path, accept: this.#accept, etag: remembered?.etag }, signal);
      if (answer.kind === "unchanged") return remembered?.groups ?? noGroups;
      const groups = decodeGroups(answer.json);
      if (answer.etag === undefined) this.#remembered.delete(path);
      else this.#remembered.set(path, { etag: answer.etag, groups });
      return groups;
    } catch (error) {
      signal.throwIfAborted();
      return toError(error);
    }
  }

  async #readGroups(groups: readonly GroupDocument[], signal: AbortSignal): Promise<Discovered> {
    const places = groups.flatMap(({ name, versions }) =>
      versions.map(({ version, contents }) => ({ group: name, version, contents })),
    );
    const failures = new Map<string, Error>();
    const resources = await mapBounded(
      places,
      async ({ contents, ...place }, own) => {
        try {
          return await this.#readResources(place, contents, own);
        } catch (error) {
          own.throwIfAborted();
          failures.set(printGroupVersion(place), toError(error));
          return [];
        }
      },
      { maxParallel: this.#maxParallel },
      signal,
    );
    const isRead = (group: string) => (document: VersionDocument) =>
      !failures.has(printGroupVersion({ group, version: document.version }));
    return {
      groups: groups.map((group) => toApiGroup(group, isRead(group.name))),
      resources: resources.flat(),
      failures,
    };
  }

  async #readResources(
    place: GroupVersion,
    contents: VersionDocument["contents"],
    signal: AbortSignal,
  ): Promise<readonly Resource[]> {
    switch (contents.kind) {
      case "listed":
        return toResources(place, contents.entries);
      case "stale":
        throw new StaleGroupVersionError(place);
      case "elsewhere":
        return toResources(place, decodeResourceList(await this.#getJson(pathOf(place), signal)));
      default:
        return assertNever(contents);
    }
  }

  async #getJson(path: string, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#get({ path, accept: plainJson }, signal);
    return answer.kind === "json" ? answer.json : undefined;
  }

  async #get(request: DocumentRequest, signal: AbortSignal): Promise<DocumentAnswer> {
    const what = `GET ${request.path}`;
    using limited = timeoutSignal(signal, this.#timeoutMs, { clock: this.#clock, what });
    return await readDocument(this.#transport, request, limited.signal);
  }
}

const noGroups: readonly GroupDocument[] = [];

function pathOf({ group, version }: GroupVersion): string {
  const parts = group === "" ? ["api", version] : ["apis", group, version];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

function isSelfContained({ versions }: GroupDocument): boolean {
  return versions.every((version) => version.contents.kind !== "elsewhere");
}

/** Of two groups or versions with the same name the first counts; further versions of a second group are added to it. */
function mergeGroups(documents: readonly (readonly GroupDocument[])[]): readonly GroupDocument[] {
  const merged = new Map<string, GroupDocument>();
  for (const group of documents.flat()) {
    const first = merged.get(group.name);
    const versions = new Map<string, VersionDocument>();
    for (const one of [...(first?.versions ?? []), ...group.versions]) {
      if (!versions.has(one.version)) versions.set(one.version, one);
    }
    const preferredVersion = first?.preferredVersion ?? group.preferredVersion;
    merged.set(group.name, { name: group.name, versions: [...versions.values()], preferredVersion });
  }
  return [...merged.values()];
}

function toApiGroup(group: GroupDocument, isRead: (version: VersionDocument) => boolean): ApiGroup {
  const { name, versions, preferredVersion } = group;
  const byPreference = versions.toSorted(
    (a, b) => Number(b.version === preferredVersion) - Number(a.version === preferredVersion),
  );
  const preferred = byPreference.find(isRead) ?? byPreference[0];
  return { name, versions: versions.map((one) => one.version), preferredVersion: preferred?.version };
}
