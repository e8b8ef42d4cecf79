// The documents of discovery of one server, as bytes: each is made when it is first asked for, and again only after the catalogue changed.
import { createHash } from "node:crypto";
import type { Catalogue } from "../resources/registry/catalogue.ts";
import { aggregated, type GroupVersions, groupDocument, groupList, groupsOf, resourceList } from "./discovery.ts";
import { perGeneration } from "./per-generation.ts";

export interface DiscoveryDocument {
  readonly document: object;
  /** As JSON. */
  readonly bytes: Uint8Array;
}

export interface TaggedDocument extends DiscoveryDocument {
  readonly etag: string;
}

interface Generation {
  readonly groups: readonly GroupVersions[];
  readonly documents: Map<string, DiscoveryDocument>;
  readonly tagged: Map<string, TaggedDocument>;
}

export class DiscoveryDocuments {
  readonly #catalogue: Catalogue;
  readonly #generation: () => Generation;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#generation = perGeneration(catalogue, () => ({
      groups: groupsOf(catalogue),
      documents: new Map(),
      tagged: new Map(),
    }));
  }

  get groups(): readonly GroupVersions[] {
    return this.#generation().groups;
  }

  /** Of the core group, or of all others. */
  aggregated(isCore: boolean): TaggedDocument {
    const { groups, tagged } = this.#generation();
    return kept(tagged, isCore ? "/api" : "/apis", () => {
      const made = inBytes(aggregated(groups, isCore));
      return { ...made, etag: `"${createHash("sha512").update(made.bytes).digest("hex").toUpperCase()}"` };
    });
  }

  groupList(): DiscoveryDocument {
    const { groups, documents } = this.#generation();
    return kept(documents, "/apis", () => inBytes(groupList(groups)));
  }

  /** Undefined for a group that is not served, and for the core group, which has no such document. */
  group(name: string): DiscoveryDocument | undefined {
    const { groups, documents } = this.#generation();
    const found = groups.find(({ group }) => group === name && group !== "");
    return found === undefined ? undefined : kept(documents, `/apis/${name}`, () => inBytes(groupDocument(found)));
  }

  /** Undefined for a group that is not served; "no version" for a version that is not, of a group with a router of its own. */
  resources(name: string, version: string): DiscoveryDocument | "no version" | undefined {
    const { groups, documents } = this.#generation();
    const found = groups.find(({ group }) => group === name);
    if (found === undefined) return undefined;
    const resources = found.versions.find((each) => each.version === version)?.resources;
    if (resources === undefined) return this.#catalogue.hasRouter(name) ? "no version" : undefined;
    return kept(documents, `/apis/${name}/${version}`, () => inBytes(resourceList(name, version, resources)));
  }
}

function kept<T>(documents: Map<string, T>, path: string, make: () => T): T {
  let document = documents.get(path);
  if (document === undefined) {
    document = make();
    documents.set(path, document);
  }
  return document;
}

const inBytes = (document: object): DiscoveryDocument => ({
  document,
  bytes: Buffer.from(`${JSON.stringify(document)}\n`),
});
