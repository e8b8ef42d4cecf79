// A small API server with true resourceVersion semantics, as a Transport in this process, for tests of informers and controllers in virtual
// time. It supports get, list, watch, create, update and delete on the given resources.
//
//   const server = new FakeApiServer({ clock, resources: [pods] });
//   const client = clientOf(server.transport, { clock });
//
// As on a real server:
//
// - All resources share one revision.
// - A list at resourceVersion "" is the newest state. At "0" it is the state of the watch cache, without pages even if there is a limit. At N
//   it is not older than N; if N is not reached within 3 s, the error is "Too large resource version".
// - All pages of a list have the revision of the first page. After compaction of that revision, the next page fails.
// - A watch misses no event, or fails with 410.
// - A write that changes nothing keeps the resourceVersion.
//
// A test can pause the watch cache, compact the history and end watches, all of which happens in real clusters.
//
// Not here: validation, defaults, subresources, patches, finalizers, grace, admission, authorization.
import {
  type ApiRequest,
  type ApiResponse,
  collectBytes,
  decodeObject,
  type GroupResource,
  isResourceExpired,
  isTooLargeResourceVersion,
  type KubernetesObject,
  keyOf,
  loadProtobuf,
  type metav1,
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newMethodNotSupported,
  newNotFound,
  objectKeyOf,
  parseObjectKey,
  printTime,
  queryValue,
  type RequestBody,
  type RequestInfo,
  type Resource,
  type ResourceRequestInfo,
  requestInfoOf,
  StatusError,
  type Transport,
} from "../../api/index.ts";
import { type Clock, deepEqual, deepFreeze, inFlight, type Random, seededRandom } from "../../base/index.ts";
import {
  type AnswerStyle,
  type BodyStyle,
  complaint,
  listAnswer,
  objectAnswer,
  refusal,
  streamAnswer,
  styleFor,
  wantsProtobuf,
} from "./answers.ts";
import { defaultBehaviour, freshnessLimitMs, type ServerBehaviour } from "./behaviour.ts";
import { listObjects, newTooLarge } from "./list-objects.ts";
import { atRevision, OpenWatch, type WatchEnd } from "./open-watch.ts";
import { readOptionsOf } from "./read-options.ts";
import { startOfWatch } from "./start-watch.ts";
import { Storage } from "./storage.ts";
import { WatchCache } from "./watch-cache.ts";

export interface FakeApiServerOptions {
  readonly clock: Clock;
  readonly resources: readonly Resource[];
  /**
   * The form of response bodies for clients that accept values; "values" unless given. Bytes are JSON, or protobuf for a request that accepts it: then
   * objects should be as a real server stores them, because a field that has no place in protobuf is lost.
   */
  readonly body?: BodyStyle;
  readonly behaviour?: Partial<ServerBehaviour>;
  /** For the timeout of watches without `timeoutSeconds`. */
  readonly random?: Random;
}

/** A request that the server received. */
export interface ReceivedRequest {
  readonly atMs: number;
  readonly verb: string;
  readonly path: string;
  readonly query: ApiRequest["query"];
}

export class FakeApiServer {
  readonly requests: ReceivedRequest[] = [];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #resources: readonly Resource[];
  readonly #body: BodyStyle;
  readonly #cache: WatchCache;
  readonly #storage: Storage;
  readonly #watches = new Set<OpenWatch>();
  #behaviour: ServerBehaviour;

  constructor({ clock, resources, body = "values", behaviour, random = seededRandom(0) }: FakeApiServerOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#resources = resources;
    this.#body = body;
    this.#behaviour = { ...defaultBehaviour, ...behaviour };
    this.#cache = new WatchCache(clock);
    this.#storage = new Storage((change) => {
      this.#cache.take(change);
      this.#cache.forget(change.revision - this.#behaviour.historySize);
    });
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#storage.revision;
  }

  /** The number of watches that their readers have not closed. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Returns the current objects, in the order of their keys. */
  list<T extends KubernetesObject>(resource: Resource<T>): readonly T[] {
    return this.#storage.list(collectionOf(resource)) as readonly T[];
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    return this.#stored(resource, key) as T | undefined;
  }

  /** Throws a StatusError if the server refuses it, as `update` and `delete` do. */
  create<T extends KubernetesObject>(resource: Resource<T>, object: T): T {
    const key = keyOf(object);
    const { name = "" } = object.metadata;
    if (name === "") throw newBadRequest("name must be provided");
    if (this.#stored(resource, key) !== undefined) throw newAlreadyExists(groupResource(resource), name);
    return this.#write(resource, object, (resourceVersion) => ({
      uid: `00000000-0000-4000-8000-${resourceVersion.padStart(12, "0")}`,
      creationTimestamp: printTime(this.#clock.now()),
      resourceVersion,
    }));
  }

  /** If the object has a resourceVersion that is not the stored one, throws a conflict. */
  update<T extends KubernetesObject>(resource: Resource<T>, object: T): T {
    const { name = "", resourceVersion: wanted, uid } = object.metadata;
    const stored = this.#stored(resource, keyOf(object));
    if (stored === undefined) throw newNotFound(groupResource(resource), name);
    const { uid: storedUid = "", creationTimestamp = "", resourceVersion: storedVersion = "" } = stored.metadata;
    if (uid !== undefined && uid !== storedUid) {
      const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${storedUid}`;
      throw newConflict(groupResource(resource), name, { detail });
    }
    if (wanted && wanted !== storedVersion) {
      const detail = "the object has been modified; please apply your changes to the latest version and try again";
      throw newConflict(groupResource(resource), name, { detail });
    }
    const kept = { uid: storedUid, creationTimestamp };
    if (deepEqual(withMetadata(object, { ...kept, resourceVersion: storedVersion }), stored)) return stored as T;
    return this.#write(resource, object, (resourceVersion) => ({ ...kept, resourceVersion }));
  }

  /** Returns the last state of the object, with the resourceVersion of the deletion. */
  delete<T extends KubernetesObject>(resource: Resource<T>, key: string): T {
    const stored = this.#stored(resource, key);
    if (stored === undefined) throw newNotFound(groupResource(resource), key.slice(key.indexOf("/") + 1));
    this.#storage.write(collectionOf(resource), keyOf(stored), () => undefined);
    return atRevision(stored, this.revision) as T;
  }

  behave(behaviour: Partial<ServerBehaviour>): void {
    this.#behaviour = { ...this.#behaviour, ...behaviour };
  }

  /** Deletes the history up to a revision, the last one unless given. Later pages and watches from before it fail with 410. */
  compact(revision: number = this.revision): void {
    this.#storage.compact(revision);
    this.#cache.forget(revision);
  }

  /** The watch cache receives no changes from the storage until `resumeCache`. */
  pauseCache(): void {
    this.#cache.pause();
  }

  resumeCache(): void {
    this.#cache.resume();
  }

  /**
   * Simulates a switch to another API server, whose watch cache is behind by so many writes until
   * `resumeCache`. All watches end with a connection reset.
   */
  moveToServerBehind(writes: number): void {
    this.endWatches("reset");
    this.#cache.fallBack(this.revision - writes);
  }

  endWatches(how: WatchEnd = "end"): void {
    for (const watch of this.#watches) watch.end(how);
  }

  readonly transport: Transport = async (request, signal) => {
    signal.throwIfAborted();
    const info = requestInfoOf(request);
    const { verb, path } = info;
    this.requests.push({ atMs: this.#clock.now(), verb, path, query: request.query });
    const style = await this.#styleFor(request, info);
    try {
      if (!info.isResourceRequest) throw newNotFound({ group: "", resource: "" }, path);
      return await this.#answer(request, info, { style, signal });
    } catch (error) {
      if (error instanceof StatusError) return refusal(error, style);
      throw error;
    }
  };

  async #styleFor(request: ApiRequest, info: RequestInfo): Promise<AnswerStyle> {
    const style = styleFor(request, this.#body);
    const resource = info.isResourceRequest ? this.#resourceOf(info) : undefined;
    if (style === "values" || resource === undefined || !wantsProtobuf(request, resource)) return style;
    return await inFlight(this.#clock, "loading protobuf", loadProtobuf);
  }

  #resourceOf({ group, resource: plural }: ResourceRequestInfo): Resource | undefined {
    return this.#resources.find((known) => known.group === group && known.plural === plural);
  }

  async #answer(request: ApiRequest, info: ResourceRequestInfo, to: Recipient): Promise<ApiResponse> {
    const { group, resource: plural, subresource, namespace, name } = info;
    const resource = this.#resourceOf(info);
    if (resource === undefined || subresource !== "") throw newNotFound({ group, resource: plural }, name);
    const key = objectKeyOf(resource.namespaced ? namespace : "", name);
    switch (info.verb) {
      case "get":
        return objectAnswer(200, await this.#read(resource, key, request, to.signal), to.style);
      case "list": {
        const options = readOptionsOf(request.query, resource.namespaced ? namespace : "");
        const hasCache = this.#behaviour.listsFrom === "cache";
        const sources = { storage: this.#storage, cache: this.#cache, hasCache };
        return listAnswer(resource, await listObjects(collectionOf(resource), options, sources, to.signal), to.style);
      }
      case "watch":
        return await this.#watch(resource, info, request, to);
      case "create":
        return objectAnswer(201, this.create(resource, await readBody(request, resource, namespace)), to.style);
      case "update":
        return objectAnswer(200, this.update(resource, await readBody(request, resource, namespace)), to.style);
      case "delete":
        return objectAnswer(200, this.delete(resource, key), to.style);
      default:
        throw newMethodNotSupported({ group, resource: plural }, info.verb);
    }
  }

  async #read(resource: Resource, key: string, { query }: ApiRequest, signal: AbortSignal): Promise<KubernetesObject> {
    const version = queryValue(query, "resourceVersion") ?? "";
    const wanted = Number(version);
    if (!(await this.#cache.reached(wanted, freshnessLimitMs, signal))) throw newTooLarge(wanted, this.#cache.revision);
    const source = version === "" ? this.#storage : this.#cache;
    const found = source.list(collectionOf(resource)).find((object) => keyOf(object) === key);
    if (found === undefined) throw newNotFound(groupResource(resource), key.slice(key.indexOf("/") + 1));
    return found;
  }

  async #watch(
    resource: Resource,
    info: ResourceRequestInfo,
    { query }: ApiRequest,
    { style, signal }: Recipient,
  ): Promise<ApiResponse> {
    const options = readOptionsOf(query, resource.namespaced ? info.namespace : "");
    const { kind, apiVersion } = resource;
    const target = { collection: collectionOf(resource), kind, apiVersion, matches: options.matches };
    const timeoutMs = 1_800_000 * (1 + this.#random.next());
    const sources = { storage: this.#storage, cache: this.#cache, behaviour: this.#behaviour, timeoutMs };
    try {
      const start = await startOfWatch(target.collection, options, sources, signal);
      const onClosed = () => this.#watches.delete(watch);
      const watch: OpenWatch = new OpenWatch(target, start, { cache: this.#cache, clock: this.#clock, onClosed });
      this.#watches.add(watch);
      watch.open(signal);
      return streamAnswer(watch.read(signal), style, () => watch.close());
    } catch (error) {
      const isTold =
        isTooLargeResourceVersion(error) || (isResourceExpired(error) && this.#behaviour.expiredWatch === "event");
      if (!isTold || !(error instanceof StatusError)) throw error;
      return streamAnswer(complaint(error), style, () => {});
    }
  }

  #stored(resource: Resource, key: string): KubernetesObject | undefined {
    return this.#storage.get(collectionOf(resource), parseObjectKey(key));
  }

  #write<T extends KubernetesObject>(
    resource: Resource,
    object: T,
    identity: (version: string) => metav1.ObjectMeta,
  ): T {
    // The object is copied, because the caller may modify its own object later.
    const make = (version: string) => deepFreeze(copyOf(withMetadata(object, identity(version))));
    return this.#storage.write(collectionOf(resource), keyOf(object), make) as T;
  }
}

/** The form of the response, and the signal that aborts the request. */
interface Recipient {
  readonly style: AnswerStyle;
  readonly signal: AbortSignal;
}

function collectionOf({ group, plural }: Resource): string {
  return group === "" ? plural : `${group}/${plural}`;
}

function groupResource({ group, plural }: Resource): GroupResource {
  return { group, resource: plural };
}

/** Returns a deep copy of plain JSON. It is faster than a copy of arbitrary values. */
function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: Record<string, unknown> = {};
  for (const [name, held] of Object.entries(value)) copy[name] = copyOf(held);
  return copy as T;
}

function withMetadata<T extends KubernetesObject>(object: T, metadata: metav1.ObjectMeta): T {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}

async function readBody({ body }: ApiRequest, resource: Resource, namespace: string): Promise<KubernetesObject> {
  const object = decodeObject(await bodyValue(body), resource);
  if (!resource.namespaced || object.metadata.namespace === namespace) return object;
  if (object.metadata.namespace)
    throw newBadRequest("the namespace of the object does not match the one of the request");
  return withMetadata(object, { namespace });
}

async function bodyValue(body: RequestBody): Promise<unknown> {
  if (body.kind === "none") throw newBadRequest("a body must be provided");
  if (body.kind === "value") return body.value;
  const bytes =
    body.bytes instanceof Uint8Array ? body.bytes : await collectBytes(body.bytes, { maxBytes: 3 * 2 ** 20 });
  return JSON.parse(new TextDecoder().decode(bytes));
}
