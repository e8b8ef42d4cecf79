// A whole control plane for one test, in this process: API server, controller manager, scheduler and hollow nodes. `startCluster` makes one.
//
//   await using cluster = await startCluster({ nodes: 3, clock: "virtual" });
//   await cluster.client.resource(deployments).in("default").create(web, cluster.signal);
//   await cluster.settled();
//
// Promises
// - Clusters share nothing: any number of them run side by side in a process.
// - Virtual time moves only inside `settled`, `eventually`, `advance` and the like; the same seed and the same calls give the same run.
// - At the end everything that runs is stopped and waited for; what failed meanwhile is thrown there, and before that by the next call that waits.
import {
  ApiServer,
  type ApiServerOptions,
  type Listening,
  type ListenOptions,
  type StorageSnapshot,
} from "@kubeloop/apiserver";
import { type FaultRule, type InjectedFault, withFaults } from "@kubeloop/core/api";
import {
  type Clock,
  childSignal,
  isAborted,
  KubeloopError,
  type Log,
  noLog,
  type Random,
  TaskScope,
  toError,
} from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import { DeliveryGate, type SharedInformerFactory } from "@kubeloop/core/informer";
import type { EventuallyOptions, Something } from "@kubeloop/core/testing";
import type { HollowNodes } from "@kubeloop/nodes";
import type { ClusterClock } from "./cluster-clock.ts";
import { ControlPlane } from "./control-plane.ts";
import { kubeconfigTextFor } from "./kubeconfig-for.ts";
import { LateConnector } from "./late-connector.ts";
import { chooseOrdinary } from "./ordinary-changes.ts";

export interface ClusterSettings {
  /** How many hollow nodes: node-1 and so on. */
  readonly nodes: number;
  readonly speed: number;
  /** kube-controller-manager's flags; false runs no controllers. */
  readonly controllerManager: readonly string[] | false;
  readonly scheduler: boolean;
  /** Into the requests of controllers, scheduler and nodes from when they have started, not into those of `client`. */
  readonly faults: readonly FaultRule[];
  readonly log: Log;
  readonly server: Pick<
    ApiServerOptions,
    "enableAdmissionPlugins" | "disableAdmissionPlugins" | "authorization" | "inflight"
  >;
}

/** What a cluster is made of, besides its settings. */
export interface ClusterGround {
  readonly time: ClusterClock;
  readonly random: Random & { fork(name: string): Random };
  /** The ground of a fork that begins now. */
  forked(): ClusterGround;
}

/** A state of all objects, to come back to. */
export interface ClusterSnapshot {
  readonly storage: StorageSnapshot;
}

export interface SettledOptions {
  /** In the cluster's time: an hour of virtual time, a minute of real time, unless given. */
  readonly withinMs?: number;
}

/** What a Manager or an informer factory needs to run beside the cluster's own parts. */
export interface ClusterParts<C extends Clock = Clock> {
  readonly client: Client;
  readonly clock: C;
  readonly random: Random;
  readonly log: Log;
  /** Closed while `restore` or `reset` deletes objects: no handler is called before all caches have all of it. */
  readonly deliveryGate: DeliveryGate;
}

/** A cluster that answers on a port. */
export interface ClusterListening {
  readonly url: string;
  readonly port: number;
  /** The text of a kubeconfig of an administrator. */
  readonly kubeconfig: string;
}

export class Cluster<C extends Clock = Clock> implements AsyncDisposable {
  /** Of an administrator, without faults. */
  readonly client: Client;
  readonly server: ApiServer;
  /** Aborts at the end of the cluster. */
  readonly signal: AbortSignal;
  readonly #settings: ClusterSettings;
  readonly #ground: ClusterGround;
  readonly #scope: TaskScope;
  readonly #connector: LateConnector;
  /** Of the handlers of all parts, and of those of an operator that runs beside them. */
  readonly #deliveryGate = new DeliveryGate();
  readonly #partsTransport: ReturnType<typeof withFaults>;
  #isHealed = false;
  /** Faults begin when all parts have started: one that cannot start at all ends, as upstream's do. */
  #isStarting = true;
  #parts: PartsState | undefined;
  #first: ClusterSnapshot | undefined;
  #listening: Promise<Listening> | undefined;
  #failure: Error | undefined;

  private constructor(server: ApiServer, connector: LateConnector, settings: ClusterSettings, ground: ClusterGround) {
    this.server = server;
    this.#connector = connector;
    this.#settings = settings;
    this.#ground = ground;
    this.#scope = new TaskScope(new AbortController().signal);
    this.signal = this.#scope.signal;
    const { clock } = ground.time;
    this.client = clientOf(server.transport, { clock, log: noLog });
    const random = ground.random.fork("faults");
    const isActive = () => !this.#isHealed && !this.#isStarting;
    this.#partsTransport = withFaults(server.transport, settings.faults, { clock, random, isActive });
  }

  /** Ready when this resolves: pods that are created run. */
  static async open<C extends Clock>(settings: ClusterSettings, ground: ClusterGround): Promise<Cluster<C>> {
    const connector = new LateConnector();
    const server = await ApiServer.open(serverOptions(settings, ground, connector));
    const cluster = new Cluster<C>(server, connector, settings, ground);
    await cluster.#begin();
    return cluster;
  }

  async #begin(): Promise<void> {
    try {
      this.#runPlane(await this.#makePlane());
      await this.#wait(this.#plane.whenReady(this.signal));
      await this.settled();
      this.#isStarting = false;
      this.#first = this.snapshot();
    } catch (error) {
      await Promise.allSettled([this[Symbol.asyncDispose]()]);
      throw error;
    }
  }

  /**
   * The parts start with a timer of work that is due at once: in real time when the caller next gives way, in virtual time when somebody first waits. Until
   * then the objects are the original's to the letter. What the parts find when they start is what they would find after a restart.
   */
  async #beginLater(): Promise<void> {
    this.#isStarting = false;
    this.#first = this.snapshot();
    try {
      const plane = await this.#makePlane();
      const clock = this.clock.labelled({ kind: "work", name: "the start of a fork's parts" });
      this.#parts = { are: "made", plane, start: clock.after(0, () => this.#runPlane(plane)) };
    } catch (error) {
      await Promise.allSettled([this[Symbol.asyncDispose]()]);
      throw error;
    }
  }

  get clock(): C {
    return this.#ground.time.clock as C;
  }

  /** What a Manager or an informer factory of one's own needs. */
  get parts(): ClusterParts<C> {
    const { client, clock } = this;
    const random = this.#ground.random.fork("parts");
    return { client, clock, random, log: this.#settings.log, deliveryGate: this.#deliveryGate };
  }

  /** The caches that controllers, scheduler and nodes share. After a restore or a reset they may be new ones. */
  get informers(): SharedInformerFactory {
    return this.#plane.informers.objects;
  }

  /** To cut nodes off, and to make them not ready. Throws if the cluster has none. */
  get nodes(): HollowNodes {
    const { nodes } = this.#plane;
    if (nodes === undefined)
      throw new KubeloopError("this cluster has no nodes", { reason: "Invalid", retry: "never" });
    return nodes;
  }

  /** The faults that were injected so far, oldest first. */
  get injected(): readonly InjectedFault[] {
    return this.#partsTransport.injected;
  }

  /** From now on no faults are injected. */
  heal(): void {
    this.#isHealed = true;
  }

  /** Runs a task, for instance a Manager of one's own, until the cluster ends. If it fails, the next call that waits throws its error. */
  run(task: (signal: AbortSignal) => Promise<unknown>): void {
    void this.#scope.spawn(async (signal) => {
      try {
        await task(signal);
      } catch (error) {
        if (!isAborted(error, signal)) this.#failure ??= toError(error);
      }
    });
  }

  /**
   * Resolves when nothing is under way: no request in flight, queues and retries empty, every cache up to date, and only background timers (heartbeats,
   * resyncs) left. What runs through `run` with the cluster's clock counts, too. Throws if that takes too long, and says what is left.
   */
  async settled({ withinMs }: SettledOptions = {}): Promise<void> {
    const { time } = this.#ground;
    await this.#race(time.settle(withinMs ?? time.patienceMs, this.signal));
  }

  /** Waits until what `look` returns is something, or is what `until` accepts; at most a minute of the cluster's time unless told otherwise. */
  async eventually<T>(
    look: () => T | Promise<T>,
    options: EventuallyOptions<T> & { readonly until: (seen: T) => boolean },
  ): Promise<T>;
  async eventually<T>(look: () => T | Promise<T>, options?: Omit<EventuallyOptions<T>, "until">): Promise<Something<T>>;
  async eventually<T>(look: () => T | Promise<T>, options: EventuallyOptions<T> = {}): Promise<T> {
    return await this.#race(this.#ground.time.eventually(look, options, this.signal));
  }

  /** All objects as they are now. */
  snapshot(): ClusterSnapshot {
    return { storage: this.server.snapshot() };
  }

  /**
   * Back to then. Time goes on. Where the cluster had settled and only objects have to go that were created since, they are deleted at once, in
   * milliseconds, and controllers and watches go on. Otherwise controllers, scheduler and nodes start anew and find what they would have found, and
   * watches of others end. Either way the nodes have forgotten what a test has told them, and the images that they have pulled.
   */
  async restore({ storage }: ClusterSnapshot): Promise<void> {
    // The parts of a fork that have not started have seen nothing that could be taken back.
    if (this.#parts?.are === "made") return await this.server.restore(storage);
    this.#isStarting = true;
    try {
      if (!(await this.#isReverted(storage))) await this.#startAnewAt(storage);
      await this.settled();
    } finally {
      this.#isStarting = false;
    }
  }

  /** A snapshot that is refused, because it is another cluster's, changes nothing: the parts start on what there is. */
  async #startAnewAt(storage: StorageSnapshot): Promise<void> {
    await this.#stopPlane();
    try {
      await this.server.restore(storage);
    } finally {
      this.#runPlane(await this.#makePlane());
    }
  }

  /** Controllers that run on may be at work on nothing, or they would finish it on objects of another time. */
  async #isReverted(storage: StorageSnapshot): Promise<boolean> {
    if (this.#failure !== undefined || !(await this.#ground.time.isIdle())) return false;
    const { nodes } = this.#plane;
    // Handlers are called when every cache is as it will be: a controller that saw some of the deletions only would make up for them.
    using _closed = this.#deliveryGate.close();
    if (!(await this.server.revert(storage, chooseOrdinary))) return false;
    await this.settled();
    nodes?.forget();
    return true;
  }

  /** Back to what there was when the cluster was ready: for the next test. */
  async reset(): Promise<void> {
    if (this.#first !== undefined) await this.restore(this.#first);
  }

  /**
   * Another cluster with the same objects and settings, in a few milliseconds. What happens to one does not happen to the other. It is the caller's to
   * dispose of. Its controllers, scheduler and nodes start when somebody first waits for something, or when real time goes on. With faults they have
   * started and settled when this resolves, because faults begin then.
   */
  async fork(): Promise<Cluster<C>> {
    const ground = this.#ground.forked();
    const connector = new LateConnector();
    const server = await this.server.fork(serverOptions(this.#settings, ground, connector));
    const cluster = new Cluster<C>(server, connector, this.#settings, ground);
    await (this.#settings.faults.length > 0 ? cluster.#begin() : cluster.#beginLater());
    return cluster;
  }

  /** On a port of this machine, for programs outside: kubectl, or an operator in another language. In real time only. */
  async listen(options: Pick<ListenOptions, "port"> = {}): Promise<ClusterListening> {
    if (!this.#ground.time.isReal)
      throw new KubeloopError('a cluster in virtual time cannot listen: start it with clock: "real"', {
        reason: "Invalid",
        retry: "never",
      });
    this.#listening ??= this.server.listen({ port: 0, ...options });
    const listening = await this.#listening;
    return { url: listening.url, port: listening.port, kubeconfig: await kubeconfigTextFor(listening) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#scope.abort(new KubeloopError("the cluster has ended", { reason: "Stopped", retry: "never" }));
    if (this.#parts?.are === "made") this.#parts.start[Symbol.dispose]();
    await this.#ground.time.waitFor(this.#scope.join());
    await this.server[Symbol.asyncDispose]();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Nothing of it runs yet. */
  async #makePlane(): Promise<ControlPlane> {
    const { controllerManager, scheduler, nodes, speed, log } = this.#settings;
    const { time, random } = this.#ground;
    const { clock } = time;
    const plane = await ControlPlane.make({
      client: clientOf(this.#partsTransport, { clock, log: noLog }),
      clock,
      random: random.fork("parts"),
      log,
      deliveryGate: this.#deliveryGate,
      managerFlags: controllerManager === false ? undefined : controllerManager,
      isScheduling: scheduler,
      isElected: false,
      nodeCount: nodes,
      speed,
    });
    this.#connector.plane = plane;
    return plane;
  }

  #runPlane(plane: ControlPlane): void {
    const life = childSignal(this.signal);
    const ended = this.#scope.spawn(async () => {
      using _life = life;
      try {
        await plane.run(life.signal);
      } catch (error) {
        if (!isAborted(error, life.signal)) this.#failure ??= toError(error);
      }
    });
    const stop = () => life.abort(new KubeloopError("the parts start anew", { reason: "Stopped", retry: "never" }));
    this.#parts = { are: "running", plane, stop, ended };
  }

  async #stopPlane(): Promise<void> {
    if (this.#parts?.are !== "running") return;
    this.#parts.stop();
    await this.#wait(this.#parts.ended);
  }

  get #plane(): ControlPlane {
    if (this.#parts === undefined)
      throw new KubeloopError("the cluster has not started", { reason: "NotStarted", retry: "never" });
    return this.#parts.plane;
  }

  async #wait<T>(work: Promise<T>): Promise<T> {
    return await this.#race(this.#ground.time.waitFor(work));
  }

  /** What failed beside it says more than that the wait was in vain. */
  async #race<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      if (this.#failure !== undefined) throw this.#failure;
      return result;
    } catch (error) {
      throw this.#failure ?? error;
    }
  }
}

/** Controllers, scheduler and nodes. */
type PartsState =
  | { readonly are: "made"; readonly plane: ControlPlane; readonly start: Disposable }
  | { readonly are: "running"; readonly plane: ControlPlane; readonly stop: () => void; readonly ended: Promise<void> };

const accounts = "ServiceAccount";

function serverOptions(
  { nodes, controllerManager, log, server }: ClusterSettings,
  { time, random }: ClusterGround,
  connector: LateConnector,
): Omit<ApiServerOptions, "storage"> {
  const { enableAdmissionPlugins = [], disableAdmissionPlugins = [] } = server;
  // As on a real server, if there is a controller that makes the accounts.
  const hasAccounts = controllerManager !== false && !disableAdmissionPlugins.includes(accounts);
  return {
    ...server,
    enableAdmissionPlugins: hasAccounts ? [accounts, ...enableAdmissionPlugins] : enableAdmissionPlugins,
    clock: time.clock,
    random: random.fork("server"),
    log,
    ...(nodes > 0 && { nodeConnector: connector }),
  };
}
