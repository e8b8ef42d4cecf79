// The client of one reconcile: the API's verbs on any resource, with the same types as ResourceClient. All requests end with the reconcile.
// Reads go to the server; use `context.reader` to read the caches.
//
// Every write is executed like an action of a plan: it is refused unless the controller declares it, it gets a deadline and a span, and the
// read-your-writes gate notes it, so that neither the rest of this reconcile nor the next reconcile of this key reads an older state.
//
// Not here: watches, tables, logs of pods, deleting a collection by field selector, and raw requests. Use a `Client` for these. The gate does
// not know the writes of a `Client`, so the next reconcile may not see them yet.
import {
  type KubernetesObject,
  type metav1,
  objectKeyOf,
  type Resource,
  type SubresourceTypes,
} from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import type {
  Applied,
  ApplyOptions,
  CreateAnswer,
  DeleteOptions,
  SubresourceBody,
  WriteOptions,
} from "../../client/index.ts";
import type {
  LiveList,
  LiveListOptions,
  PatchBody,
  Preconditions,
  ProcedureContext,
} from "../../contract/for-drivers.ts";
import {
  type Action,
  apply,
  create,
  createSubresource,
  liveGet,
  liveGetSubresource,
  liveList,
  patch,
  remove,
  removeCollection,
  update,
} from "../../contract/index.ts";

export interface ReconcileClientOptions {
  /** The field manager of applies that do not name one. */
  readonly fieldManager: string;
}

export interface PatchOptions extends WriteOptions {
  /** The server answers with a conflict unless these still hold. */
  readonly preconditions?: Preconditions;
}

export class ReconcileClient {
  readonly #context: ProcedureContext;
  readonly #options: ReconcileClientOptions;

  constructor(context: ProcedureContext, options: ReconcileClientOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Returns a client for a resource. Names are `namespace/name`, or plain names after `in`. */
  resource<T extends KubernetesObject, S extends SubresourceTypes>(
    resource: Resource<T, S>,
  ): ReconcileResourceClient<T, S> {
    return new ReconcileResourceClient<T, S>(resource, this.#context, this.#options);
  }
}

interface Place {
  readonly resource: Resource;
  readonly context: ProcedureContext;
  readonly fieldManager: string;
  keyOf(name: string): string;
}

export class ReconcileResourceClient<T extends KubernetesObject, S extends SubresourceTypes = SubresourceTypes> {
  readonly resource: Resource<T, S>;
  readonly #context: ProcedureContext;
  readonly #options: ReconcileClientOptions;
  readonly #namespace: string | undefined;

  constructor(
    resource: Resource<T, S>,
    context: ProcedureContext,
    options: ReconcileClientOptions,
    namespace?: string,
  ) {
    this.resource = resource;
    this.#context = context;
    this.#options = options;
    this.#namespace = namespace;
  }

  /** Returns a client for the same resource in one namespace. */
  in(namespace: string): ReconcileResourceClient<T, S> {
    return new ReconcileResourceClient<T, S>(this.resource, this.#context, this.#options, namespace);
  }

  /** Returns the object from the server; undefined if it does not exist. */
  get(name: string): Promise<T | undefined> {
    return handled(() => this.#context.answer(liveGet<T>(this.resource, this.#keyOf(name))));
  }

  /** Returns all objects from the server, at one resourceVersion. */
  list(options: Omit<LiveListOptions, "namespace"> = {}): Promise<LiveList<T>> {
    const where = this.#namespace === undefined ? {} : { namespace: this.#namespace };
    return handled(() => this.#context.answer(liveList<T>(this.resource, { ...options, ...where })));
  }

  create(object: T, options?: WriteOptions): Promise<T> {
    return this.#write(() => create<T>(this.resource, this.#placed(object), { options }));
  }

  /** Replaces the whole object. With `metadata.resourceVersion`, the server answers with a conflict if it has changed since. Prefer patches. */
  update(object: T, options?: WriteOptions): Promise<T> {
    return this.#write(() => update<T>(this.resource, this.#placed(object), { options }));
  }

  updateStatus(object: T, options?: WriteOptions): Promise<T> {
    return this.#write(() => update<T>(this.resource, this.#placed(object), { options, subresource: "status" }));
  }

  patch(name: string, body: PatchBody, options: PatchOptions = {}): Promise<T> {
    const { preconditions = {}, ...rest } = options;
    return this.#write(() => patch<T>(this.resource, this.#keyOf(name), body, { preconditions, options: rest }));
  }

  patchStatus(name: string, body: PatchBody, options: PatchOptions = {}): Promise<T> {
    const { preconditions = {}, ...rest } = options;
    const more = { preconditions, options: rest, subresource: "status" };
    return this.#write(() => patch<T>(this.resource, this.#keyOf(name), body, more));
  }

  /** Server-side apply, with the controller's name as field manager. It takes fields over from other managers, unless the options say otherwise. */
  apply(object: Applied<T>, options: ApplyOptions = {}): Promise<T> {
    return this.#write(() => apply<T>(this.resource, this.#placed(object), applyMore(options, this.#options)));
  }

  applyStatus(object: Applied<T>, options: ApplyOptions = {}): Promise<T> {
    const more = { ...applyMore(options, this.#options), subresource: "status" };
    return this.#write(() => apply<T>(this.resource, this.#placed(object), more));
  }

  /** Returns the object if the server answers with it, as for an object that is terminating; a Status otherwise. */
  delete(name: string, options: DeleteOptions = {}): Promise<T | metav1.Status> {
    return handled(
      async () => required(await this.#context.perform(remove(this.resource, this.#keyOf(name), options))) as T,
    );
  }

  /** Deletes the objects that the label selector matches, in the client's namespace if it has one; all objects without a selector. */
  deleteCollection(
    options: Omit<DeleteOptions, "preconditions"> & { readonly labelSelector?: string } = {},
  ): Promise<void> {
    const where = this.#namespace === undefined ? {} : { namespace: this.#namespace };
    return handled(async () => {
      await this.#context.perform(removeCollection(this.resource, { ...options, ...where }));
    });
  }

  subresource<Name extends keyof S & string>(
    name: Name,
  ): ReconcileSubresourceClient<S[Name], CreateAnswer<Name, S[Name]>> {
    const { resource } = this;
    const { fieldManager } = this.#options;
    const place = { resource, context: this.#context, fieldManager, keyOf: (object: string) => this.#keyOf(object) };
    return new ReconcileSubresourceClient(place, name);
  }

  #write(newAction: () => Action<T>): Promise<T> {
    return handled(async () => required(await this.#context.perform(newAction())));
  }

  #keyOf(name: string): string {
    if (name.includes("/") || !this.resource.namespaced) return name;
    if (this.#namespace !== undefined) return objectKeyOf(this.#namespace, name);
    throw invalid(
      `${this.resource.singular} "${name}" needs a namespace: call in(namespace) first, or pass "namespace/name"`,
    );
  }

  /** Sets the client's namespace on the object. Throws if the object has another namespace. */
  #placed<O extends { readonly metadata: KubernetesObject["metadata"] }>(object: O): O {
    if (!this.resource.namespaced || this.#namespace === undefined) return object;
    const namespace = object.metadata.namespace || this.#namespace;
    if (namespace === this.#namespace) return { ...object, metadata: { ...object.metadata, namespace } };
    throw invalid(`the object is in namespace "${namespace}", this client in "${this.#namespace}"`);
  }
}

/** The verbs on one subresource of named objects, for example scale, eviction or token. */
export class ReconcileSubresourceClient<T extends KubernetesObject, Created = T> {
  readonly #place: Place;
  readonly #name: string;

  constructor(place: Place, name: string) {
    this.#place = place;
    this.#name = name;
  }

  /** Returns the subresource from the server; undefined if the object does not exist. */
  get(name: string): Promise<T | undefined> {
    const { resource, context, keyOf } = this.#place;
    return handled(async () => (await context.answer(liveGetSubresource(resource, keyOf(name), this.#name))) as T);
  }

  create(name: string, body: SubresourceBody<T>, options?: WriteOptions): Promise<Created> {
    const { resource, keyOf } = this.#place;
    return this.#write(() => createSubresource(resource, keyOf(name), this.#name, { body, options }));
  }

  /** The body's name and namespace are filled in. */
  update(name: string, body: SubresourceBody<T>, options?: WriteOptions): Promise<T> {
    const { resource } = this.#place;
    return this.#write(() => update(resource, this.#placed(name, body), { subresource: this.#name, options }));
  }

  patch(name: string, body: PatchBody, options: PatchOptions = {}): Promise<T> {
    const { resource, keyOf } = this.#place;
    const { preconditions = {}, ...rest } = options;
    const more = { preconditions, options: rest, subresource: this.#name };
    return this.#write(() => patch(resource, keyOf(name), body, more));
  }

  apply(name: string, body: object, options: ApplyOptions = {}): Promise<T> {
    const { resource } = this.#place;
    const more = { ...applyMore(options, this.#place), subresource: this.#name };
    return this.#write(() => apply(resource, this.#placed(name, body), more));
  }

  #placed(name: string, body: object): KubernetesObject & { readonly metadata: { readonly name: string } } {
    const [first = "", second] = this.#place.keyOf(name).split("/");
    const place = second === undefined ? { name: first } : { namespace: first, name: second };
    const { metadata } = body as { readonly metadata?: object };
    return { ...body, metadata: { ...metadata, ...place } } as KubernetesObject & { metadata: { name: string } };
  }

  #write<R>(newAction: () => Action): Promise<R> {
    return handled(async () => required(await this.#place.context.perform(newAction())) as R);
  }
}

function applyMore({ force = true, fieldManager, ...options }: ApplyOptions, own: ReconcileClientOptions) {
  return { force, fieldManager: fieldManager ?? own.fieldManager, options };
}

/** A request that is not awaited must not end the process as an unhandled rejection: `runProcedure` reports its failure instead. */
function handled<R>(work: () => Promise<R>): Promise<R> {
  const promise = (async () => await work())();
  promise.catch(() => {});
  return promise;
}

function required<R>(answer: R | undefined): R {
  if (answer === undefined) throw new KubeloopError("the server answered nothing", { reason: "Decode" });
  return answer;
}

function invalid(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
