// The scheduler on an embedded API server, in virtual time, for tests.
import { ApiServer } from "@kubeloop/apiserver";
import type { Transport } from "@kubeloop/core/api";
import { FakeClock, noLog, seededRandom, TaskScope } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import { eventsEvents, namespaces, nodes, pods, priorityClasses } from "@kubeloop/core/resources";
import { eventually } from "@kubeloop/core/testing";
import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import { type PodFacts, pod } from "../cluster.fixture.ts";
import { Scheduler, type SchedulerOptions } from "./scheduler.ts";

export const never = new AbortController().signal;

export interface Running {
  readonly client: Client;
  readonly clock: FakeClock;
  /** Adds a node that is ready: the server taints new ones until they are. */
  addNode(node: Node): Promise<void>;
  create(name: string, facts?: PodFacts): Promise<Pod>;
  get(name: string): Promise<Pod>;
  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T>;
  nodeOf(name: string): Promise<string>;
  messageOf(name: string): Promise<string>;
  notes(reason: string): Promise<readonly string[]>;
}

export async function withScheduler(
  use: (running: Running) => Promise<void>,
  options: Partial<SchedulerOptions> & { readonly wrap?: (transport: Transport) => Transport } = {},
): Promise<void> {
  const clock = new FakeClock();
  const random = seededRandom("scheduler");
  await using server = await ApiServer.open({ clock, random: random.fork("server") });
  const client = clientOf(server.transport, { clock });
  await client
    .resource(namespaces)
    .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }, never)
    .catch(() => {});
  for (const [name, value] of [
    ["low", 1],
    ["high", 1000],
  ] as const) {
    await client
      .resource(priorityClasses)
      .create({ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value }, never);
  }
  const { wrap = (transport: Transport) => transport, ...rest } = options;
  const ours = clientOf(wrap(server.transport), { clock });
  const scheduler = new Scheduler({
    client: ours,
    clock,
    random: random.fork("scheduler"),
    log: noLog,
    hostName: "host",
    ...rest,
  });
  const stop = new AbortController();
  const scope = new TaskScope(stop.signal);
  const ended = scope.spawn((signal) => scheduler.run(signal));
  const inDefault = client.resource(pods).in("default");
  const until: Running["until"] = async (what, look) =>
    (await eventually(clock, look, { what, withinMs: 120_000 })) as never;
  const running: Running = {
    client,
    clock,
    until,
    addNode: async (added) => {
      const { metadata } = await client.resource(nodes).create(added, never);
      const patch = { type: "merge", body: { spec: { taints: added.spec?.taints ?? null } } } as const;
      await client.resource(nodes).patch(metadata.name ?? "", patch, never);
    },
    create: (name, facts = {}) => {
      const { metadata, spec, ...made } = pod(name, facts);
      const { uid: _, ...named } = metadata;
      const containers = spec.containers.map((container) => ({ image: "app", ...container }));
      return inDefault.create(
        { ...made, metadata: named, spec: { terminationGracePeriodSeconds: 0, ...spec, containers } },
        never,
      );
    },
    get: (name) => inDefault.get(name, never),
    nodeOf: (name) => until(`${name} has a node`, async () => (await inDefault.get(name, never)).spec.nodeName),
    messageOf: (name) =>
      until(`${name} is refused`, async () => {
        const { status } = await inDefault.get(name, never);
        const condition = status?.conditions?.find(({ type }) => type === "PodScheduled");
        return condition?.status === "False" ? condition.message : undefined;
      }),
    notes: (reason) =>
      until(`an event ${reason}`, async () => {
        const notes: string[] = [];
        for await (const event of client.resource(eventsEvents).list({}, never)) {
          if (event.reason === reason) notes.push(`${event.action}: ${event.note}`);
        }
        return notes.length === 0 ? undefined : notes;
      }),
  };
  try {
    await Promise.race([use(running), ended.then(() => Promise.reject(new Error("the scheduler has ended")))]);
  } finally {
    stop.abort(new Error("the test is over"));
    await clock.runUntilIdle();
    await ended.catch(() => {});
  }
}
