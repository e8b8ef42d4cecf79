// A cluster for one test of a controller or a whole operator: a clock, a server that takes every write, a client, faults between the two,
// and what runs against it. In virtual time, in this process.
//
//   await using cluster = new FakeCluster({ resources: [foos, deployments], objects: [[foos, foo]] });
//   const manager = new Manager({ ...cluster.parts });
//   manager.addController(fooController);
//   cluster.run((signal) => manager.run(signal));
//   await cluster.eventually(() => cluster.get(deployments, "shop/web"));
//
// At the end everything that runs is stopped and waited for; what it threw, and what it left behind (timers, watches, listeners), fails the
// test. Events and leases are there without being named. Objects are stored as a server stores them: with defaults (fill-defaults.ts), with
// generations, and, when they are deleted, until their last finalizer is gone. Nothing is there that a cluster does by itself: no garbage
// collection, no other controllers; play their part with `edit` and `delete`.
import { events, leases } from "../../api/generated/resources.ts";
import {
  type apiextensionsv1,
  type FaultRule,
  type InjectedFault,
  type KubernetesObject,
  keyOf,
  newNotFound,
  type Resource,
  splitKey,
} from "../../api/index.ts";
import {
  FakeClock,
  isAborted,
  KubeloopError,
  type Log,
  noLog,
  type Random,
  seededRandom,
  toError,
} from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import { findDifferences } from "../../contract/for-drivers.ts";
import { type EventuallyOptions, eventually, type Something } from "../eventually.ts";
import { FakeApiServer } from "../fake-server/index.ts";
import { faultyClient } from "../faulty-transport.ts";
import { assertNoLeaks } from "../leak-check.ts";
import { ClusterLog } from "./cluster-log.ts";
import { type FillDefaults, newFillDefaults } from "./fill-defaults.ts";
import { generationAfter, isOver, stateAfterCreate, stateAfterDelete } from "./stored-state.ts";
import { withWrites } from "./write-transport.ts";

export interface FakeClusterOptions {
  readonly resources: readonly Resource[];
  /** Definitions of custom kinds: objects of these get the defaults of their schema. */
  readonly crds?: readonly apiextensionsv1.CustomResourceDefinition[];
  /** What is there from the start, status included. */
  readonly objects?: Iterable<readonly [Resource, KubernetesObject]>;
  /** Between the client and the server. */
  readonly faults?: readonly FaultRule[];
  readonly clock?: FakeClock;
  /** What `parts` logs to. `noLog` unless given: most of what goes wrong in a test is meant to. */
  readonly log?: Log;
}

export class FakeCluster implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: FakeApiServer;
  /** Passes through the faults. */
  readonly client: Client;
  /** What went wrong on purpose, oldest first. */
  readonly injected: readonly InjectedFault[];
  /** What was written over the wire and not refused, in order: "create deployments shop/web". Events and leases are left out. */
  readonly writes: string[] = [];
  /** Writes that left the object as it was, each once. */
  readonly #vain: string[] = [];
  readonly #log: ClusterLog;
  readonly #fillDefaults: FillDefaults;
  readonly #random: Random = seededRandom("cluster");
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #failure: Error | undefined;
  #isFaulty = true;

  constructor(options: FakeClusterOptions) {
    const { clock = new FakeClock(), log = noLog, faults = [], objects = [] } = options;
    const resources = [...new Set([...options.resources, events, leases])];
    this.clock = clock;
    this.#log = new ClusterLog(log);
    this.server = new FakeApiServer({ clock, resources });
    this.#fillDefaults = newFillDefaults(options.crds);
    const transport = withWrites(this.server, {
      clock,
      resources,
      fillDefaults: this.#fillDefaults,
      onVain: (write, sent, stored) => this.#noteVain(write, sent, stored),
      onWrite: (write) => {
        if (!/^\w+ (?:events|leases)\b/.test(write)) this.writes.push(write);
      },
    });
    const { client, injected } = faultyClient(transport, faults, { clock, isActive: () => this.#isFaulty });
    this.client = client;
    this.injected = injected;
    for (const [resource, object] of objects) this.server.create(resource, this.#fillDefaults(resource, object));
  }

  /** What a Manager, or an informer factory, wants. The log keeps what fails, for the message of a test that fails. */
  get parts(): { readonly client: Client; readonly clock: FakeClock; readonly random: Random; readonly log: Log } {
    return { client: this.client, clock: this.clock, random: this.#random, log: this.#log.log };
  }

  /** What failed in whatever was given `parts.log`, in words: controller, key, message and stack; "" if nothing did. */
  get failures(): string {
    return this.#log.tellFailures();
  }

  /**
   * Writes that left an object as it was, and writes that a controller repeated, with the fields: "patch deployments shop/web:
   * spec.template.spec.containers[0].imagePullPolicy: sent nothing, the server has "Always"". A good controller makes none.
   */
  get repeatedWrites(): readonly string[] {
    const repeated = this.#log.entries.filter(({ fields }) => "cause" in fields && "times" in fields);
    return [
      ...this.#vain,
      ...repeated.map(
        ({ fields: { resource, object, fields } }) =>
          `again and again ${String(resource)} ${String(object)}: ${(fields as readonly string[]).join("; ")}`,
      ),
    ];
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    return this.server.get(resource, key);
  }

  list<T extends KubernetesObject>(resource: Resource<T>): readonly T[] {
    return this.server.list(resource);
  }

  /** What people were told, oldest first: "Warning FailedCreate: quota exceeded"; a count follows if it was more than once. */
  get events(): readonly string[] {
    return this.list(events)
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ type, reason, message, count = 1 }) => `${type} ${reason}: ${message}${count > 1 ? ` (${count}×)` : ""}`);
  }

  create<T extends KubernetesObject>(resource: Resource<T>, object: T): T {
    const filled = this.#fillDefaults(resource, object);
    const { metadata } = stateAfterCreate(resource, filled);
    return this.server.create(resource, { ...filled, metadata: { ...metadata, ...object.metadata } });
  }

  /** Changes an object, or its status, as somebody else would. */
  edit<T extends KubernetesObject>(resource: Resource<T>, key: string, change: (object: T) => T): T {
    const before = this.get(resource, key);
    if (before === undefined)
      throw newNotFound({ group: resource.group, resource: resource.plural }, splitKey(key).name);
    const after = this.#fillDefaults(resource, change(before));
    const metadata = { ...after.metadata, ...generationAfter(resource, before, after) };
    const updated = this.server.update(resource, { ...after, metadata });
    return isOver(updated) ? this.server.delete(resource, key) : updated;
  }

  /** As a server does: an object with finalizers is marked, and goes when the last of them is removed. */
  delete(resource: Resource, object: string | KubernetesObject): void {
    const key = typeof object === "string" ? object : keyOf(object);
    const before = this.get(resource, key);
    if (before === undefined)
      throw newNotFound({ group: resource.group, resource: resource.plural }, splitKey(key).name);
    const after = stateAfterDelete(before, {}, this.clock.now());
    if (isOver(after)) this.server.delete(resource, key);
    else this.server.update(resource, after);
  }

  /** At once, whatever its finalizers. */
  forceDelete(resource: Resource, object: string | KubernetesObject): void {
    this.server.delete(resource, typeof object === "string" ? object : keyOf(object));
  }

  /** From now on nothing goes wrong any more. */
  heal(): void {
    this.#isFaulty = false;
  }

  /** Until the test is over. A failure ends the test at its next `eventually`, or at its end. */
  run(task: (signal: AbortSignal) => Promise<unknown>): void {
    const { signal } = this.#stop;
    this.#running.push(
      task(signal).then(
        () => {},
        (error: unknown) => {
          if (!isAborted(error, signal)) this.#failure ??= toError(error);
        },
      ),
    );
  }

  async eventually<T>(
    look: () => T | Promise<T>,
    options: EventuallyOptions<T> & { readonly until: (seen: T) => boolean },
  ): Promise<T>;
  async eventually<T>(look: () => T | Promise<T>, options?: Omit<EventuallyOptions<T>, "until">): Promise<Something<T>>;
  async eventually<T>(look: () => T | Promise<T>, options: EventuallyOptions<T> = {}): Promise<T> {
    const { until = Boolean, ...rest } = options;
    const hasEnded = () => this.#failure !== undefined;
    const tell = () => `${this.#tellRepeated()}${this.failures}`;
    const seen = await eventually(this.clock, look, { tell, ...rest, until: (each) => hasEnded() || until(each) });
    if (this.#failure !== undefined) throw this.#failure;
    return seen;
  }

  #noteVain(write: string, sent: unknown, stored: object): void {
    const differences = findDifferences(sent, stored, write.startsWith("update"));
    const line = `${write}: ${differences.length === 0 ? "what it sends is there already" : differences.join("; ")}`;
    if (!this.#vain.includes(line)) this.#vain.push(line);
  }

  #tellRepeated(): string {
    const { repeatedWrites } = this;
    if (repeatedWrites.length === 0) return "";
    return `\nWritten without effect:${repeatedWrites
      .slice(0, 3)
      .map((each) => `\n  ${each}`)
      .join("")}`;
  }

  /** Stops everything, waits for it, and complains about what failed or was left behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new KubeloopError("the test is over", { reason: "Stopped", retry: "never" }));
    await this.clock.drive(Promise.all(this.#running));
    await this.clock.settle();
    if (this.#failure !== undefined) throw this.#failure;
    assertNoLeaks({ clock: this.clock, servers: [this.server], signals: [this.#stop.signal] });
  }
}
