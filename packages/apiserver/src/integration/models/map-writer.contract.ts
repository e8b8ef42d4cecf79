// Writes ConfigMaps by requests, one after the other, and keeps what came of each as the history of the namespace.
import { collectBytes, type KubernetesObject, noBody, type Transport } from "@kubeloop/core/api";
import type { Happening } from "./watched-history.contract.ts";

export const mapsPath = "/api/v1/namespaces/default/configmaps";
const collection = "configmaps";

export type Deed =
  | { readonly deed: "create"; readonly name: string; readonly colour: string; readonly isFinal: boolean }
  | { readonly deed: "update"; readonly name: string; readonly colour: string }
  | { readonly deed: "patch"; readonly name: string; readonly colour: string | null; readonly kind: PatchKind }
  | { readonly deed: "delete"; readonly name: string }
  | { readonly deed: "release"; readonly name: string };

export type PatchKind = "json" | "merge" | "strategic";

interface Peek {
  readonly log: { readonly revision: number };
  get(storageKey: { readonly collection: string; readonly key: string }): Promise<KubernetesObject | undefined>;
}

export class MapWriter {
  readonly history: Happening[] = [];
  readonly #transport: Transport;
  readonly #storage: Peek;
  readonly #signal = new AbortController().signal;

  constructor(transport: Transport, storage: Peek) {
    this.#transport = transport;
    this.#storage = storage;
  }

  async write(deed: Deed): Promise<void> {
    const { name } = deed;
    const before = await this.#held(name);
    const revision = this.#storage.log.revision;
    await this.#send(deed, before);
    const after = await this.#held(name);
    const now = this.#storage.log.revision;
    if (now === revision) {
      if (after !== before) throw new Error("an object changed without a revision");
      return;
    }
    if (now !== revision + 1) throw new Error("one write, several revisions");
    this.history.push({ revision: now, name, before, after });
  }

  #held(name: string): Promise<KubernetesObject | undefined> {
    return this.#storage.get({ collection, key: `default/${name}` });
  }

  async #send(deed: Deed, before: KubernetesObject | undefined): Promise<void> {
    const { name } = deed;
    const path = `${mapsPath}/${name}`;
    switch (deed.deed) {
      case "create": {
        const finalizers = deed.isFinal ? { finalizers: ["example.com/keep"] } : {};
        const metadata = { name, labels: { colour: deed.colour }, ...finalizers };
        return await this.#request("POST", mapsPath, { kind: "ConfigMap", apiVersion: "v1", metadata });
      }
      case "update": {
        if (before === undefined) return;
        const metadata = { ...before.metadata, labels: { colour: deed.colour } };
        return await this.#request("PUT", path, { ...before, metadata });
      }
      case "patch":
        return await this.#patch(path, deed);
      case "delete":
        return await this.#request("DELETE", path, undefined);
      case "release": {
        const body = { metadata: { finalizers: null } };
        return await this.#request("PATCH", path, body, "application/merge-patch+json");
      }
    }
  }

  async #patch(
    path: string,
    { colour, kind }: { readonly colour: string | null; readonly kind: PatchKind },
  ): Promise<void> {
    if (kind === "json") {
      const operations =
        colour === null
          ? [{ op: "remove", path: "/metadata/labels" }]
          : [{ op: "add", path: "/metadata/labels", value: { colour } }];
      return await this.#request("PATCH", path, operations, "application/json-patch+json");
    }
    const type = kind === "merge" ? "application/merge-patch+json" : "application/strategic-merge-patch+json";
    await this.#request("PATCH", path, { metadata: { labels: { colour } } }, type);
  }

  async #request(method: string, path: string, body: unknown, type = "application/json"): Promise<void> {
    const bytes = body === undefined ? noBody : ({ kind: "bytes", bytes: Buffer.from(JSON.stringify(body)) } as const);
    const headers = { "content-type": type };
    const response = await this.#transport(
      { method, path, query: [], headers, body: bytes, prefers: "bytes" },
      this.#signal,
    );
    await using _response = response;
    if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status}`);
    if (response.body.kind === "bytes") await collectBytes(response.body.bytes, { maxBytes: 1024 * 1024 });
  }
}
