// Runs a controller against a server, in virtual time. Starts and stops everything that the tests of the controller need.
import type { KubernetesObject, Resource, Transport } from "../../api/index.ts";
import { FakeClock, MetricsRegistry, noLog, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import type { Controller } from "../../contract/index.ts";
import { MetadataSharedInformerFactory, SharedInformerFactory } from "../../informer/index.ts";
import { ControllerDriver, type ControllerDriverOptions } from "../../runtime/index.ts";
import { assertNoLeaks } from "../leak-check.ts";
import { GrownServer } from "./grown-server.fixture.ts";

export interface StageOptions {
  readonly resources: readonly Resource[];
  /** The objects that exist before the controller starts. */
  readonly objects?: Iterable<readonly [Resource, KubernetesObject]>;
  /** The resources that discovery reports; all resources unless given. */
  readonly served?: readonly Resource[];
  readonly driver?: Partial<ControllerDriverOptions>;
  /** Faults between the controller and the server. */
  readonly wrap?: (transport: Transport, clock: FakeClock) => Transport;
  readonly clock?: FakeClock;
}

export class Stage<M> {
  readonly clock: FakeClock;
  readonly server: GrownServer;
  readonly metrics = new MetricsRegistry();
  readonly events: string[] = [];
  readonly driver: ControllerDriver<M>;
  /** The options of the driver, to start another driver in the same process. */
  readonly options: ControllerDriverOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  /** `change` is for tests in which the driver gets other options than the informers. */
  constructor(
    controller: Controller<M>,
    options: StageOptions,
    change: (given: ControllerDriverOptions) => ControllerDriverOptions = (given) => given,
  ) {
    const clock = options.clock ?? new FakeClock();
    this.clock = clock;
    this.server = new GrownServer({ clock, resources: options.resources });
    if (options.served !== undefined) this.server.served = options.served;
    for (const [resource, object] of options.objects ?? []) this.server.server.create(resource, object);
    const transport = options.wrap?.(this.server.transport, clock) ?? this.server.transport;
    const client = clientOf(transport, { clock, log: noLog });
    const informers = new SharedInformerFactory(client, {
      clock,
      freeze: true,
      log: noLog,
      random: seededRandom("informers"),
    });
    const metadata = new MetadataSharedInformerFactory(client, {
      clock,
      freeze: true,
      log: noLog,
      random: seededRandom("metadata"),
    });
    this.options = {
      client,
      informers,
      metadata,
      clock,
      log: noLog,
      freeze: true,
      metrics: this.metrics,
      recordEvent: ({ eventType, reason, message }) => this.events.push(`${eventType} ${reason}: ${message}`),
      ...options.driver,
    };
    this.driver = new ControllerDriver(controller, change(this.options));
    const { signal } = this.#stop;
    this.#running = Promise.all([informers.run(signal), metadata.run(signal), this.driver.run(signal)]);
    this.#running.catch(() => {});
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    return this.server.server.get(resource, key);
  }

  list<T extends KubernetesObject>(resource: Resource<T>): readonly T[] {
    return this.server.server.list(resource);
  }

  /** Changes an object, as another client would. */
  edit<T extends KubernetesObject>(resource: Resource<T>, key: string, change: (object: T) => T): void {
    const stored = this.get(resource, key);
    if (stored === undefined) throw new Error(`${resource.plural} ${key} is not there`);
    this.server.server.update(resource, change(stored));
  }

  async ended(): Promise<void> {
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => {});
    await this.clock.settle();
    assertNoLeaks({ clock: this.clock, servers: [this.server.server], signals: [this.#stop.signal] });
  }
}
