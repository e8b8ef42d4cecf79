// Runs any number of hollow nodes on one API server.
//
//   const hollow = new HollowNodes({ client, nodes: [{ name: "node-1", internalIPs: ["192.168.0.1"] }] });
//   await hollow.run(signal);
//
// Promises
// - One informer for all pods and one for all nodes; a change of a pod costs the same with ten pods as with ten thousand.
// - Nothing is polled: between two changes a pod or a node waits for one timer, which its own rules computed.
// - At most one write of a pod is in flight. A failed request is tried again with backoff; `run` ends only when its signal aborts.
import { type corev1, type KubernetesObject, keyOf, type ObjectKey, objectKeyOf } from "@kubeloop/core/api";
import {
  type Clock,
  defaultLog,
  isAborted,
  type Log,
  type Random,
  runTogether,
  systemClock,
  systemRandom,
  toError,
} from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { coreEventSink, EventBroadcaster, type EventRecorder } from "@kubeloop/core/events";
import { lastStateOf, type ResourceEventHandlerRegistration, SharedInformerFactory } from "@kubeloop/core/informer";
import { configMaps, nodes, pods, secrets } from "@kubeloop/core/resources";
import type { HttpServer } from "@kubeloop/core/runtime";
import { exponentialRateLimiter, RateLimitingQueue } from "@kubeloop/core/workqueue";
import { type KubeletServing, newKubeletServer } from "../kubelet/kubelet-server.ts";
import { atSpeed, defaultTimings, type Timings } from "../life/pod-life.ts";
import type { HollowNodeSpec } from "../node/node-object.ts";
import type { ConfigKind, ConfigSource } from "../script/environment.ts";
import { HollowNode } from "./hollow-node.ts";
import { HollowNodeConnector } from "./node-connector.ts";
import { NodeWorker } from "./node-worker.ts";
import { type HeldPod, type NextLook, PodWorker } from "./pod-worker.ts";

export interface HollowNodesOptions {
  readonly client: Client;
  readonly nodes: readonly HollowNodeSpec[];
  /** Pod CIDRs of a node to which the cluster assigns none, by the node's name. Default: such a node's network is not ready. */
  readonly podCidrsOf?: (node: string) => readonly string[];
  readonly timings?: Partial<Timings>;
  /**
   * How many times faster than that the nodes pull images, start containers and stop them. Default: 1. Commands that sleep, probes, deadlines and
   * backoff are never faster.
   */
  readonly speed?: number;
  /** Informers shared with others; whoever brings them runs them. Default: own ones. */
  readonly informers?: SharedInformerFactory;
  /** Serves a kubelet's own paths, so that an API server in another process finds logs, exec and attach. Default: no port is opened. */
  readonly kubelet?: KubeletServing;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
}

const podWorkers = 16;
const nodeWorkers = 4;
/** As many as one kubelet lets wait. */
const waitingEventsPerNode = 1000;
const retryLimits = { baseMs: 100, maxMs: 7000 };

export class HollowNodes {
  /** For the API server in the same process: answers requests for logs, exec and attach. */
  readonly connector: HollowNodeConnector;
  readonly #options: HollowNodesOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #nodes: ReadonlyMap<string, HollowNode>;
  readonly #informers: SharedInformerFactory;
  readonly #events: EventBroadcaster;
  readonly #recorders = new Map<string, EventRecorder>();
  readonly #podWorker: PodWorker;
  readonly #nodeWorker: NodeWorker;
  readonly #podQueue: RateLimitingQueue<ObjectKey>;
  readonly #nodeQueue: RateLimitingQueue<string>;
  readonly #kubelet: HttpServer | undefined;

  constructor(options: HollowNodesOptions) {
    const { client, clock = systemClock, random = systemRandom, log = defaultLog } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#nodes = new Map(options.nodes.map((spec) => [spec.name, new HollowNode(spec)]));
    this.#informers = options.informers ?? new SharedInformerFactory(client, { clock, random, log });
    const queueSize = waitingEventsPerNode * Math.max(1, options.nodes.length);
    this.#events = new EventBroadcaster({ clock, random, log, queueSize });
    const recorderOf = (node: string) => this.#recorderOf(node);
    const timings = atSpeed({ ...defaultTimings, ...options.timings }, options.speed ?? 1);
    const store = this.#informers.of(pods).informer.getIndexer();
    const getPod = (key: ObjectKey) => store.getByKey(key);
    const mapStore = this.#informers.of(configMaps).informer.getIndexer();
    const secretStore = this.#informers.of(secrets).informer.getIndexer();
    const configOf = (namespace: string): ConfigSource => ({
      configMap: (name) => mapStore.getByKey(objectKeyOf(namespace, name)),
      secret: (name) => secretStore.getByKey(objectKeyOf(namespace, name)),
    });
    this.#podWorker = new PodWorker({ client, clock, timings, nodes: this.#nodes, recorderOf, getPod, configOf });
    this.connector = new HollowNodeConnector(this.#podWorker, clock);
    this.#nodeWorker = new NodeWorker({ client, clock, random, recorderOf });
    this.#podQueue = new RateLimitingQueue({ clock, rateLimiter: exponentialRateLimiter(retryLimits) });
    this.#nodeQueue = new RateLimitingQueue({ clock, rateLimiter: exponentialRateLimiter(retryLimits) });
    const isOwn = ({ spec }: corev1.Pod) => this.#nodes.has(spec?.nodeName ?? "");
    const own = (pod: corev1.Pod | undefined) => (pod !== undefined && isOwn(pod) ? pod : undefined);
    this.#kubelet =
      options.kubelet &&
      newKubeletServer({
        serving: options.kubelet,
        client,
        clock,
        log,
        connector: this.connector,
        findPod: (namespace, name) => own(store.getByKey(objectKeyOf(namespace, name))),
        pods: () => store.list().filter(isOwn),
        authorities: () => mapStore.getByKey(objectKeyOf("kube-system", "extension-apiserver-authentication")),
      });
  }

  /** Runs until aborted. May be called once. */
  async run(signal: AbortSignal): Promise<void> {
    this.#events.startRecordingToSink(coreEventSink(this.#options.client));
    const { informer: podInformer } = this.#informers.of(pods);
    const { informer: nodeInformer } = this.#informers.of(nodes);
    using registeredPods = podInformer.addEventHandler({
      onAdd: (pod) => this.#wakePod(pod),
      onUpdate: (_before, pod) => this.#wakePod(pod),
      onDelete: (gone) => this.#dropPod(lastStateOf(gone)),
    });
    using _nodes = nodeInformer.addEventHandler({
      onAdd: (node) => this.#wakeNode(node.metadata.name ?? ""),
      onUpdate: (_before, node) => this.#wakeNode(node.metadata.name ?? ""),
      onDelete: (gone) => this.#dropNode(lastStateOf(gone)?.metadata.name ?? ""),
    });
    const wakeFor = (kind: ConfigKind) => {
      const wake = (object: KubernetesObject) => this.#wakeForConfig(kind, keyOf(object));
      return { onAdd: wake, onUpdate: (_before: KubernetesObject, object: KubernetesObject) => wake(object) };
    };
    using registeredMaps = this.#informers.of(configMaps).informer.addEventHandler(wakeFor("configmap"));
    using registeredSecrets = this.#informers.of(secrets).informer.addEventHandler(wakeFor("secret"));
    const caches = [registeredPods, registeredMaps, registeredSecrets];
    for (const name of this.#nodes.keys()) this.#wakeNode(name);
    using _podQueue = this.#podQueue;
    using _nodeQueue = this.#nodeQueue;
    const work = [
      (each: AbortSignal) => this.#events.run(each),
      ...(this.#kubelet === undefined ? [] : [(each: AbortSignal) => this.#kubelet?.run(each) ?? Promise.resolve()]),
      ...Array.from({ length: nodeWorkers }, () => (each: AbortSignal) => this.#workNodes(each)),
      ...Array.from({ length: podWorkers }, () => (each: AbortSignal) => this.#workPods(caches, each)),
    ];
    if (this.#options.informers === undefined) work.push((each) => this.#informers.run(each));
    await runTogether(signal, work);
  }

  /** Silences a node: no lease, no status, no pod status, until `reconnect`. Its containers go on unseen. */
  cutOff(name: string): void {
    this.#node(name).isCutOffByCaller = true;
    this.#wakeAll(name);
  }

  reconnect(name: string): void {
    this.#node(name).isCutOffByCaller = false;
    this.#wakeAll(name);
  }

  /** Makes a node report that it is not ready, with this cause; undefined makes it ready again. New pods wait meanwhile. */
  setNotReady(name: string, cause: string | undefined): void {
    this.#node(name).notReadyByCaller = cause;
    this.#wakeAll(name);
  }

  /** Forgets what a new process would not know: the images that were pulled, and what `cutOff` and `setNotReady` said. */
  forget(): void {
    for (const [name, node] of this.#nodes) {
      node.images.clear();
      if (!node.isCutOffByCaller && node.notReadyByCaller === undefined) continue;
      node.isCutOffByCaller = false;
      node.notReadyByCaller = undefined;
      this.#wakeAll(name);
    }
  }

  /** Returns a pod that one of these nodes runs. */
  findPod(namespace: string, name: string): HeldPod | undefined {
    return this.#podWorker.get(objectKeyOf(namespace, name));
  }

  #node(name: string): HollowNode {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new RangeError(`there is no hollow node ${name}`);
    return node;
  }

  #wakeAll(name: string): void {
    this.#wakeNode(name);
    for (const key of this.#node(name).podKeys) this.#podQueue.add(key);
  }

  #wakePod(pod: corev1.Pod): void {
    const node = this.#nodes.get(pod.spec?.nodeName ?? "");
    if (node === undefined) return;
    const key = keyOf(pod);
    node.podKeys.add(key);
    if (this.#podWorker.get(key) === undefined) node.adopt(pod);
    this.#podQueue.add(key);
  }

  #wakeForConfig(kind: ConfigKind, key: ObjectKey): void {
    for (const waiting of this.#podWorker.wakeForConfig(kind, key)) this.#podQueue.add(waiting);
  }

  #dropPod(pod: corev1.Pod | undefined): void {
    const node = pod === undefined ? undefined : this.#nodes.get(pod.spec?.nodeName ?? "");
    if (pod === undefined || node === undefined) return;
    const key = keyOf(pod);
    node.podKeys.delete(key);
    node.release(pod.metadata.uid ?? "");
    this.#podQueue.add(key);
  }

  #dropNode(name: string): void {
    const node = this.#nodes.get(name);
    if (node !== undefined) node.object = undefined;
  }

  #wakeNode(name: string): void {
    if (this.#nodes.has(name)) this.#nodeQueue.add(name);
  }

  async #workPods(caches: readonly ResourceEventHandlerRegistration[], signal: AbortSignal): Promise<void> {
    // Pods of an earlier process are counted first: a new pod must not get their room or their address.
    for (const cache of caches) await cache.whenSynced(signal);
    await this.#work(this.#podQueue, (key) => this.#podWorker.sync(key, signal), "pod", signal);
  }

  async #workNodes(signal: AbortSignal): Promise<void> {
    // What a node reports first is where it listens.
    await this.#kubelet?.whenReady(signal);
    const kubeletPort = this.#kubelet?.port;
    for (const node of this.#nodes.values()) node.kubeletPort = kubeletPort;
    const store = this.#informers.of(nodes).informer.getIndexer();
    const sync = async (name: string) => {
      const node = this.#node(name);
      const wasWaiting = describeNode(node);
      const seen = store.getByKey(name);
      const wakeAtMs = await this.#nodeWorker.sync(node, seen, signal);
      node.useCidrs(this.#options.podCidrsOf?.(name) ?? []);
      // Its pods are looked at again when they may do something that they could not do before.
      if (describeNode(node) !== wasWaiting) for (const key of node.podKeys) this.#podQueue.add(key);
      // It is looked at for ever: its heartbeats are nothing that anybody waits for.
      return { atMs: wakeAtMs, isRoutine: true };
    };
    await this.#work(this.#nodeQueue, sync, "node", signal);
  }

  async #work<K extends string>(
    queue: RateLimitingQueue<K>,
    sync: (key: K) => Promise<NextLook>,
    what: string,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      const key = await queue.get(signal);
      if (key === undefined) return;
      try {
        const { atMs, isRoutine } = await sync(key);
        queue.forget(key);
        if (atMs < Number.POSITIVE_INFINITY) queue.addAfter(key, atMs - this.#clock.now(), { isRoutine });
      } catch (error) {
        if (isAborted(error, signal)) throw error;
        this.#log.warn("hollow node could not write, and will try again", { what, key, error: toError(error) });
        queue.addRateLimited(key);
      } finally {
        queue.done(key);
      }
    }
  }

  #recorderOf(node: string): EventRecorder {
    const known = this.#recorders.get(node);
    if (known !== undefined) return known;
    const recorder = this.#events.newRecorder({ component: "kubelet", host: node });
    this.#recorders.set(node, recorder);
    return recorder;
  }
}

/** What decides whether a node's pods can go on. */
function describeNode(node: HollowNode): string {
  return `${node.isCutOff} ${node.notReady ?? ""} ${node.hasAddresses}`;
}
