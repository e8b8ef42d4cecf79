// This server as simulations see it: in virtual time, by plain calls, written to by a client like any other. Troubles come from outside (the
// line to watchers is held or cut) and from within: history is compacted, wholly or in part, and the server restarted, which is its snapshot
// restored.
import type { KubernetesObject, Resource, Transport } from "@kubeloop/core/api";
import { clientOf } from "@kubeloop/core/client";
import { namespaces } from "@kubeloop/core/resources";
import type { OpenServer, SimulatedServer, SimulatedServerOptions } from "@kubeloop/simulation-suite";
import { ApiServer } from "../../api-server.ts";
import { MemoryStorage } from "../../storage/index.ts";
import { WatchLine } from "./watch-line.contract.ts";

const never = new AbortController().signal;

export const openEmbeddedServer: OpenServer = async (options) => {
  const { clock, random, body = "values", behaviour = {} } = options;
  const { historySize } = behaviour;
  const storage = new MemoryStorage(historySize === undefined ? {} : { historySize });
  const server = await ApiServer.open({ clock, random, storage });
  const client = clientOf(server.transport, { clock });
  for (const name of options.namespaces) {
    await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, never);
  }
  const contents = new Map(
    options.resources.map((resource) => [resource as Resource, new Contents(resource, storage, options)]),
  );
  const contentsOf = (resource: Resource) => {
    const found = contents.get(resource);
    if (found === undefined) throw new Error(`${resource.plural} are not simulated`);
    return found;
  };
  const line = new WatchLine();
  const asked: Transport = (request, signal) =>
    server.transport(body === "bytes" ? { ...request, prefers: "bytes" } : request, signal);
  const simulated: SimulatedServer = {
    transport: line.through(asked),
    get revision() {
      return storage.log.revision;
    },
    get openWatches() {
      return line.openWatches;
    },
    get: <T extends KubernetesObject>(resource: Resource<T>, key: string) =>
      contentsOf(resource).objects.get(key) as T | undefined,
    list: <T extends KubernetesObject>(resource: Resource<T>) => contentsOf(resource).list() as readonly T[],
    create: (resource, object) =>
      client
        .resource(resource)
        .in(object.metadata.namespace ?? "")
        .create(object, never),
    update: (resource, object) =>
      client
        .resource(resource)
        .in(object.metadata.namespace ?? "")
        .update(object, never),
    async delete(resource, key) {
      const [namespace = "", name = ""] = key.split("/");
      await client.resource(resource).in(namespace).delete(name, never);
    },
    compact: async (revision) => (revision === undefined ? server.compact() : storage.compact(revision)),
    endWatches: (how) => line.end(how),
    fallBehind: () => line.hold(),
    catchUp: () => line.letGo(),
    restart: () => server.restore(server.snapshot()),
    async [Symbol.asyncDispose]() {
      for (const each of contents.values()) each[Symbol.dispose]();
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
  return simulated;
};

/** What a collection holds, told from the storage's log the moment it is written: at once, where the storage can only be asked. */
class Contents implements Disposable {
  readonly objects = new Map<string, KubernetesObject>();
  readonly #resource: Resource;
  readonly #collection: string;
  readonly #storage: MemoryStorage;
  readonly #onWritten: SimulatedServerOptions["onWritten"];
  readonly #listening: Disposable;
  #position: number;

  constructor(resource: Resource, storage: MemoryStorage, { onWritten }: SimulatedServerOptions) {
    this.#resource = resource;
    this.#collection = resource.group === "" ? resource.plural : `${resource.group}/${resource.plural}`;
    this.#storage = storage;
    this.#onWritten = onWritten;
    this.#position = this.#newest();
    this.#listening = storage.log.onChange(this.#collection, () => this.#read());
  }

  list(): readonly KubernetesObject[] {
    return [...this.objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #read(): void {
    for (;;) {
      const event = this.#storage.log.at(this.#collection, this.#position);
      if (event === undefined) return;
      if (event === "forgotten") {
        // Restarted: it holds what it held.
        this.#position = this.#newest();
        continue;
      }
      this.#position++;
      const { key, revision, before, after } = event;
      if (after === undefined) this.objects.delete(key);
      else this.objects.set(key, after);
      this.#onWritten?.({ resource: this.#resource, revision, before, after });
    }
  }

  #newest(): number {
    const position = this.#storage.log.positionAfter(this.#collection, this.#storage.log.revision);
    if (position === undefined) throw new Error(`${this.#collection} has no place for its next event`);
    return position;
  }
}
