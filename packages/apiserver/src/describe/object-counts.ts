// How many objects of each resource there are, counted when somebody asks.
import type { Metrics } from "@kubeloop/core/base";
import type { Catalogue } from "../resources/registry/catalogue.ts";
import type { Storage } from "../storage/storage.ts";

export class ObjectCounts {
  readonly #catalogue: Catalogue;
  readonly #storage: Storage;
  readonly #objects;

  constructor(metrics: Metrics, catalogue: Catalogue, storage: Storage) {
    this.#catalogue = catalogue;
    this.#storage = storage;
    this.#objects = metrics.gauge<"group" | "resource">({
      name: "apiserver_resource_objects",
      help: "Objects that are stored, by resource.",
      labels: ["group", "resource"],
    });
  }

  /** To be called before the metrics are printed. */
  async count(): Promise<void> {
    const counted = new Set<string>();
    for (const { resource, collection } of this.#catalogue.all()) {
      // Some are served under two names.
      if (!resource.verbs.includes("list") || counted.has(collection)) continue;
      counted.add(collection);
      const { objects, remaining } = await this.#storage.list(collection, { limit: 1 });
      this.#objects.labels({ group: resource.group, resource: resource.plural }).set(objects.length + remaining);
    }
  }
}
