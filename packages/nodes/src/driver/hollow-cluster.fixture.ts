// Hollow nodes on the embedded API server, in virtual time.
import { ApiServer } from "@kubeloop/apiserver";
import { type corev1, isNotFound, type Transport } from "@kubeloop/core/api";
import { childSignal, FakeClock, isAborted, noLog, seededRandom, TaskScope } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import { events, namespaces, pods } from "@kubeloop/core/resources";
import { eventually } from "@kubeloop/core/testing";
import { HollowNodes, type HollowNodesOptions } from "./hollow-nodes.ts";

export interface HollowCluster {
  readonly client: Client;
  readonly transport: Transport;
  readonly clock: FakeClock;
  readonly signal: AbortSignal;
  readonly hollow: HollowNodes;
  create(
    name: string,
    spec: Partial<corev1.PodSpec>,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<corev1.Pod>;
  get(name: string): Promise<corev1.Pod | undefined>;
  until(name: string, what: string, holds: (pod: corev1.Pod) => boolean): Promise<corev1.Pod>;
  untilGone(name: string): Promise<unknown>;
  delete(name: string, gracePeriodSeconds?: number): Promise<unknown>;
  /** Ends the hollow nodes, lets time pass, and starts new ones that remember nothing. */
  restart(afterMs: number): Promise<void>;
  eventsAbout(name: string): Promise<readonly string[]>;
}

export interface ClusterOptions extends Partial<HollowNodesOptions> {
  readonly wrap?: (transport: Transport) => Transport;
}

/** Two nodes with room and addresses, if not said otherwise. */
export async function withHollowCluster(
  scenario: (cluster: HollowCluster) => Promise<void>,
  { wrap, ...options }: ClusterOptions = {},
): Promise<void> {
  const random = seededRandom("hollow");
  const clock = new FakeClock();
  const late: { hollow?: HollowNodes } = {};
  await using server = await ApiServer.open({
    clock,
    random: random.fork("server"),
    nodeConnector: {
      answer: async (target, request, each) => {
        if (late.hollow === undefined) throw new Error("the hollow nodes are not there yet");
        return await late.hollow.connector.answer(target, request, each);
      },
    },
  });
  const client = clientOf(server.transport, { clock });
  const stop = new AbortController();
  const { signal } = stop;
  for (const name of ["scenario", "kube-node-lease"]) {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } } as const;
    await client
      .resource(namespaces)
      .create(namespace, signal)
      .catch(() => undefined);
  }
  const settings: HollowNodesOptions = {
    client: wrap === undefined ? client : clientOf(wrap(server.transport), { clock }),
    nodes: [
      { name: "node-1", internalIPs: ["192.168.0.1"] },
      { name: "node-2", internalIPs: ["192.168.0.2"] },
    ],
    podCidrsOf: (node) => [`10.244.${node.slice(-1)}.0/24`],
    clock,
    random: random.fork("nodes"),
    log: noLog,
    ...options,
  };
  const hollow = new HollowNodes(settings);
  late.hollow = hollow;
  await using scope = new TaskScope(signal);
  let process = childSignal(signal);
  let hasRestarted = false;
  const start = (nodes: HollowNodes) => {
    const own = process.signal;
    return scope.spawn(async () => {
      try {
        await nodes.run(own);
      } catch (error) {
        if (!isAborted(error, own)) throw error;
      }
    });
  };
  const running = start(hollow).then(() => (hasRestarted ? new Promise<void>(() => {}) : undefined));
  const inNamespace = client.resource(pods).in("scenario");
  const get = async (name: string) => {
    try {
      return await inNamespace.get(name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const withinMs = 3_600_000;
  const cluster: HollowCluster = {
    client,
    transport: server.transport,
    clock,
    signal,
    hollow,
    get,
    restart: async (afterMs) => {
      hasRestarted = true;
      process.abort(new Error("the process has ended"));
      await clock.advance(afterMs);
      process = childSignal(signal);
      late.hollow = new HollowNodes(settings);
      void start(late.hollow);
    },
    create: (name, spec, annotations = {}) =>
      inNamespace.create(
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name, namespace: "scenario", annotations },
          spec: { nodeName: "node-1", containers: [{ name: "c", image: "shop/web:v1" }], ...spec },
        },
        signal,
      ),
    until: async (name, what, holds) => {
      const look = async () => {
        const pod = await get(name);
        return pod !== undefined && holds(pod) ? pod : undefined;
      };
      return (await eventually(clock, look, { what, withinMs })) as corev1.Pod;
    },
    untilGone: (name) =>
      eventually(clock, async () => (await get(name)) === undefined, { what: `${name} is gone`, withinMs }),
    delete: (name, gracePeriodSeconds) =>
      inNamespace.delete(name, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }, signal),
    eventsAbout: async (name) => {
      const found: string[] = [];
      for await (const event of client.resource(events).in("scenario").list({}, signal)) {
        if (event.involvedObject.name !== name) continue;
        const about = event.involvedObject.fieldPath ?? "pod";
        found.push(`${event.source?.component}/${event.source?.host} ${about} ${event.type} ${event.reason}`);
      }
      return found;
    },
  };
  try {
    await Promise.race([
      scenario(cluster),
      running.then(() => Promise.reject(new Error("the hollow nodes have ended"))),
    ]);
  } finally {
    stop.abort(new Error("the scenario is over"));
    await clock.runUntilIdle();
  }
}
