// What kills other informers for JavaScript, or makes them tell what is not so, each as a test of its own: the server and the
// network misbehave over real sockets; where only time and handlers matter, everything is in this process and time is virtual.
// Requests are counted throughout: an informer that survives by listing everything again is a burden on the server.
import { describe, expect, test } from "vitest";
import { type ApiResponse, type corev1, isResourceExpired, type Transport, valueResponse } from "../../api/index.ts";
import { deferred, FakeClock, randomBelow, seededRandom, systemClock, untilAborted } from "../../base/index.ts";
import { clientOf } from "../../client/client.ts";
import { settled, TcpRelay } from "../../client/http/local-servers.fixture.ts";
import { Told } from "./observed.contract.ts";
import { informerOf, inProcess, overSockets, type PodOptions } from "./pod-informers.fixture.ts";
import { expired, internalError, PodServer, printBookmark, printEvent } from "./pod-server.fixture.ts";

const { signal: never } = new AbortController();

describe("an informer whose server fails", () => {
  test("survives 500 on the first list", async () => {
    await using server = await PodServer.start();
    server.put("a");
    server.instead("list", internalError);
    await using setting = overSockets(server);
    const { informer, told, passPause } = setting;
    await passPause();
    expect(await told.count(1, never)).toEqual(["add a"]);
    expect(informer.status.lastFailure?.error.message).toBe("etcd is on holiday");
    server.put("b");
    expect(await told.count(2, never)).toEqual(["add a", "add b"]);
    expect(server.asked).toEqual(["list 0", "list 0", "watch 2"]);
  });

  test("survives 500 on the first list that was to be streamed, and lists instead", async () => {
    await using server = await PodServer.start();
    server.put("a");
    server.instead("watch", internalError);
    await using setting = overSockets(server, { canStream: true });
    expect(await setting.told.count(1, never)).toEqual(["add a"]);
    await server.untilAsked(3);
    expect(server.asked).toEqual(["watch", "list 0", "watch 2"]);
  });

  test("survives 500 on ten lists in a row", async () => {
    await using server = await PodServer.start();
    server.put("a");
    for (let failures = 0; failures < 10; failures++) server.instead("list", internalError);
    await using setting = overSockets(server);
    const { informer, told, passPause, clock } = setting;
    for (let failures = 0; failures < 10; failures++) await passPause();
    expect(await told.count(1, never)).toEqual(["add a"]);
    expect(informer.status).toMatchObject({ errors: 10, failingSinceMs: undefined });
    // The pauses grow, up to a minute at most.
    expect(clock.monotonic()).toBeGreaterThan(120_000);
    expect(clock.monotonic()).toBeLessThan(600_000);
  });

  test("survives 500 on the watch", async () => {
    await using server = await PodServer.start();
    server.put("a");
    server.instead("watch", internalError);
    await using setting = overSockets(server);
    const { told, passPause, informer } = setting;
    await server.untilAsked(2);
    server.put("b");
    await passPause();
    expect(await told.count(2, never)).toEqual(["add a", "add b"]);
    await server.untilAsked(4);
    server.delete("a");
    expect(await told.count(3, never)).toEqual(["add a", "add b", "delete a"]);
    expect([informer.status.errors, informer.getStore().listKeys()]).toEqual([1, ["shop/b"]]);
  });

  test("lists anew after 410 in the stream, and tells of what has gone meanwhile", async () => {
    await using server = await PodServer.start();
    for (const name of ["gone", "same", "changed"]) server.put(name);
    await using setting = overSockets(server);
    const { told, passPause, informer } = setting;
    await told.count(3, never);
    await settled(() => server.watches.size === 1);
    const [watch] = server.mute();
    server.delete("gone");
    server.put("changed", { now: "so" });
    server.put("new");
    server.forget();
    watch?.end(expired);
    await passPause();
    await told.count(6, never);
    expect(told.lines.slice(3).toSorted()).toEqual(["add new", "delete gone, unseen", "update changed"]);
    expect(informer.status.lastFailure?.error).toSatisfy(isResourceExpired);
    await server.untilAsked(4);
    // The newest of what it has seen is the least it takes.
    expect(server.asked).toEqual(["list 0", "watch 4", "list 4", "watch 7"]);
  });

  type Events = (round: number) => readonly string[];
  const endings: readonly (readonly [when: string, mostInAMinute: number, events: Events])[] = [
    // Nothing but failures: the pauses grow.
    ["at once", 20, () => []],
    // Something comes of it each time, so it is worth asking.
    ["after one event", 70, (round) => [printEvent("MODIFIED", "a", round + 10)]],
    ["after a bookmark", 70, (round) => [printBookmark(`${round + 10}`)]],
  ];
  for (const [when, mostInAMinute, events] of endings) {
    test(`asks fewer than ten times in five seconds when each watch is closed ${when}`, async () => {
      const clock = new FakeClock();
      const times: number[] = [];
      const transport: Transport = async ({ query }, signal) => {
        times.push(clock.monotonic());
        // A storm would go on for ever without time passing, and so would this test.
        if (times.length > 100) await untilAborted(deferred().promise, signal);
        if (!query.some(([key]) => key === "watch")) {
          const metadata = { resourceVersion: "1" };
          return valueResponse(200, { kind: "PodList", apiVersion: "v1", metadata, items: [] });
        }
        return watchOf(events(times.length));
      };
      const { run, stopping, informer } = informerOf(clientOf(transport, { clock }), clock);
      const ended = run();
      await clock.advance(5000);
      expect(times.length).toBeGreaterThan(1);
      expect(times.length).toBeLessThan(10);
      // And it has not given up.
      const asked = times.length;
      await clock.advance(55_000);
      expect(times.length).toBeGreaterThan(asked);
      expect(times.length).toBeLessThan(mostInAMinute);
      expect(informer.hasSynced()).toBe(true);
      stopping.abort();
      await ended;
      expect(clock.pending()).toEqual([]);
    });
  }

  test("takes two events out of one chunk, and one event out of three", async () => {
    await using server = await PodServer.start();
    await using setting = overSockets(server);
    const { told } = setting;
    await settled(() => server.watches.size === 1);
    const [watch] = server.watches;
    watch?.write(printEvent("ADDED", "a", 2) + printEvent("ADDED", "b", 3));
    await told.count(2, never);
    const text = printEvent("MODIFIED", "b", 4);
    for (const part of [text.slice(0, 9), text.slice(9, 50), text.slice(50)]) {
      watch?.write(part);
      for (let turn = 0; turn < 10; turn++) await systemClock.yield();
    }
    await told.count(3, never);
    watch?.write(printEvent("DELETED", "a", 5) + printEvent("ADDED", "c", 6) + printEvent("MODIFIED", "c", 7));
    expect((await told.count(6, never)).slice(2)).toEqual(["update b", "delete a", "add c", "update c"]);
  });
});

describe("an informer whose network fails", () => {
  test("survives a TCP reset during the watch, and goes on where it was", async () => {
    await using server = await PodServer.start();
    server.put("a");
    await using setting = overSockets(server);
    const { told, informer } = setting;
    await settled(() => server.watches.size === 1);
    server.put("b");
    await told.count(2, never);
    server.reset();
    server.put("c");
    server.delete("a");
    expect(await told.count(4, never)).toEqual(["add a", "add b", "add c", "delete a"]);
    expect(server.asked).toEqual(["list 0", "watch 2", "watch 3"]);
    expect(informer.status.errors).toBe(1);
  });

  test("survives a TCP reset in the middle of a list", async () => {
    await using server = await PodServer.start();
    server.put("a");
    server.instead("list", (_request, response) => {
      response.write(server.printList().slice(0, -20), () => server.reset());
    });
    await using setting = overSockets(server);
    await setting.passPause();
    expect(await setting.told.count(1, never)).toEqual(["add a"]);
    expect(server.asked.slice(0, 2)).toEqual(["list 0", "list 0"]);
  });

  for (const [name, speaks, httpVersion, silentMs] of [
    ["HTTP/1.1", "plain", "1.1", 75_000],
    ["HTTP/2", "plain-h2", "2", 45_000],
  ] as const) {
    test(`notices a half-open socket over ${name}, and misses nothing`, async () => {
      await using server = await PodServer.start(speaks);
      await using relay = await TcpRelay.start(server.port);
      server.put("a");
      await using setting = overSockets(server, { relay, httpVersion });
      const { told, clock } = setting;
      await settled(() => server.watches.size === 1);
      server.put("b");
      await told.count(2, never);
      relay.swallowOpen();
      server.delete("a");
      await clock.advance(silentMs);
      expect(await told.count(3, never)).toEqual(["add a", "add b", "delete a"]);
      expect(server.asked).toEqual(["list 0", "watch 2", "watch 3"]);
    });
  }

  test("keeps one watch for 95 quiet seconds, and its version up to date", async () => {
    await using server = await PodServer.start();
    await using setting = overSockets(server);
    const { told, clock, informer } = setting;
    await settled(() => server.watches.size === 1);
    await clock.advance(60_000);
    for (const watch of server.watches) watch.write(printBookmark("99"));
    await settled(() => informer.lastSyncResourceVersion() === "99");
    await clock.advance(35_000);
    expect([server.asked, server.connections, told.lines]).toEqual([["list 0", "watch 1"], 1, []]);
    expect(informer.isDeaf()).toBe(false);
  });
});

describe("what an informer holds", () => {
  test("timestamps are strings, from the list and from the watch alike", async () => {
    await using server = await PodServer.start();
    server.put("listed");
    await using setting = overSockets(server);
    await settled(() => server.watches.size === 1);
    server.put("watched");
    await setting.told.count(2, never);
    const times = setting.informer
      .getStore()
      .list()
      .map(({ metadata }) => metadata.creationTimestamp);
    expect(times).toEqual(["2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"]);
  });

  test("kind and apiVersion are there on what was listed, too", async () => {
    await using server = await PodServer.start();
    server.put("listed");
    expect(server.printList()).not.toContain('"kind":"Pod"');
    await using setting = overSockets(server);
    await settled(() => server.watches.size === 1);
    server.put("watched");
    await setting.told.count(2, never);
    const kinds = setting.informer
      .getStore()
      .list()
      .map(({ kind, apiVersion }) => [kind, apiVersion]);
    expect(kinds).toEqual([
      ["Pod", "v1"],
      ["Pod", "v1"],
    ]);
  });
});

describe("an informer that lists", () => {
  test("tells of no delete of what was added while the list was on its way", async () => {
    await using server = await PodServer.start();
    server.put("a");
    await using setting = overSockets(server);
    const { told, passPause } = setting;
    await settled(() => server.watches.size === 1);
    server.put("seen");
    await told.count(2, never);
    // The list is as of before, and arrives after the server has told others of more.
    let deliver = () => {};
    server.instead("list", (_request, response) => {
      const asOfNow = server.printList();
      deliver = () => response.end(asOfNow);
    });
    const [watch] = server.mute();
    watch?.end(expired);
    await passPause();
    await server.untilAsked(3);
    server.put("new");
    server.put("seen", { again: "yes" });
    deliver();
    expect(await told.count(4, never)).toEqual(["add a", "add seen", "add new", "update seen"]);
    // A list from before "seen" was made would have been a false delete: none older than it is asked for.
    expect(server.asked).toEqual(["list 0", "watch 2", "list 3", "watch 3"]);
  });

  test("ends when it is stopped meanwhile, and opens no watch afterwards", async () => {
    await using server = await PodServer.start();
    let deliver = () => {};
    server.instead("list", (_request, response) => {
      deliver = () => server.answerList(response);
    });
    const { stop, informer, told, clock } = overSockets(server);
    await server.untilAsked(1);
    await stop();
    expect(informer.status.phase).toBe("stopped");
    deliver();
    for (let turn = 0; turn < 50; turn++) await systemClock.yield();
    await clock.advance(600_000);
    expect([server.asked, server.connections, told.lines, clock.pending()]).toEqual([["list 0"], 0, [], []]);
  });

  test("ends when it is stopped in the middle of its bytes, and has not synced", async () => {
    await using server = await PodServer.start();
    server.put("a");
    server.instead("list", (_request, response) => {
      response.write(server.printList().slice(0, -20));
    });
    const { stop, told, clock, informer } = overSockets(server);
    await server.untilAsked(1);
    for (let turn = 0; turn < 20; turn++) await systemClock.yield();
    await stop();
    await clock.advance(600_000);
    expect([server.asked, informer.hasSynced(), told.lines]).toEqual([["list 0"], false, []]);
  });
});

describe("a handler that", () => {
  for (const [name, fail] of [
    [
      "throws",
      () => {
        throw new Error("my own fault");
      },
    ],
    [
      "rejects",
      async () => {
        throw new Error("my own fault");
      },
    ],
  ] as const) {
    // Vitest fails the run for a rejection that nobody handles, which is how the process would die.
    test(`${name} is reported; the others and the next event are told all the same`, async () => {
      const failures: string[] = [];
      const onHandlerError: PodOptions["onHandlerError"] = (error, { handler, notification }) => {
        failures.push(`${handler}: ${notification.type}: ${error.message}`);
      };
      await using setting = await inProcess({ onHandlerError });
      const { informer, told, put, clock } = setting;
      const heard: string[] = [];
      const onAdd = ({ metadata }: corev1.Pod) => {
        heard.push(metadata.name ?? "");
        return fail();
      };
      informer.addEventHandler({ onAdd }, { name: "bad" });
      const after = new Told<corev1.Pod>();
      informer.addEventHandler(after);
      put("second");
      put("third");
      await clock.settle();
      expect(heard).toEqual(["first", "second", "third"]);
      for (const each of [told, after]) expect(each.lines).toEqual(["add first", "add second", "add third"]);
      expect(failures).toEqual(Array(3).fill("bad: add: my own fault"));
      expect(informer.status).toMatchObject({ phase: "watching", resourceVersion: "4", errors: 0 });
    });
  }

  test("is slow and asynchronous starts and finishes 200 updates of one pod in their order", async () => {
    await using setting = await inProcess();
    const { informer, put, clock } = setting;
    const random = seededRandom(7);
    const started: string[] = [];
    const finished: string[] = [];
    informer.addEventHandler({
      onUpdate: async (_before, { metadata }) => {
        const state = metadata.labels?.["n"] ?? "";
        started.push(state);
        await clock.sleep(randomBelow(random, 50), never);
        finished.push(state);
      },
    });
    const states = Array.from({ length: 200 }, (_, n) => `${n}`);
    for (const n of states) {
      put("first", { n });
      await clock.advance(randomBelow(random, 20));
    }
    await clock.runUntilIdle();
    expect([started, finished]).toEqual([states, states]);
  });

  test("was added after the sync is told of everything there is", async () => {
    await using setting = await inProcess();
    const { informer, put, clock } = setting;
    put("second");
    await clock.settle();
    const late = new Told<corev1.Pod>();
    const registration = informer.addEventHandler(late);
    await clock.settle();
    expect(registration.hasSynced()).toBe(true);
    expect(late.sorted).toEqual(["add first", "add second"]);
    put("second", { changed: "yes" });
    await clock.settle();
    expect(late.lines.at(-1)).toBe("update second");
  });
});

function watchOf(lines: readonly string[]): ApiResponse {
  async function* values() {
    for (const line of lines) yield JSON.parse(line) as unknown;
  }
  return {
    status: 200,
    headers: {},
    body: { kind: "values", values: values() },
    [Symbol.asyncDispose]: async () => {},
  };
}
