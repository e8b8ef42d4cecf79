// A server of a few lines for tests of factories: objects of any kind by path, lists, watches (streamed lists too),
// namespaces, selectors, metadata only, refusals. It remembers what it was asked. `testing` has a truer one, above this layer.
import {
  type ApiRequest,
  headerValue,
  type KubernetesObject,
  keyOf,
  matchesFieldSelector,
  matchesSelector,
  parseFieldSelector,
  parseSelector,
  queryValue,
  type Resource,
  requestInfoOf,
  type StatusError,
  type Transport,
  valueResponse,
} from "../../api/index.ts";
import { Channel, deepFreeze } from "../../base/index.ts";

interface OpenWatch {
  readonly request: ApiRequest;
  readonly events: Channel<unknown>;
}

export class SmallServer {
  readonly requests: ApiRequest[] = [];
  /** What the server says instead of an answer, by plural. */
  readonly refusals = new Map<string, StatusError>();
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #watches = new Set<OpenWatch>();
  #revision = 1;

  get openWatches(): number {
    return this.#watches.size;
  }

  /** What was asked, in order: "list pods", "watch pods in shop". */
  get asked(): readonly string[] {
    return this.requests.map((request) => {
      const { verb, resource, namespace } = placeOf(request);
      return `${verb} ${resource}${namespace === "" ? "" : ` in ${namespace}`}`;
    });
  }

  put<T extends KubernetesObject>(resource: Pick<Resource, "group" | "plural">, object: T): T {
    const id = `${resource.group}/${resource.plural}/${keyOf(object)}`;
    const type = this.#objects.has(id) ? "MODIFIED" : "ADDED";
    const metadata = { ...object.metadata, resourceVersion: String(++this.#revision) };
    const stored = deepFreeze({ ...object, metadata });
    this.#objects.set(id, stored);
    this.#tell(resource, type, stored);
    return stored;
  }

  remove(resource: Pick<Resource, "group" | "plural">, object: KubernetesObject): void {
    this.#objects.delete(`${resource.group}/${resource.plural}/${keyOf(object)}`);
    const metadata = { ...object.metadata, resourceVersion: String(++this.#revision) };
    this.#tell(resource, "DELETED", { ...object, metadata });
  }

  readonly transport: Transport = async (request, signal) => {
    signal.throwIfAborted();
    this.requests.push(request);
    const { verb, group, resource } = placeOf(request);
    const refusal = this.refusals.get(resource);
    if (refusal !== undefined) return valueResponse(refusal.code, refusal.status);
    const matching = [...this.#objects]
      .filter(([id, object]) => id.startsWith(`${group}/${resource}/`) && matches(request, object))
      .map(([, object]) => shown(request, object));
    const metadata = { resourceVersion: String(this.#revision) };
    if (verb === "list")
      return valueResponse(200, deepFreeze({ kind: "List", apiVersion: "v1", metadata, items: matching }));
    const initial = queryValue(request.query, "sendInitialEvents") === "true" ? matching : undefined;
    return this.#watch(request, initial, signal);
  };

  async #watch(request: ApiRequest, initial: readonly KubernetesObject[] | undefined, signal: AbortSignal) {
    const watch: OpenWatch = { request, events: new Channel(100_000) };
    this.#watches.add(watch);
    if (initial !== undefined) {
      for (const object of initial) watch.events.trySend({ type: "ADDED", object });
      const annotations = { "k8s.io/initial-events-end": "true" };
      const metadata = { resourceVersion: String(this.#revision), annotations };
      watch.events.trySend({ type: "BOOKMARK", object: { apiVersion: "v1", kind: "Bookmark", metadata } });
    }
    const close = () => this.#watches.delete(watch);
    async function* read() {
      try {
        for (let next = await watch.events.receive(signal); next; next = await watch.events.receive(signal))
          yield next.value;
      } finally {
        close();
      }
    }
    const body = { kind: "values" as const, values: read() };
    return { status: 200, headers: {}, body, [Symbol.asyncDispose]: async () => void close() };
  }

  #tell(resource: Pick<Resource, "group" | "plural">, type: string, object: KubernetesObject): void {
    for (const { request, events } of this.#watches) {
      const place = placeOf(request);
      if (place.group !== resource.group || place.resource !== resource.plural || !matches(request, object)) continue;
      events.trySend(deepFreeze({ type, object: shown(request, object) }));
    }
  }
}

function placeOf(request: ApiRequest) {
  const info = requestInfoOf(request);
  if (!info.isResourceRequest) throw new Error(`unexpected request for ${request.path}`);
  return info;
}

function matches(request: ApiRequest, { metadata }: KubernetesObject): boolean {
  const { namespace } = placeOf(request);
  const labels = parseSelector(queryValue(request.query, "labelSelector") ?? "");
  const fields = parseFieldSelector(queryValue(request.query, "fieldSelector") ?? "");
  return (
    (namespace === "" || metadata.namespace === namespace) &&
    matchesSelector(labels, metadata.labels) &&
    matchesFieldSelector(fields, (field) => (field === "metadata.name" ? metadata.name : undefined))
  );
}

function shown(request: ApiRequest, object: KubernetesObject): KubernetesObject {
  const isMetadata = headerValue(request.headers, "accept")?.includes("as=PartialObjectMetadata") === true;
  if (!isMetadata) return object;
  return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: object.metadata };
}
