// How many objects of each resource there are, counted when somebody asks. What is no longer served is no longer counted.
import type { Metrics } from "@kubeloop/core/base";
import type { Catalogue } from "../resources/registry/catalogue.ts";
import type { Storage } from "../storage/storage.ts";
import { perGeneration } from "./per-generation.ts";

type Labels = Readonly<Record<"group" | "resource", string>>;

export class ObjectCounts {
  readonly #storage: Storage;
  readonly #collections: () => ReadonlyMap<string, Labels>;
  readonly #objects;
  #counted: ReadonlyMap<string, Labels> = new Map();

  constructor(metrics: Metrics, catalogue: Catalogue, storage: Storage) {
    this.#storage = storage;
    this.#collections = perGeneration(catalogue, () => collectionsOf(catalogue));
    this.#objects = metrics.gauge<"group" | "resource">({
      name: "apiserver_resource_objects",
      help: "Objects that are stored, by resource.",
      labels: ["group", "resource"],
    });
  }

  /** To be called before the metrics are printed. */
  async count(): Promise<void> {
    const collections = this.#collections();
    for (const [collection, labels] of this.#counted) if (!collections.has(collection)) this.#objects.remove(labels);
    this.#counted = collections;
    for (const [collection, labels] of collections) {
      const { objects, remaining } = await this.#storage.list(collection, { limit: 1 });
      this.#objects.labels(labels).set(objects.length + remaining);
    }
  }
}

function collectionsOf(catalogue: Catalogue): ReadonlyMap<string, Labels> {
  const collections = new Map<string, Labels>();
  for (const { resource, collection } of catalogue.all()) {
    // Some are served under two names: the first counts.
    if (!resource.verbs.includes("list") || collections.has(collection)) continue;
    collections.set(collection, { group: resource.group, resource: resource.plural });
  }
  return collections;
}
