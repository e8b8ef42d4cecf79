// A small API server with true resourceVersion semantics, as a Transport in this process: what informers and controllers are
// tested against, in virtual time. get, list, watch, create, update and delete on the resources it is given.
//
//   const server = new FakeApiServer({ clock, resources: [pods] });
//   const client = clientOf(server.transport, { clock });
//
// True as on a real server: one revision for all; a list at "" is the newest, at "0" what the watch cache has (whole,
// whatever the limit), at N not older than N, and a version not reached within 3 s is too large; pages are bound to the
// revision of the first, and gone when that is compacted; a watch misses nothing, or says 410; a write that changes nothing
// keeps the version. The cache can be held back, history dropped, watches ended: each as it happens in real clusters.
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
  type Resource,
  type ResourceRequestInfo,
  requestInfoOf,
  StatusError,
  type Transport,
} from "../../api/index.ts";
import { type Clock, deepEqual, deepFreeze, type Random, seededRandom } from "../../base/index.ts";
import { type BodyStyle, complaint, listAnswer, objectAnswer, refusal, streamAnswer, styleFor } from "./answers.ts";
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
  /** How answers are given to those who take values; values unless given. */
  readonly body?: BodyStyle;
  readonly behaviour?: Partial<ServerBehaviour>;
  /** For the length of watches that do not say. */
  readonly random?: Random;
}

/** A request that came in. */
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

  /** Watches whose readers have not left. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** As they are now, in the order of their keys. */
  list<T extends KubernetesObject>(resource: Resource<T>): readonly T[] {
    return this.#storage.list(collectionOf(resource)) as readonly T[];
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    return this.#stored(resource, key) as T | undefined;
  }

  /** Throws a StatusError, as do `update` and `delete`. */
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

  /** With a version, only if it is the stored one. */
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

  /** The object as it was, under the version of its deletion. */
  delete<T extends KubernetesObject>(resource: Resource<T>, key: string): T {
    const stored = this.#stored(resource, key);
    if (stored === undefined) throw newNotFound(groupResource(resource), key.slice(key.indexOf("/") + 1));
    this.#storage.write(collectionOf(resource), keyOf(stored), () => undefined);
    return atRevision(stored, this.revision) as T;
  }

  behave(behaviour: Partial<ServerBehaviour>): void {
    this.#behaviour = { ...this.#behaviour, ...behaviour };
  }

  /** Forgets what happened up to a revision, the last one unless given: pages and watches from before it are gone. */
  compact(revision: number = this.revision): void {
    this.#storage.compact(revision);
    this.#cache.forget(revision);
  }

  /** The watch cache no longer follows the storage, until `resumeCache`. */
  pauseCache(): void {
    this.#cache.pause();
  }

  resumeCache(): void {
    this.#cache.resume();
  }

  /** Another server answers from now on, whose watch cache is behind by so many writes, until `resumeCache`. Watches break. */
  moveToServerBehind(writes: number): void {
    this.endWatches("reset");
    this.#cache.fallBack(this.revision - writes);
  }

  endWatches(how: WatchEnd = "end"): void {
    for (const watch of this.#watches) watch.end(how);
  }

  readonly transport: Transport = async (request, signal) => {
    signal.throwIfAborted();
    const style = styleFor(request, this.#body);
    const info = requestInfoOf(request);
    const { verb, path } = info;
    this.requests.push({ atMs: this.#clock.now(), verb, path, query: request.query });
    try {
      if (!info.isResourceRequest) throw newNotFound({ group: "", resource: "" }, path);
      return await this.#answer(request, info, { style, signal });
    } catch (error) {
      if (error instanceof StatusError) return refusal(error, style);
      throw error;
    }
  };

  async #answer(request: ApiRequest, info: ResourceRequestInfo, to: Recipient): Promise<ApiResponse> {
    const { group, resource: plural, subresource, namespace, name } = info;
    const resource = this.#resources.find((known) => known.group === group && known.plural === plural);
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
    // What enters is copied: it stays its sender's.
    const make = (version: string) => deepFreeze(copyOf(withMetadata(object, identity(version))));
    return this.#storage.write(collectionOf(resource), keyOf(object), make) as T;
  }
}

/** How, and until when, an answer is given. */
interface Recipient {
  readonly style: BodyStyle;
  readonly signal: AbortSignal;
}

function collectionOf({ group, plural }: Resource): string {
  return group === "" ? plural : `${group}/${plural}`;
}

function groupResource({ group, plural }: Resource): GroupResource {
  return { group, resource: plural };
}

/** A deep one: of plain JSON, which is quicker than for whatever there is. */
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
