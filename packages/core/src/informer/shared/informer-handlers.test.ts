import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../api/index.ts";
import { deferred, MetricsRegistry, seededRandom } from "../../base/index.ts";
import type { ResourceEventHandler } from "../handler/handlers.ts";
import { isFinalStateUnknown } from "../tombstone.ts";
import { InformerName } from "./informer-name.ts";
import { recorder } from "./notifications.fixture.ts";
import { podInformer } from "./running-informer.fixture.ts";

describe("handlers", () => {
  test("can be added and removed, also the same one twice, each registration on its own", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const { heard, handler } = recorder();
    const first = informer.addEventHandler(handler);
    const second = informer.addEventHandler(handler);
    await start();
    source.put("a");
    await clock.settle();
    informer.removeEventHandler(first);
    source.put("b");
    await clock.settle();
    expect(heard).toEqual(["add a@1", "add a@1", "add b@2"]);
    expect([informer.hasEventHandler(first), informer.hasEventHandler(second)]).toEqual([false, true]);
    second.remove();
    source.put("c");
    await clock.settle();
    expect(heard).toHaveLength(3);
    await stop();
  });

  test("may be added in the same breath as the start, and by another handler from inside its callback", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    source.put("a");
    const [second, third] = [recorder(), recorder()];
    const first = recorder((line) => {
      if (line.includes("b@")) informer.addEventHandler(third.handler);
    });
    informer.addEventHandler(first.handler);
    const starting = start();
    informer.addEventHandler(second.handler);
    await starting;
    source.put("b");
    await clock.settle();
    source.put("a");
    await clock.settle();
    expect(first.heard).toEqual(["add a@1 (initial)", "add b@2", "update a@1 to a@3"]);
    expect(second.heard).toEqual(first.heard);
    expect(third.heard).toEqual(["add a@1 (initial)", "add b@2 (initial)", "update a@1 to a@3"]);
    await stop();
  });

  test("of another informer cannot be removed", () => {
    const { informer } = podInformer();
    const other = podInformer().informer;
    const registration = informer.addEventHandler({}, { name: "mine" });
    expect(() => other.removeEventHandler(registration)).toThrow('handler "mine" is not registered with this informer');
    expect([informer.hasEventHandler(registration), other.hasEventHandler(registration)]).toEqual([true, false]);
  });

  test("are named after their class or functions unless given a name", () => {
    class Watcher {
      onAdd(): void {}
    }
    const { informer } = podInformer();
    expect([informer.addEventHandler(new Watcher()).name, informer.addEventHandler({}, { name: "mine" }).name]).toEqual(
      ["Watcher", "mine"],
    );
  });

  test("come and go by the hundred while objects do, and whoever stays has the cache's view", async () => {
    const random = seededRandom(7);
    const { source, informer, start, stop, clock, lines } = podInformer({ resyncMs: 1000 });
    await start();
    const views: { readonly view: Map<string, string>; readonly leave: () => void }[] = [];
    const join = () => {
      const view = new Map<string, string>();
      const key = (pod: KubernetesObject) => pod.metadata.name ?? "";
      const handler: ResourceEventHandler<KubernetesObject> = {
        onAdd: (pod) => {
          expect(view.has(key(pod))).toBe(false);
          view.set(key(pod), pod.metadata.resourceVersion ?? "");
        },
        onUpdate: (before, after) => {
          expect(view.get(key(before))).toBe(before.metadata.resourceVersion);
          view.set(key(after), after.metadata.resourceVersion ?? "");
        },
        onDelete: (gone) => {
          expect(view.delete(isFinalStateUnknown(gone) ? gone.key.replace("shop/", "") : key(gone))).toBe(true);
        },
      };
      const registration = informer.addEventHandler(handler, { resyncMs: 1000 });
      views.push({ view, leave: () => registration.remove() });
    };
    for (let step = 0; step < 2000; step++) {
      const dice = random.next();
      const name = `pod-${Math.floor(random.next() * 20)}`;
      if (dice < 0.12) join();
      else if (dice < 0.2) views.splice(Math.floor(random.next() * views.length), 1)[0]?.leave();
      else if (dice < 0.4) source.delete(name);
      else if (dice < 0.98) source.put(name);
      else await clock.advance(700);
    }
    await clock.settle();
    const cached = new Map(
      informer
        .getStore()
        .list()
        .map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
    expect(views.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.startsWith("error"))).toEqual([]);
    for (const { view } of views) expect(new Map([...view].sort())).toEqual(new Map([...cached].sort()));
    await stop();
  });

  test("that fail are counted where the informer has an identity", async () => {
    using name = new InformerName("shop");
    const metrics = new MetricsRegistry();
    const identity = name.withResource({ group: "", version: "v1", plural: "pods" });
    const { source, informer, start, stop, clock } = podInformer({ metrics, identity });
    source.put("a");
    informer.addEventHandler({ onAdd: () => Promise.reject(new Error("no")) });
    await start();
    source.put("b");
    await clock.settle();
    const labels = '{name="shop",group="",version="v1",resource="pods"}';
    const lines = metrics.print().split("\n");
    expect(lines).toContain(`informer_handler_errors_total${labels} 2`);
    expect(lines).toContain(`informer_store_resource_version${labels} 2`);
    expect(lines).toContain(`informer_queued_items${labels} 0`);
    expect(lines).toContain(`informer_processing_latency_seconds_count${labels} 2`);
    await stop();
    expect(metrics.print()).not.toContain('name="shop"');
  });

  test("of a second informer with the same identity are counted by the first only", async () => {
    using name = new InformerName("shop");
    const metrics = new MetricsRegistry();
    const identityOf = () => name.withResource({ group: "", version: "v1", plural: "pods" });
    const first = podInformer({ metrics, identity: identityOf() });
    const second = podInformer({ metrics, identity: identityOf() });
    second.source.put("a");
    await first.start();
    await second.start();
    expect(metrics.print()).toContain(
      'informer_store_resource_version{name="shop",group="",version="v1",resource="pods"} 0',
    );
    await first.stop();
    await second.stop();
  });

  test("with a bound hear of the last state of each object, however slow they are", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    source.put("a");
    const gate = deferred();
    const { heard, handler } = recorder(() => gate.promise);
    const registration = informer.addEventHandler(handler, { maxQueued: 1 });
    await start();
    for (let i = 0; i < 100; i++) source.put("a");
    await clock.settle();
    expect(registration.pending).toBe(1);
    gate.resolve();
    await clock.settle();
    expect(heard).toEqual(["add a@1 (initial)", "update a@1 to a@101"]);
    await stop();
  });

  test("can be shut down before the start, while it runs, after it stopped, and twice", async () => {
    const { informer, start, stop, signal } = podInformer();
    const registrations = [1, 2, 3].map(() => informer.addEventHandler({}));
    const [before, during, after] = registrations as [(typeof registrations)[0], ...typeof registrations];
    await informer.shutDownEventHandler(before);
    await start();
    await during?.whenSynced(signal);
    if (during !== undefined) await informer.shutDownEventHandler(during);
    await stop();
    for (const each of [before, during, after]) if (each !== undefined) await informer.shutDownEventHandler(each);
    expect(registrations.map((each) => informer.hasEventHandler(each))).toEqual([false, false, false]);
  });

  test("can be shut down: the callback that runs is waited for", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const gate = deferred();
    const events: string[] = [];
    const registration = informer.addEventHandler({
      onAdd: async () => {
        await gate.promise;
        events.push("callback ended");
      },
    });
    source.put("a");
    source.put("b");
    await start();
    const down = informer.shutDownEventHandler(registration).then(() => events.push("shut down"));
    await clock.settle();
    expect(events).toEqual([]);
    gate.resolve();
    await down;
    expect(events).toEqual(["callback ended", "shut down"]);
    await stop();
  });
});
