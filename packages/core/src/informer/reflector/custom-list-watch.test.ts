import { describe, expect, test } from "vitest";
import { type Clock, FakeClock, noLog, systemClock } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import { collect, failureOf } from "../../client/rest/scripted-server.fixture.ts";
import { readOnce } from "../../client/streams/batched.ts";
import { customListWatch } from "./custom-list-watch.ts";
import { RecordingStore } from "./recording-store.fixture.ts";
import { Reflector } from "./reflector.ts";
import { added, type Pod, pod } from "./scripted-source.fixture.ts";

const signal = new AbortController().signal;
const all = { resourceVersion: "0", pageSize: 500, onRestart: () => {} };
const from = { resourceVersion: "5", sendInitialEvents: false, timeoutSeconds: 300 };

async function* forEver(): AsyncGenerator<WatchEvent<Pod>> {
  await new Promise(() => {});
}

describe("a source of one's own", () => {
  test("lists by a promise of everything", async () => {
    const source = customListWatch<Pod>({
      list: async () => ({ items: [pod("a", "1"), pod("b", "2")], resourceVersion: "5" }),
      watch: forEver,
    });
    const answer = source.list(all, signal);
    const names = (await collect(answer)).map(({ metadata }) => metadata.name);
    expect([names, answer.resourceVersion, answer.isPaged]).toEqual([["a", "b"], "5", false]);
  });

  test("lets others have a turn while a long list is taken", async () => {
    let nowMs = 0;
    let turns = 0;
    // Every look at the clock takes a millisecond.
    const clock: Clock = {
      ...systemClock,
      monotonic: () => nowMs++,
      yield: () => {
        turns++;
        return systemClock.yield();
      },
    };
    const items = Array.from({ length: 20_000 }, (_, i) => pod(`p${i}`, "1"));
    const source = customListWatch<Pod>({ list: async () => ({ items, resourceVersion: "5" }), watch: forEver });
    const stop = new AbortController();
    const store = new RecordingStore();
    store.replace = (objects) => {
      expect(objects).toHaveLength(20_000);
      stop.abort();
    };
    await new Reflector(source, store, { clock, log: noLog }).run(stop.signal);
    expect(turns).toBeGreaterThan(5);
  });

  test("lists by a stream", async () => {
    async function* read() {
      yield [pod("a", "1")];
      yield [pod("b", "2")];
    }
    const source = customListWatch<Pod>({
      list: () => ({ ...readOnce(read()), resourceVersion: "5", isPaged: true }),
      watch: forEver,
    });
    const answer = source.list(all, signal);
    expect([(await collect(answer)).length, answer.isPaged]).toEqual([2, true]);
  });

  test("watches by any stream of events, given at once or later", async () => {
    async function* events() {
      yield added("a", "6");
      yield added("b", "7");
    }
    const list = async () => ({ items: [], resourceVersion: "5" });
    const now = customListWatch<Pod>({ list, watch: events });
    const later = customListWatch<Pod>({ list, watch: async () => events() });
    expect(await collect(now.watch(from, signal))).toEqual([added("a", "6"), added("b", "7")]);
    expect(await collect(later.watch(from, signal))).toEqual([added("a", "6"), added("b", "7")]);
  });

  test("need not look at the signal", async () => {
    const stop = new AbortController();
    const source = customListWatch<Pod>({ list: () => new Promise(() => {}), watch: forEver });
    const listing = failureOf(() => collect(source.list(all, stop.signal)));
    const watching = failureOf(() => collect(source.watch(from, stop.signal)));
    stop.abort(new Error("stopped"));
    expect([await listing, await watching]).toEqual([new Error("stopped"), new Error("stopped")]);
  });

  test("is asked to let go of a stream that is left", async () => {
    let isClosed = false;
    const source = customListWatch<Pod>({
      list: async () => ({ items: [], resourceVersion: "5" }),
      watch: async function* () {
        try {
          yield added("a", "6");
          yield added("b", "7");
        } finally {
          isClosed = true;
        }
      },
    });
    for await (const _ of source.watch(from, signal)) break;
    expect(isClosed).toBe(true);
  });

  test("is not asked to stream lists unless it says so", () => {
    const custom = { list: async () => ({ items: [], resourceVersion: "5" }), watch: forEver };
    expect(customListWatch<Pod>(custom).canWatchList).toBe(false);
    expect(customListWatch<Pod>({ ...custom, canWatchList: true }).canWatchList).toBe(true);
  });

  test("feeds a reflector", async () => {
    const clock = new FakeClock();
    const store = new RecordingStore();
    const source = customListWatch<Pod>({
      list: async ({ resourceVersion }) => ({ items: [pod("a", "1")], resourceVersion: `${resourceVersion}5` }),
      async *watch({ resourceVersion }) {
        yield added("b", `${resourceVersion}1`);
        yield* forEver();
      },
    });
    const stop = new AbortController();
    const running = new Reflector(source, store, { clock, log: noLog }).run(stop.signal);
    await clock.settle();
    stop.abort();
    await running;
    expect(store.calls).toEqual(["replace [a@1] at 05", "add b@051"]);
  });
});
