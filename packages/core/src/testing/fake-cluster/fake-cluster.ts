// A fake cluster for one test of a controller or of a whole operator: a clock, a server that supports every write, a client, injected faults
// between client and server, and the tasks that run against it. It runs in virtual time, in this process.
//
//   await using cluster = new FakeCluster({ resources: [foos, deployments], objects: [[foos, foo]] });
//   const manager = new Manager({ ...cluster.parts });
//   manager.addController(fooController);
//   cluster.run((signal) => manager.run(signal));
//   await cluster.eventually(() => cluster.get(deployments, "shop/web"));
//
// At the end all tasks are stopped and awaited. An error of a task, and leaks (timers, watches, listeners), fail the test. The resources events
// and leases are always served. Objects are stored as a server stores them: with defaults (fill-defaults.ts) and generations, and a deleted
// object stays until its last finalizer is removed. No other controllers run, not even garbage collection: do their writes with `edit` and
// `delete`.
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
  /** Definitions of custom kinds. Objects of these kinds get the defaults of the schema. */
  readonly crds?: readonly apiextensionsv1.CustomResourceDefinition[];
  /** The initial objects, including their status. */
  readonly objects?: Iterable<readonly [Resource, KubernetesObject]>;
  /** Faults to inject between the client and the server. */
  readonly faults?: readonly FaultRule[];
  readonly clock?: FakeClock;
  /** The log in `parts` also writes to this log; `noLog` unless given, because most failures in a test are intended. */
  readonly log?: Log;
}

export class FakeCluster implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: FakeApiServer;
  /** Its requests are subject to the injected faults. */
  readonly client: Client;
  /** The faults that were injected, oldest first. */
  readonly injected: readonly InjectedFault[];
  /** The successful writes of the client, in order: "create deployments shop/web". Writes of events and leases are left out. */
  readonly writes: string[] = [];
  /** Writes that did not change the object, without duplicates. */
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

  /** The parts that a Manager or an informer factory needs. The log stores warnings and errors for the message of a failed test. */
  get parts(): { readonly client: Client; readonly clock: FakeClock; readonly random: Random; readonly log: Log } {
    return { client: this.client, clock: this.clock, random: this.#random, log: this.#log.log };
  }

  /** The errors that were logged to `parts.log`, as text: controller, key, message and stack. "" if there are none. */
  get failures(): string {
    return this.#log.tellFailures();
  }

  /**
   * Writes that did not change the object, and writes that a controller repeated, with the fields: "patch deployments shop/web:
   * spec.template.spec.containers[0].imagePullPolicy: sent nothing, the server has "Always"". A good controller makes no such writes.
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

  /** The Events, oldest first: "Warning FailedCreate: quota exceeded", followed by the count if it is greater than one. */
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

  /** Changes an object or its status, as another client would. */
  edit<T extends KubernetesObject>(resource: Resource<T>, key: string, change: (object: T) => T): T {
    const before = this.get(resource, key);
    if (before === undefined)
      throw newNotFound({ group: resource.group, resource: resource.plural }, splitKey(key).name);
    const after = this.#fillDefaults(resource, change(before));
    const metadata = { ...after.metadata, ...generationAfter(resource, before, after) };
    const updated = this.server.update(resource, { ...after, metadata });
    return isOver(updated) ? this.server.delete(resource, key) : updated;
  }

  /**
   * Deletes an object as a server does: an object with finalizers gets a deletionTimestamp,
   * and is removed when its last finalizer is removed.
   */
  delete(resource: Resource, object: string | KubernetesObject): void {
    const key = typeof object === "string" ? object : keyOf(object);
    const before = this.get(resource, key);
    if (before === undefined)
      throw newNotFound({ group: resource.group, resource: resource.plural }, splitKey(key).name);
    const after = stateAfterDelete(before, {}, this.clock.now());
    if (isOver(after)) this.server.delete(resource, key);
    else this.server.update(resource, after);
  }

  /** Removes an object immediately, even if it has finalizers. */
  forceDelete(resource: Resource, object: string | KubernetesObject): void {
    this.server.delete(resource, typeof object === "string" ? object : keyOf(object));
  }

  /** From now on no faults are injected. */
  heal(): void {
    this.#isFaulty = false;
  }

  /** Runs a task until the test is over. If the task fails, the next `eventually`, or the end of the test, throws its error. */
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

  /** Stops all tasks and waits for them. Throws if a task failed or if there are leaks. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new KubeloopError("the test is over", { reason: "Stopped", retry: "never" }));
    await this.clock.drive(Promise.all(this.#running));
    await this.clock.settle();
    if (this.#failure !== undefined) throw this.#failure;
    assertNoLeaks({ clock: this.clock, servers: [this.server], signals: [this.#stop.signal] });
  }
}
