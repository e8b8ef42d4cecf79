import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { type KubernetesObject, newForbidden } from "../../api/index.ts";
import { type Clock, deferred, FakeClock, systemClock } from "../../base/index.ts";
import { CacheMutationDetector } from "../store/cache-mutation-detector.ts";
import { recorder } from "./notifications.fixture.ts";
import { podInformer } from "./running-informer.fixture.ts";

const byLabel = (pod: KubernetesObject) => Object.keys(pod.metadata.labels ?? {});

describe("a life", () => {
  test("begins with run and ends with the signal; there is no second one", async () => {
    const { source, informer, start, stop } = podInformer();
    source.put("a");
    expect([informer.isStarted(), informer.isStopped()]).toEqual([false, false]);
    await start();
    expect([informer.isStarted(), informer.isStopped()]).toEqual([true, false]);
    await expect(informer.run(new AbortController().signal)).rejects.toThrow('informer "pods" runs once only');
    await stop();
    expect([informer.isStarted(), informer.isStopped()]).toEqual([true, true]);
    await expect(informer.run(new AbortController().signal)).rejects.toThrow("runs once only");
    expect(informer.getStore().listKeys()).toEqual(["shop/a"]);
  });

  test("takes no handler and no index any more once stopped; removing still works", async () => {
    const { informer, start, stop } = podInformer();
    const registration = informer.addEventHandler({});
    await start();
    const stopped = stop();
    expect(() => informer.addEventHandler({}, { name: "late" })).toThrow(
      'informer "pods" has stopped: handler "late" was not added',
    );
    await stopped;
    expect(() => informer.addIndexers({ labels: byLabel })).toThrow("indexers were not added");
    informer.removeEventHandler(registration);
    await informer.shutDownEventHandler(registration);
  });

  test("lets transform and watch error handler be set only before it begins", async () => {
    const { informer, start, stop } = podInformer();
    informer.setTransform((pod) => pod);
    informer.setWatchErrorHandler(() => {});
    await start();
    expect(() => informer.setTransform((pod) => pod)).toThrow("has started: the transform can no longer be set");
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow("the watch error handler can no longer be set");
    await stop();
  });

  test("that was over before it began asks the source for nothing", async () => {
    const { informer, source } = podInformer();
    await informer.run(AbortSignal.abort());
    expect([source.lists, informer.isStopped(), informer.hasSynced()]).toEqual([0, true, false]);
  });

  test("that never begins holds nothing", async () => {
    const { informer, clock, source } = podInformer({ resyncMs: 1000 });
    informer.addEventHandler({});
    await clock.advance(10_000);
    expect([clock.pending(), clock.inFlight(), source.lists]).toEqual([[], [], 0]);
  });

  test("stopped in the middle of a list opens no watch", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const release = source.holdLists();
    await start();
    expect(source.lists).toBe(1);
    await stop();
    release();
    await clock.settle();
    expect([source.watches, informer.getStore().size]).toEqual([0, 0]);
  });

  const stops: readonly [when: string, prepare: (set: ReturnType<typeof podInformer>) => Promise<void>][] = [
    [
      "before the first list is there",
      async ({ source, start }) => {
        source.holdLists();
        await start();
      },
    ],
    ["while watching", async ({ start }) => start()],
    [
      "while waiting after a failure",
      async ({ source, start }) => {
        source.listError = new Error("no");
        await start();
      },
    ],
  ];
  for (const [when, prepare] of stops) {
    test(`stopped ${when} leaves nothing behind`, async () => {
      const set = podInformer({ resyncMs: 1000 });
      set.source.put("a");
      const { heard, handler } = recorder();
      set.informer.addEventHandler(handler);
      await prepare(set);
      await set.stop();
      const told = heard.length;
      set.source.put("b");
      await set.clock.settle();
      expect(set.clock.pending()).toEqual([]);
      expect(set.clock.inFlight()).toEqual([]);
      expect([set.source.openWatches, heard.length, getEventListeners(set.signal, "abort").length]).toEqual([
        0,
        told,
        0,
      ]);
    });
  }

  test("stopped with a callback running ends when that has ended", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const gate = deferred();
    const events: string[] = [];
    informer.addEventHandler({
      onAdd: async () => {
        await gate.promise;
        events.push("callback ended");
      },
    });
    source.put("a");
    source.put("b");
    await start();
    const stopped = stop().then(() => events.push("informer ended"));
    await clock.settle();
    expect(events).toEqual([]);
    gate.resolve();
    await stopped;
    expect(events).toEqual(["callback ended", "informer ended"]);
  });
});

describe("liveness", () => {
  test("shows in the status: synced, watching, version, size, counts", async () => {
    const { source, informer, start, stop, clock } = podInformer({ name: "my pods" });
    expect(informer.status).toMatchObject({ name: "my pods", phase: "idle", hasSynced: false, startedMs: undefined });
    source.put("a");
    await start();
    expect(informer.status).toMatchObject({
      name: "my pods",
      phase: "watching",
      hasSynced: true,
      size: 1,
      queued: 0,
      resourceVersion: "1",
      lists: 1,
      watches: 1,
      errors: 0,
      startedMs: clock.now(),
      lastContactMs: clock.now(),
      lastFailure: undefined,
    });
    await stop();
    expect(informer.status.phase).toBe("stopped");
  });

  test("tells who listens of every turn it takes", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const phases: string[] = [];
    const listening = informer.onStatusChange(({ phase, hasSynced }) => {
      const seen = `${phase}${hasSynced ? ", synced" : ""}`;
      if (phases.at(-1) !== seen) phases.push(seen);
    });
    source.listError = new Error("no");
    await start();
    source.listError = undefined;
    await clock.advance(3000);
    await stop();
    expect(phases).toEqual([
      "idle",
      "listing",
      "waiting",
      "listing",
      "watching",
      "watching, synced",
      "stopped, synced",
    ]);
    listening[Symbol.dispose]();
  });

  test("every failure reaches the watch error handler and the status", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const seen: string[] = [];
    informer.setWatchErrorHandler((error) => void seen.push(error.message));
    source.listError = newForbidden({ group: "", resource: "pods" }, "", { detail: "no access" });
    await start();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain("forbidden");
    source.listError = undefined;
    source.watchError = new Error("no watch");
    await clock.advance(10_000);
    expect(seen).toContain("no watch");
    expect(informer.status).toMatchObject({ errors: seen.length });
    expect(informer.status.lastFailure?.error.message).toBe(seen.at(-1));
    await stop();
  });

  test("an informer that cannot reach its source becomes deaf, says why, and is well again afterwards", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    source.listError = newForbidden({ group: "", resource: "pods" }, "", { detail: "no access" });
    expect(informer.checkHealth()).toEqual({ isHealthy: true });
    await start();
    expect(informer.isDeaf()).toBe(false);
    await clock.advance(61_000);
    expect(informer.checkHealth()).toMatchObject({
      isHealthy: false,
      reason: expect.stringMatching(/61 s: .*forbidden/),
    });
    source.listError = undefined;
    await clock.advance(120_000);
    expect([informer.hasSynced(), informer.isDeaf()]).toEqual([true, false]);
    await clock.advance(60_000);
    expect(informer.isDeaf({ maxSilenceMs: 30_000 })).toBe(true);
    await stop();
  });
});

describe("the health", () => {
  const hour = 3_600_000;

  test("of an informer that hears does not suffer from a jump of the wall clock", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    source.put("a");
    await start();
    await clock.advance(1000);
    for (const jumpMs of [hour, -24 * hour]) {
      clock.setWallTime(clock.now() + jumpMs);
      expect(informer.checkHealth()).toEqual({ isHealthy: true });
      expect(clock.now() - (informer.status.lastContactMs ?? 0)).toBe(1000);
    }
    await stop();
  });

  test("of an informer that cannot list is not hidden by a wall clock that was set back", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    source.listError = new Error("no");
    await start();
    await clock.advance(1000);
    clock.setWallTime(clock.now() - 24 * hour);
    await clock.advance(hour);
    expect(informer.checkHealth()).toMatchObject({ isHealthy: false, reason: expect.stringContaining("3601 s: no") });
    await stop();
  });

  test("of an informer that may list and never watch is bad, until it can watch", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    source.put("a");
    source.watchError = newForbidden({ group: "", resource: "pods" }, "", { detail: "may not watch" });
    await start();
    expect(informer.checkHealth()).toEqual({ isHealthy: true });
    await clock.advance(hour);
    expect(informer.status.lists).toBeGreaterThan(50);
    expect(informer.checkHealth()).toMatchObject({
      isHealthy: false,
      reason: expect.stringContaining("may not watch"),
    });
    source.watchError = undefined;
    await clock.advance(60_000);
    expect(informer.checkHealth()).toEqual({ isHealthy: true });
    source.put("a");
    await clock.settle();
    expect(informer.status.failingSinceMs).toBeUndefined();
    await stop();
  });

  test("of an informer is good when each of its watches ends in a 410 after an event", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    await start();
    for (let minutes = 0; minutes < 10; minutes++) {
      source.put("a");
      await clock.advance(59_000);
      source.cutWatches();
      source.put("a", {}, "unseen");
      source.cutWatches();
      await clock.advance(1000);
      expect(informer.checkHealth()).toEqual({ isHealthy: true });
    }
    await stop();
  });
});

describe("what is cached", () => {
  test("cannot be changed where the informer freezes", async () => {
    const { source, informer, start, stop } = podInformer({ freeze: true });
    source.put("a", { app: "web" });
    await start();
    const cached = informer.getStore().getByKey("shop/a") as { metadata: { labels: Record<string, string> } };
    expect(() => {
      cached.metadata.labels["seen"] = "yes";
    }).toThrow(TypeError);
    await stop();
  });

  test("is looked after where that is asked for: who changes it ends the informer, with what and where", async () => {
    const clock = new FakeClock();
    const mutationDetector = new CacheMutationDetector("pods", { clock });
    const { source, informer, start, running, signal } = podInformer({ clock, freeze: false, mutationDetector });
    source.put("a", { app: "web" });
    informer.addEventHandler({
      onUpdate: (_before, after) => {
        (after.metadata.labels as Record<string, string>)["app"] = "changed";
      },
    });
    await start();
    await clock.advance(2000);
    expect([informer.isStopped(), mutationDetector.size]).toEqual([false, 1]);
    source.put("a", { app: "web" });
    const ended = expect(running()).rejects.toThrow(/object shop\/a of cache pods was altered[\s\S]*changed/);
    await clock.advance(2000);
    await ended;
    expect([informer.isStopped(), signal.aborted, clock.pending()]).toEqual([true, false, []]);
  });

  test("stopped while a long first list is on its way into the cache, no handler counts as synced", async () => {
    const stopping = new AbortController();
    let nowMs = 0;
    // Every look at it costs a millisecond, so there are pauses in placing the list; in the first it is stopped.
    const busy: Clock = {
      ...systemClock,
      monotonic: () => ++nowMs,
      labelled: () => busy,
      yield: async () => stopping.abort(),
    };
    const { source, informer } = podInformer({ clock: busy });
    for (let i = 0; i < 300; i++) source.put(`p${i}`);
    const { heard, handler } = recorder();
    const registration = informer.addEventHandler(handler);
    const synced = expect(registration.whenSynced(new AbortController().signal)).rejects.toThrow(
      "before it had synced",
    );
    await informer.run(stopping.signal);
    await synced;
    expect([informer.getStore().size, heard]).toEqual([0, []]);
    expect([registration.hasSynced(), informer.hasSynced()]).toEqual([false, false]);
  });

  test("an index function that throws leaves out that object, loudly, and nothing else", async () => {
    const refused: string[] = [];
    const { source, informer, start, stop, lines, clock } = podInformer({
      onCacheError: (error) => {
        refused.push(error.message);
        throw new Error("nothing can be done about it");
      },
      indexers: {
        picky: (pod) => {
          if (pod.metadata.name === "bad") throw new Error("no");
          return ["x"];
        },
      },
    });
    source.put("good");
    source.put("bad");
    await start();
    source.put("better");
    await clock.settle();
    expect(informer.getStore().listKeys().sort()).toEqual(["shop/better", "shop/good"]);
    expect(lines).toContain("error: cache refused an object");
    expect(refused).toEqual([expect.stringContaining("shop/bad")]);
    await stop();
  });
});
