// One server under fire, in virtual time, with every admission plugin that is written. It holds the world of admission and the examples first; then each
// request is mutated, sent by one of several users, read and judged by itself.
import { type ApiRequest, type ApiResponse, allResources, collectBytes } from "@kubeloop/core/api";
import { FakeClock, type Log, noLog, seededRandom, toError } from "@kubeloop/core/base";
import { writtenPlugins } from "../../admission/plugins/index.ts";
import { ApiServer } from "../../api-server.ts";
import { collectionOf } from "../../resources/registry/served-resource.ts";
import { MemoryStorage } from "../../storage/index.ts";
import type { Protobuf } from "../../wire/protobuf/index.ts";
import { type AdmissionCounts, readAdmissionCounts } from "./admission-counts.contract.ts";
import { aimedRequest, type Uids } from "./admission-requests.contract.ts";
import { makeWorld, type UserName, userNames, users, worldNamespaces, worldNode } from "./admission-world.contract.ts";
import { faultsOf, type ReadResponse } from "./check-response.contract.ts";
import { Draw } from "./draw.contract.ts";
import { creation, type Example, examples, goodRequest, type Sketch } from "./good-requests.contract.ts";
import { mutateSketch, toRequest } from "./mutate-request.contract.ts";

export interface RoundOptions {
  readonly seed: number;
  readonly protobuf: Protobuf;
  /** Milliseconds of the processor that a request may take. Not asked unless given: tests do not measure time. */
  readonly stallMs?: number | undefined;
}

export interface Outcome {
  readonly request: ApiRequest;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly faults: readonly string[];
  readonly busyMs: number;
}

/** As long as a server may wait for a version that does not come, and then some. */
const answerLimitMs = 10_000;

export class Round implements AsyncDisposable {
  readonly #options: RoundOptions;
  readonly #draw: Draw;
  readonly #clock = new FakeClock();
  readonly #storage = new MemoryStorage();
  readonly #unexpected: string[] = [];
  readonly #prototypes = prototypeKeys();
  readonly #forever = new AbortController().signal;
  #server: ApiServer | undefined;
  #uids: Uids = { node: "", pod: "" };
  #usedMs = 0;

  private constructor(options: RoundOptions) {
    this.#options = options;
    this.#draw = new Draw(seededRandom(options.seed));
  }

  static async open(options: RoundOptions): Promise<Round> {
    const round = new Round(options);
    const random = seededRandom(`server ${options.seed}`);
    const { clock, storage, log } = { clock: round.#clock, storage: round.#storage, log: round.#log() };
    // Everybody who is authenticated gets as far as admission; the anonymous are refused before.
    const choice = { authorization: "always-allow", enableAdmissionPlugins: [...writtenPlugins.keys()] } as const;
    round.#server = await ApiServer.open({ clock, random, storage, log, ...choice });
    await makeWorld(round.#server.transport, round.#forever);
    round.#uids = { node: await round.#uidOf("nodes", worldNode), pod: await round.#uidOf("pods", "default/w-pod") };
    round.#sinceLast();
    return round;
  }

  get #answering(): ApiServer {
    if (this.#server === undefined) throw new Error("the round is not open");
    return this.#server;
  }

  /** What the server says to its operator about requests is a fault of the server. */
  #log(): Log {
    const keep = (message: string, fields: object = {}) => {
      const { error } = fields as { readonly error?: Error };
      this.#unexpected.push(`${message}: ${error?.stack ?? ""}`);
    };
    return { ...noLog, error: keep, with: () => this.#log() };
  }

  /** Sends the next request of this seed. */
  async next(index: number): Promise<Outcome> {
    const example = examples[index];
    const { sketch, user, isHostile } =
      example === undefined
        ? await this.#drawRequest()
        : ({ sketch: creation(example), user: "admin", isHostile: false } as const);
    if (isHostile) mutateSketch(this.#draw, sketch);
    const request = toRequest(this.#draw, sketch, { protobuf: this.#options.protobuf, isHostile });
    const outcome = await this.#judge(request, user);
    const { status } = outcome;
    if (example === undefined || (status >= 200 && status < 300) || status === 409) return outcome;
    return { ...outcome, faults: [...outcome.faults, `a good request was answered with ${status}`] };
  }

  /** A quarter is aimed at admission, and half of that left as it is: a plugin is asked only about what can be read. */
  async #drawRequest(): Promise<{ sketch: Sketch; user: UserName; isHostile: boolean }> {
    const draw = this.#draw;
    if (draw.oneIn(4)) return { ...aimedRequest(draw, this.#uids), isHostile: draw.oneIn(2) };
    const sketch = await goodRequest(draw, (each) => this.#stored(each));
    if (draw.oneIn(6)) {
      sketch.path = sketch.path.replace("/namespaces/default/", `/namespaces/${draw.from(worldNamespaces)}/`);
    }
    return { sketch, user: draw.from(userNames), isHostile: !draw.oneIn(20) };
  }

  async #uidOf(collection: string, key: string): Promise<string> {
    return (await this.#storage.get({ collection, key }))?.metadata.uid ?? "";
  }

  /** What the plugins were asked and refused so far. */
  async admissionCounts(): Promise<AdmissionCounts> {
    const request = { method: "GET", path: "/metrics", query: [], headers: {}, body: { kind: "none" } } as const;
    await using response = await this.#answering.transport({ ...request, prefers: "bytes" }, this.#forever);
    if (response.body.kind !== "bytes") throw new Error("the metrics are no text");
    const text = await collectBytes(response.body.bytes, { maxBytes: 64 * mib });
    return readAdmissionCounts(Buffer.from(text).toString("utf8"));
  }

  async #stored({ resource, name }: Example): Promise<object | undefined> {
    const key = resource.namespaced ? `default/${name}` : name;
    return await this.#storage.get({ collection: collectionOf(resource), key });
  }

  async #judge(request: ApiRequest, user: UserName = "admin"): Promise<Outcome> {
    const revision = this.#storage.log.revision;
    const answered = await this.#send(request, user);
    const busyMs = this.#sinceLast();
    const faults = [...answered.faults, ...this.#unexpected.splice(0)];
    const isRead = ["GET", "HEAD", "OPTIONS", "TRACE"].includes(request.method);
    const now = this.#storage.log.revision;
    if (now < revision) faults.push(`the revision went from ${revision} to ${now}`);
    if (isRead && now !== revision) faults.push(`a ${request.method} raised the revision from ${revision} to ${now}`);
    if (prototypeKeys() !== this.#prototypes) faults.push("a prototype was changed");
    const { stallMs = Number.POSITIVE_INFINITY } = this.#options;
    if (busyMs > stallMs + readingMs(request)) faults.push(`busy for ${busyMs.toFixed(0)} ms`);
    return { request, status: answered.status, faults, busyMs };
  }

  /** Milliseconds of the processor, of making the request too: asking twice would cost more than that. */
  #sinceLast(): number {
    const { user, system } = process.cpuUsage();
    const before = this.#usedMs;
    this.#usedMs = (user + system) / 1000;
    return this.#usedMs - before;
  }

  async #send(request: ApiRequest, user: UserName): Promise<{ status: number; faults: string[] }> {
    try {
      const { protobuf } = this.#options;
      const answering = this.#answering.transportAs(users[user])(request, this.#forever);
      const response = await this.#clock.drive(answering, { limitMs: answerLimitMs });
      const faults = faultsOf(await this.#read(response), protobuf);
      return { status: response.status, faults };
    } catch (error) {
      return { status: 0, faults: [`no answer: ${toError(error).stack ?? ""}`] };
    }
  }

  /** All of it; of a watch what comes at once. */
  async #read(response: ApiResponse): Promise<ReadResponse> {
    await using _response = response;
    const { body } = response;
    switch (body.kind) {
      case "none":
      case "upgraded":
        return { response, bytes: undefined, value: undefined, isStream: false };
      case "value":
        return { response, bytes: undefined, value: body.value, isStream: false };
      case "values": {
        const { isStream } = await this.#collect(body.values, response);
        return { response, bytes: undefined, value: undefined, isStream };
      }
      case "bytes": {
        const { items, isStream } = await this.#collect(body.bytes, response);
        return { response, bytes: Buffer.concat(items), value: undefined, isStream };
      }
    }
  }

  async #collect<T>(stream: AsyncIterable<T>, response: ApiResponse): Promise<{ items: T[]; isStream: boolean }> {
    const iterator = stream[Symbol.asyncIterator]();
    const items: T[] = [];
    for (;;) {
      let isThere = false;
      const next = iterator.next();
      const noted = () => {
        isThere = true;
      };
      next.then(noted, noted);
      await this.#clock.settle();
      if (!isThere) {
        await response[Symbol.asyncDispose]();
        await this.#clock.settle();
        if (!isThere) throw new Error("a stream that was let go has not ended");
        await next.catch(() => {});
        return { items, isStream: true };
      }
      const { done, value } = await next;
      if (done === true)
        return { items, isStream: response.headers["content-type"]?.includes("stream=watch") ?? false };
      items.push(value);
    }
  }

  /** Whether all that is stored is sound: frozen, readable in every form, and nothing left behind. */
  async audit(): Promise<readonly string[]> {
    const faults: string[] = [];
    const leftBehind = this.#clock.pending().filter(({ name }) => name !== "event expiry");
    if (leftBehind.length > 0) faults.push(`timers left behind: ${leftBehind.map(({ name }) => name).join(", ")}`);
    const kinds = new Set(allResources().map((resource) => collectionOf(resource)));
    for (const collection of kinds) {
      const { objects } = await this.#storage.list(collection, {});
      for (const object of objects) {
        if (!isDeeplyFrozen(object)) faults.push(`${collection} ${object.metadata.name} is not frozen`);
      }
    }
    for (const resource of allResources().filter(
      ({ servedByDefault, verbs }) => servedByDefault && verbs.includes("list"),
    )) {
      const { group, version, plural } = resource;
      const path = group === "" ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`;
      for (const accept of ["application/json", "application/vnd.kubernetes.protobuf", table]) {
        const request = {
          method: "GET",
          path,
          query: [],
          headers: { accept },
          body: { kind: "none" },
          prefers: "bytes",
        } as const;
        const { status, faults: found } = await this.#judge(request);
        if (status !== 200 || found.length > 0) faults.push(`${path} as ${accept}: ${status} ${found.join("; ")}`);
      }
    }
    return faults;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** What reading the body may take: YAML is slow to read, and slower the deeper it is. */
function readingMs({ headers, body }: ApiRequest): number {
  const bytes = body.kind === "bytes" && body.bytes instanceof Uint8Array ? body.bytes.length : mib;
  return String(headers["content-type"] ?? "").includes("yaml") ? 3_000 + bytes / 100 : bytes / 1_000;
}

const mib = 1024 * 1024;
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

/** Everything that hangs on what all objects inherit from. */
function prototypeKeys(): string {
  const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Number.prototype];
  return prototypes.map((each) => Reflect.ownKeys(each).length).join(" ");
}
