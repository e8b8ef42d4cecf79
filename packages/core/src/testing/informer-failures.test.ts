// Known failures of other JavaScript informers. Each test shows that this informer does not have the failure: a shared informer over the real
// client, in virtual time.
import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import {
  type corev1,
  type FaultRule,
  newExpired,
  requestInfoOf,
  type Transport,
  type TransportFault,
  withFaults,
} from "../api/index.ts";
import { FakeClock, noLog, seededRandom } from "../base/index.ts";
import { clientOf } from "../client/index.ts";
import {
  isFinalStateUnknown,
  newListWatchFromClient,
  type ResourceEventHandler,
  SharedIndexInformer,
} from "../informer/index.ts";
import { type BodyStyle, FakeApiServer } from "./fake-server/index.ts";
import { findLeaks } from "./leak-check.ts";

interface Setup {
  readonly faults?: readonly FaultRule[];
  readonly body?: BodyStyle;
  /** If false, the informer uses a list and a watch instead of a watch with initial events. */
  readonly canWatchList?: boolean;
  /** Wraps the transport between client and server. */
  readonly wire?: (transport: Transport) => Transport;
}

function newInformer(setup: Setup = {}) {
  const { faults = [], body = "values", canWatchList = false, wire = (transport) => transport } = setup;
  const clock = new FakeClock();
  const server = new FakeApiServer({ clock, resources: [pods], body });
  const transport = withFaults(wire(server.transport), faults, { clock, random: seededRandom(1) });
  const source = newListWatchFromClient(clientOf(transport, { clock }), pods, { canWatchList, clock });
  const informer = new SharedIndexInformer<corev1.Pod>(source, {
    clock,
    random: seededRandom(2),
    freeze: true,
    log: noLog,
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    clock,
    server,
    informer,
    start: async () => {
      running = informer.run(stop.signal);
      await clock.settle();
    },
    stop: async () => {
      stop.abort();
      await clock.drive(running ?? Promise.resolve());
      expect(findLeaks({ clock, servers: [server] })).toEqual([]);
    },
    cached: () => informer.getStore().listKeys().sort(),
  };
}

function pod(name: string, count = 0): corev1.Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name, labels: { count: String(count) } },
    spec: { containers: [] },
  };
}

/** A handler that records the events that it receives. */
function listener(heard: string[]): ResourceEventHandler<corev1.Pod> {
  return {
    onAdd: ({ metadata }) => void heard.push(`add ${metadata.name}`),
    onUpdate: (_, { metadata }) => void heard.push(`update ${metadata.name} ${metadata.labels?.["count"]}`),
    onDelete: (gone) => void heard.push(`delete ${isFinalStateUnknown(gone) ? gone.key : gone.metadata.name}`),
  };
}

const once = (verb: string, fault: TransportFault): FaultRule => ({
  name: "once",
  fault,
  match: { verbs: [verb] },
  nth: [1],
});

describe("survives", () => {
  for (const [name, rule, limitMs] of [
    ["500 on the first list", once("list", { kind: "status", code: 500 }), 5_000],
    ["500 on the first watch", once("watch", { kind: "status", code: 500 }), 5_000],
    ["a connection that is reset in a watch", once("watch", { kind: "cut", after: 1, how: "reset" }), 5_000],
    ["a connection whose other end is gone", once("watch", { kind: "stall", after: 1 }), 11 * 60_000],
    ["a watch that is never answered", once("watch", { kind: "silence" }), 11 * 60_000],
  ] as const) {
    test(name, async () => {
      const { clock, server, start, stop, cached } = newInformer({ faults: [rule] });
      server.create(pods, pod("a"));
      await start();
      server.create(pods, pod("b"));
      await clock.settle();
      server.create(pods, pod("c"));
      server.delete(pods, "shop/a");
      await clock.advance(limitMs);
      expect(cached()).toEqual(["shop/b", "shop/c"]);
      await stop();
    });
  }

  test("410 in the stream, with an object gone meanwhile", async () => {
    const { clock, server, informer, start, stop, cached } = newInformer();
    const heard: string[] = [];
    informer.addEventHandler(listener(heard));
    for (const name of ["a", "b"]) server.create(pods, pod(name));
    await start();
    server.pauseCache();
    server.delete(pods, "shop/a");
    server.compact();
    server.endWatches(newExpired("too old resource version"));
    server.resumeCache();
    await clock.advance(5_000);
    expect(cached()).toEqual(["shop/b"]);
    expect(heard).toEqual(["add a", "add b", "delete shop/a"]);
    await stop();
  });
});

test("asks fewer than ten times in five seconds when the server closes every watch at once", async () => {
  const everyWatch: FaultRule = {
    name: "closed",
    fault: { kind: "cut", after: 0, how: "end" },
    match: { verbs: ["watch"] },
  };
  for (const canWatchList of [false, true]) {
    const { clock, server, start, stop } = newInformer({ faults: [everyWatch], canWatchList });
    await start();
    await clock.advance(5_000);
    expect(server.requests.length).toBeLessThan(10);
    await stop();
  }
});

test("a handler that throws or rejects harms neither itself nor others", async () => {
  const { clock, server, informer, start, stop, cached } = newInformer();
  const [first, last]: [string[], string[]] = [[], []];
  const fail = () => {
    throw new Error("handler fails on purpose");
  };
  informer.addEventHandler({
    onAdd: ({ metadata }) => {
      first.push(`add ${metadata.name}`);
      fail();
    },
  });
  informer.addEventHandler({ onAdd: async () => fail() });
  informer.addEventHandler(listener(last));
  await start();
  for (const name of ["a", "b"]) server.create(pods, pod(name));
  await clock.settle();
  expect(first).toEqual(["add a", "add b"]);
  expect(last).toEqual(["add a", "add b"]);
  expect(cached()).toEqual(["shop/a", "shop/b"]);
  await stop();
});

/** Sends two watch events at a time, split so that one chunk has the end of the first event and the beginning of the second. */
const inOddChunks =
  (transport: Transport): Transport =>
  async (request, signal) => {
    const response = await transport(request, signal);
    const { body } = response;
    if (requestInfoOf(request).verb !== "watch" || body.kind !== "bytes") return response;
    async function* chunks(events: AsyncIterable<Uint8Array>) {
      let held: Uint8Array | undefined;
      for await (const event of events) {
        const pair: Buffer | undefined = held === undefined ? undefined : Buffer.concat([held, event]);
        held = pair === undefined ? event : undefined;
        if (pair !== undefined) yield* [pair.subarray(0, 10), pair.subarray(10, -10), pair.subarray(-10)];
      }
    }
    return { ...response, body: { kind: "bytes", bytes: chunks(body.bytes) } };
  };

test("hears every event of a chunk that holds parts of several", async () => {
  const { clock, server, informer, start, stop } = newInformer({ body: "bytes", wire: inOddChunks });
  const heard: string[] = [];
  informer.addEventHandler(listener(heard));
  await start();
  for (const name of ["a", "b", "c", "d", "e", "f"]) server.create(pods, pod(name));
  await clock.settle();
  expect(heard).toEqual(["add a", "add b", "add c", "add d", "add e", "add f"]);
  await stop();
});

test("never tells of the deletion of what is there when a relist crosses an event", async () => {
  const late: FaultRule = {
    name: "slow",
    fault: { kind: "delay", delayMs: 2_000, when: "after" },
    match: { verbs: ["list"] },
  };
  const { clock, server, informer, start, stop, cached } = newInformer({ faults: [late] });
  const heard: string[] = [];
  informer.addEventHandler(listener(heard));
  await start();
  await clock.advance(3_000);
  server.create(pods, pod("a"));
  await clock.settle();
  server.endWatches(newExpired("too old resource version"));
  // The server has read the list, and the response is on its way to the client.
  await clock.advance(2_500);
  server.create(pods, pod("b"));
  await clock.advance(10_000);
  expect(heard).toEqual(["add a", "add b"]);
  expect(cached()).toEqual(["shop/a", "shop/b"]);
  await stop();
});

test("stopped while the first list is out, it opens no watch", async () => {
  const never: FaultRule = { name: "never", fault: { kind: "silence" }, match: { verbs: ["list"] } };
  const { clock, server, start, stop } = newInformer({ faults: [never] });
  await start();
  await stop();
  await clock.advance(60_000);
  expect(server.requests.map(({ verb }) => verb)).toEqual(["list"]);
});

test("two hundred updates of one object reach an asynchronous handler in order, each begun when the last has ended", async () => {
  const { clock, server, informer, start, stop } = newInformer();
  const [begun, ended]: [number[], number[]] = [[], []];
  let overlaps = 0;
  const random = seededRandom(3);
  informer.addEventHandler({
    async onUpdate(_, { metadata }) {
      const count = Number(metadata.labels?.["count"]);
      if (begun.length > ended.length) overlaps++;
      begun.push(count);
      await clock.sleep(random.next() * 20, new AbortController().signal);
      ended.push(count);
    },
  });
  server.create(pods, pod("a"));
  await start();
  for (let count = 1; count <= 200; count++) {
    server.update(pods, pod("a", count));
    await clock.advance(3);
  }
  await clock.advance(20_000);
  const inOrder = Array.from({ length: 200 }, (_, i) => i + 1);
  expect([begun, ended, overlaps]).toEqual([inOrder, inOrder, 0]);
  await stop();
});

test("a handler that joins late hears of everything there is, and is called again for what follows", async () => {
  const { clock, server, informer, start, stop } = newInformer();
  for (const name of ["a", "b"]) server.create(pods, pod(name));
  await start();
  const heard: string[] = [];
  const registration = informer.addEventHandler(listener(heard));
  await clock.settle();
  expect(registration.hasSynced()).toBe(true);
  server.create(pods, pod("c"));
  await clock.settle();
  expect(heard).toEqual(["add a", "add b", "add c"]);
  await stop();
});

for (const body of ["values", "bytes"] as const) {
  test(`objects have the same shape from a list and from a watch, kind and times included (${body})`, async () => {
    const { clock, server, start, stop, informer } = newInformer({ body });
    server.create(pods, pod("listed"));
    await start();
    server.create(pods, pod("watched"));
    await clock.settle();
    const shapes = informer
      .getStore()
      .list()
      .map(({ kind, apiVersion, metadata }) => [kind, apiVersion, metadata.creationTimestamp]);
    expect(shapes).toEqual(Array(2).fill(["Pod", "v1", "2030-01-01T00:00:00Z"]));
    await stop();
  });
}
