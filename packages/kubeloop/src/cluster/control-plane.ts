// What works on a cluster: controller manager, scheduler and hollow nodes in this process, on one client and one set of caches. Whose server it is,
// one in this process or one that was there before, they do not know.
//
// Promises
// - Nothing starts before `run`. The first part that fails ends the others; `run` ends when all have ended, and the caches last, because a key
//   that is being finished may read them once more.
// - `whenReady` resolves when a pod that is created would run: the nodes are ready and not tainted, and the namespace `default` has its account. It
//   waits for no more than the parts that run can bring about.
import { hostname } from "node:os";
import {
  type Clock,
  type Log,
  type Metrics,
  type Random,
  randomBelow,
  systemRandom,
  TaskScope,
  untilAborted,
} from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import type { DeliveryGate } from "@kubeloop/core/informer";
import { nodes, serviceAccounts } from "@kubeloop/core/resources";
import type { Node, ServiceAccount } from "@kubeloop/core/types/core/v1";
import type { HollowNodes, KubeletServing } from "@kubeloop/nodes";
import type { Scheduler, SchedulerOptions } from "@kubeloop/scheduler";
import { type ManagerPart, newManagerPart } from "./manager.ts";
import { nodeSpecs, podNetwork } from "./node-specs.ts";
import { SharedInformers } from "./shared-informers.ts";
import { whenCached } from "./when-cached.ts";

export interface ControlPlaneOptions {
  /** Logs nothing of what the server warns of: nobody who reads it can change these requests. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Holds the handlers of all parts back while it is closed. */
  readonly deliveryGate?: DeliveryGate;
  /** kube-controller-manager's flags. Undefined: no controller manager. */
  readonly managerFlags: readonly string[] | undefined;
  readonly isScheduling: boolean;
  /** Whether others may be at work on this cluster: manager and scheduler then work while they hold upstream's leases. */
  readonly isElected: boolean;
  /** How many hollow nodes. */
  readonly nodeCount: number;
  /** Where the nodes serve a kubelet's paths. Undefined: the server is in this process and needs no port. */
  readonly kubelet?: KubeletServing;
  /** How many times faster than a kubelet's their own delays are: of pulls, starts and stops. */
  readonly speed: number;
  /** What the controllers count; nobody reads it unless given. */
  readonly metrics?: Metrics & { print(): string };
}

export class ControlPlane {
  readonly informers: SharedInformers;
  readonly nodes: HollowNodes | undefined;
  readonly nodeNames: readonly string[];
  readonly scheduler: Scheduler | undefined;
  readonly #manager: ManagerPart | undefined;
  /** The scheduler, or the election of one. */
  readonly #scheduling: SchedulingPart | undefined;

  private constructor(parts: Parts) {
    this.informers = parts.informers;
    this.nodes = parts.nodes;
    this.nodeNames = parts.nodeNames;
    this.scheduler = parts.scheduling?.scheduler;
    this.#manager = parts.manager;
    this.#scheduling = parts.scheduling;
  }

  /** Throws a KubeloopError with the reason `Invalid` if a flag of the manager is none. */
  static async make(options: ControlPlaneOptions): Promise<ControlPlane> {
    const { managerFlags, isScheduling, isElected, nodeCount, speed, kubelet, metrics, ...tools } = options;
    const informers = new SharedInformers(tools);
    const shared = { ...tools, informers: informers.objects };
    const specs = nodeSpecs(nodeCount, kubelet?.host);
    const own = [
      `--leader-elect=${isElected}`,
      "--allocate-node-cidrs=true",
      `--cluster-cidr=${podNetwork(nodeCount)}`,
    ];
    const [manager, scheduling, hollow] = await Promise.all([
      managerFlags &&
        newManagerPart({ ...tools, ...(metrics && { metrics }), informers, flags: [...own, ...managerFlags] }),
      isScheduling ? newSchedulingPart(shared, isElected) : undefined,
      nodeCount > 0
        ? import("@kubeloop/nodes").then(
            (module) => new module.HollowNodes({ ...shared, speed, nodes: specs, ...(kubelet && { kubelet }) }),
          )
        : undefined,
    ]);
    const nodeNames = specs.map(({ name }) => name);
    return new ControlPlane({ informers, manager, scheduling, nodes: hollow, nodeNames });
  }

  /** Names of the controllers that run. */
  get controllers(): readonly string[] {
    return this.#manager?.controllers ?? [];
  }

  async run(signal: AbortSignal): Promise<void> {
    const scope = new TaskScope(signal);
    const caching = new AbortController();
    void scope.spawn(() => this.informers.run(caching.signal));
    const parts = [this.#manager, this.#scheduling, this.nodes].filter((part) => part !== undefined);
    const working = [
      ...parts.map((part) => scope.spawn((each) => part.run(each))),
      // Where there is no part, the caches still run until the signal aborts.
      scope.spawn((each) => untilAborted(new Promise(() => {}), each)),
    ];
    await Promise.allSettled(working);
    caching.abort();
    await scope.join();
  }

  /** Only while it runs. */
  async whenReady(signal: AbortSignal): Promise<void> {
    const { objects } = this.informers;
    const tasks: Promise<void>[] = [];
    const isRunning = (name: string) => this.controllers.includes(name);
    // Without that controller nobody takes the taint away, unless another manager does.
    const isUsable = (node: Node) =>
      isReady(node) && !(isRunning("node-lifecycle-controller") && isTaintedNotReady(node));
    const missing = new Set(this.nodeNames);
    const isLast = (node: Node) => {
      if (isUsable(node)) missing.delete(node.metadata.name ?? "");
      return missing.size === 0;
    };
    if (missing.size > 0) tasks.push(whenCached(objects.of(nodes).informer, isLast, signal));
    if (isRunning("serviceaccount-controller"))
      tasks.push(whenCached(objects.of(serviceAccounts).informer, isDefaultAccount, signal));
    await Promise.all(tasks);
  }
}

interface Parts {
  readonly informers: SharedInformers;
  readonly manager: ManagerPart | undefined;
  readonly scheduling: SchedulingPart | undefined;
  readonly nodes: HollowNodes | undefined;
  readonly nodeNames: readonly string[];
}

interface SchedulingPart {
  readonly scheduler: Scheduler;
  run(signal: AbortSignal): Promise<void>;
}

async function newSchedulingPart(options: SchedulerOptions, isElected: boolean): Promise<SchedulingPart> {
  const { runAsLeader, Scheduler } = await import("@kubeloop/scheduler");
  const scheduler = new Scheduler(options);
  const { random = systemRandom } = options;
  const identity = `${hostname()}_${Array.from({ length: 32 }, () => randomBelow(random, 16).toString(16)).join("")}`;
  const run = (signal: AbortSignal) =>
    isElected ? runAsLeader(scheduler, { ...options, identity }, signal) : scheduler.run(signal);
  return { scheduler, run };
}

const isReady = ({ status }: Node) =>
  status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;

const isTaintedNotReady = ({ spec }: Node) =>
  spec?.taints?.some(({ key }) => key === "node.kubernetes.io/not-ready") === true;

const isDefaultAccount = ({ metadata }: ServiceAccount) =>
  metadata.namespace === "default" && metadata.name === "default";
