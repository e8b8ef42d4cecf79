// Runs a controller against the server of a simulation. Starts and stops informers, driver and metrics.
import { pods, replicaSets } from "../../api/generated/resources.ts";
import { controllerOf, isNotFound, type Transport } from "../../api/index.ts";
import { type FakeClock, MetricsRegistry, noLog, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import type { Controller } from "../../contract/index.ts";
import { MetadataSharedInformerFactory, SharedInformerFactory } from "../../informer/index.ts";
import { ControllerDriver, type ControllerDriverOptions } from "../../runtime/index.ts";
import { assertNoLeaks } from "../leak-check.ts";
import type { SimulatedServer } from "../simulation/simulated-server.fixture.ts";

export interface SimulatedStageOptions {
  readonly clock: FakeClock;
  readonly server: SimulatedServer;
  /** The transport of the server, with faults. */
  readonly transport: Transport;
  readonly driver: Partial<ControllerDriverOptions>;
}

export class SimulatedStage implements AsyncDisposable {
  readonly server: SimulatedServer;
  readonly metrics = new MetricsRegistry();
  readonly #clock: FakeClock;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  /** Starts the informers and the driver. */
  constructor(controller: Controller, { clock, server, transport, driver }: SimulatedStageOptions) {
    this.server = server;
    this.#clock = clock;
    // A timeout is set, because a list that is never answered waits for the timeout of the client.
    const client = clientOf(transport, { clock, timeoutMs: 60_000, log: noLog });
    const common = { clock, freeze: true, log: noLog } as const;
    const informers = new SharedInformerFactory(client, { ...common, random: seededRandom("informers") });
    const metadata = new MetadataSharedInformerFactory(client, { ...common, random: seededRandom("metadata") });
    const { metrics } = this;
    const running = new ControllerDriver(controller, { client, informers, metadata, ...common, metrics, ...driver });
    const { signal } = this.#stop;
    this.#running = Promise.all([informers.run(signal), metadata.run(signal), running.run(signal)]);
    this.#running.catch(() => {});
  }

  childrenOf(uid: string): number {
    return this.server.list(pods).filter((pod) => controllerOf(pod)?.uid === uid).length;
  }

  /** Deletes the children of sets that do not exist any more, so that their names are free again. */
  async collectGarbage(): Promise<void> {
    const uids = new Set(this.server.list(replicaSets).map(({ metadata }) => metadata.uid));
    for (const pod of this.server.list(pods)) {
      if (!uids.has(controllerOf(pod)?.uid)) await this.kill(pod.metadata.name);
    }
  }

  /** Deletes a pod, as another client would. The controller may have deleted it already. */
  async kill(name = ""): Promise<void> {
    try {
      await this.server.delete(pods, `shop/${name}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => {});
    await this.#clock.settle();
    const { openWatches } = this.server;
    await this.server[Symbol.asyncDispose]();
    await this.#clock.settle();
    assertNoLeaks({ clock: this.#clock, servers: [{ openWatches }], signals: [this.#stop.signal] });
  }
}
