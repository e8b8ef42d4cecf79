import { describe, expect, expectTypeOf, test } from "vitest";
import { configMaps, deployments, namespaces, nodes, pods } from "../../api/generated/resources.ts";
import { resourcesByGroup } from "../../api/generated/resources-by-group.ts";
import {
  allResources,
  type appsv1,
  type corev1,
  defineResource,
  type KubernetesObject,
  keyOf,
  newForbidden,
  type Resource,
  type rbacv1,
} from "../../api/index.ts";
import { deferred, FakeClock, MetricsRegistry, noLog, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import type { Lister } from "../lister/lister.ts";
import { newListWatchFromClient } from "../reflector/list-watch.ts";
import { InformerName } from "../shared/informer-name.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { InformerFactoryOptions } from "./factory-options.ts";
import { SharedInformerFactory } from "./shared-informer-factory.ts";
import { SmallServer } from "./small-server.fixture.ts";

const pod = (namespace: string, name: string, labels: Record<string, string> = {}): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name, labels },
  spec: { containers: [] },
});
const node = (name: string): corev1.Node => ({ apiVersion: "v1", kind: "Node", metadata: { name } });

function setUp(options: InformerFactoryOptions = {}) {
  const clock = new FakeClock();
  const server = new SmallServer();
  const client = clientOf(server.transport, { clock });
  const factory = new SharedInformerFactory(client, {
    clock,
    random: seededRandom(1),
    freeze: true,
    log: noLog,
    ...options,
  });
  const controller = new AbortController();
  const { signal } = controller;
  return {
    clock,
    server,
    client,
    factory,
    signal,
    /** Aborts and waits; nothing may be left. */
    async end(running: Promise<void> = factory.shutdown()) {
      controller.abort(new Error("enough"));
      await clock.drive(running);
      expect(server.openWatches).toBe(0);
      expect(clock.pending()).toEqual([]);
    },
  };
}

test("reads as promised", async () => {
  const { clock, server, factory, signal, end } = setUp({ resyncMs: 0 });
  server.put(pods, pod("default", "web", { app: "web" }));
  server.put(pods, pod("default", "db", { app: "db" }));
  const heard: string[] = [];
  const { informer, lister } = factory.core.v1.pods;
  informer.addEventHandler({
    onAdd: (object, { isInInitialList }) => void heard.push(`add ${keyOf(object)}${isInInitialList ? " first" : ""}`),
    onUpdate: (before, after) =>
      void heard.push(`update ${before.metadata.labels?.["app"]} to ${after.metadata.labels?.["app"]}`),
    onDelete: (gone) => void heard.push(`delete ${"metadata" in gone ? keyOf(gone) : gone.key}`),
  });
  const running = factory.run(signal);
  await clock.drive(factory.waitForCacheSync(signal));
  expect(lister.namespace("default").list("app=web").map(keyOf)).toEqual(["default/web"]);
  server.put(pods, pod("default", "web", { app: "shop" }));
  server.remove(pods, pod("default", "db"));
  server.put(pods, pod("blog", "new"));
  await clock.advance(1);
  expect(heard).toEqual([
    ...["add default/web first", "add default/db first", "update web to shop", "delete default/db", "add blog/new"],
  ]);
  await end(running);
});

describe("resources", () => {
  test("have one informer, whichever way it is asked for", () => {
    const { factory } = setUp();
    const { informer } = factory.core.v1.pods;
    expect(factory.of(pods).informer).toBe(informer);
    expect(factory.informerFor(pods)).toBe(informer);
    expect(factory.forResource({ group: "", version: "v1", resource: "pods" }).informer).toBe(informer);
    expect(factory.acquire(pods).informer).toBe(informer);
    expect(factory.core.v1.pods.lister).toBe(factory.of(pods).lister);
    expect(factory.of({ ...pods }).informer).toBe(informer);
    expect(factory.core.v1).toBe(factory.core.v1);
    expect(factory.core.v1.nodes.informer).not.toBe(informer);
  });

  test("of one name in two groups, or two versions, are two", () => {
    const { factory } = setUp();
    expect(factory.core.v1.events.informer).not.toBe(factory.events.v1.events.informer);
    expect(factory.autoscaling.v1.horizontalPodAutoscalers.informer).not.toBe(
      factory.autoscaling.v2.horizontalPodAutoscalers.informer,
    );
  });

  test("are all there that can be listed and watched, each where its group and version say", () => {
    const { factory } = setUp();
    const seen = Object.entries(resourcesByGroup).flatMap(([group, versions]) =>
      Object.entries(versions as Record<string, Record<string, Resource>>).flatMap(([version, resources]) =>
        Object.entries(resources).map(([name, resource]) => {
          const groups = factory as unknown as Record<string, Record<string, Record<string, { resource: Resource }>>>;
          expect(groups[group]?.[version]?.[name]?.resource, `${group}.${version}.${name}`).toBe(resource);
          expect(resource.version).toBe(version);
          return resource;
        }),
      ),
    );
    const watchable = allResources().filter(({ verbs }) => verbs.includes("list") && verbs.includes("watch"));
    expect(new Set(seen)).toEqual(new Set(watchable));
    expect(seen.length).toBe(watchable.length);
    expect(factory.statuses).toEqual([]);
  });

  test("that nobody has asked for are looked at without being asked for", () => {
    const { factory } = setUp();
    expect(factory.core.v1.pods.resource).toBe(pods);
    expect(factory.has(pods)).toBe(false);
    factory.core.v1.pods.lister.list();
    expect(factory.has(pods)).toBe(true);
  });

  test("that are not built in are refused by place and taken as a resource", async () => {
    const { clock, server, factory, signal, end } = setUp();
    const place = { group: "example.com", version: "v1", resource: "widgets" };
    expect(() => factory.forResource(place)).toThrow("no informer found for example.com/v1, Resource=widgets");
    const widgets = defineResource<KubernetesObject>({ ...place, kind: "Widget", plural: "widgets" });
    server.put(widgets, { apiVersion: "example.com/v1", kind: "Widget", metadata: { namespace: "shop", name: "w" } });
    const { lister } = factory.of(widgets);
    factory.start(signal);
    await clock.drive(factory.waitForCacheSync(signal));
    expect(lister.namespace("shop").get("w")?.kind).toBe("Widget");
    await end();
  });

  test("may be given an informer of one's own making, by the first that asks", () => {
    const { client, factory } = setUp();
    const make = () => new SharedIndexInformer(newListWatchFromClient(client, pods, { namespace: "shop" }));
    const own = factory.informerFor(pods, make);
    expect(own.name).toBe("pods in shop");
    expect(factory.core.v1.pods.informer).toBe(own);
    expect(factory.informerFor(pods, make)).toBe(own);
  });

  test("have types of their own", () => {
    const { factory } = setUp();
    expectTypeOf(factory.core.v1.pods.informer).toEqualTypeOf<SharedIndexInformer<corev1.Pod>>();
    expectTypeOf(factory.apps.v1.deployments.lister).toEqualTypeOf<Lister<appsv1.Deployment>>();
    expectTypeOf(factory.rbac.v1.clusterRoles.lister).toEqualTypeOf<Lister<rbacv1.ClusterRole>>();
    expectTypeOf(factory.of(deployments).informer).toEqualTypeOf<SharedIndexInformer<appsv1.Deployment>>();
    expectTypeOf(factory.acquire(nodes).lister).toEqualTypeOf<Lister<corev1.Node>>();
  });
});

describe("starting", () => {
  test("asks the server for what was asked for, and for nothing before", async () => {
    const { clock, server, factory, signal, end } = setUp();
    const { informer } = factory.core.v1.pods;
    await clock.advance(1000);
    expect(server.requests).toEqual([]);
    factory.start(signal);
    await clock.drive(factory.waitForCacheSync(signal));
    expect(new Set(server.asked)).toEqual(new Set(["watch pods"]));
    expect(informer.hasSynced()).toBe(true);
    await end();
  });

  test("leaves late ones to the next start", async () => {
    const { clock, server, factory, signal, end } = setUp();
    factory.core.v1.pods.lister;
    factory.start(signal);
    const late = factory.core.v1.nodes.informer;
    await clock.drive(factory.waitForCacheSync(signal));
    expect([server.asked.includes("watch nodes"), late.isStarted()]).toEqual([false, false]);
    factory.start(signal);
    await clock.drive(factory.waitForCacheSync(signal));
    expect(late.hasSynced()).toBe(true);
    await end();
  });

  test("by running includes late ones", async () => {
    const { clock, factory, signal, end } = setUp();
    factory.core.v1.pods.lister;
    const running = factory.run(signal);
    const late = factory.core.v1.nodes.informer;
    await clock.drive(factory.waitForCacheSync(signal));
    expect(late.hasSynced()).toBe(true);
    await end(running);
    expect(() => factory.start(signal)).toThrow("shut down");
  });
});

describe("what the server sends is narrowed", () => {
  for (const [fact, options, asked, names] of [
    ["not at all", {}, ["watch nodes", "watch pods"], ["blog/web", "shop/db", "shop/web"]],
    [
      "to a namespace, for what has one",
      { namespace: "shop" },
      ["watch nodes", "watch pods in shop"],
      ["shop/db", "shop/web"],
    ],
    [
      "not by the empty namespace",
      { namespace: "" },
      ["watch nodes", "watch pods"],
      ["blog/web", "shop/db", "shop/web"],
    ],
    [
      "by a label selector",
      { tweak: (scope: object) => ({ ...scope, labelSelector: "app=web" }) },
      ["watch nodes", "watch pods"],
      ["blog/web", "shop/web"],
    ],
    [
      "by a field selector, for one resource",
      {
        tweak: (scope: object, { kind }: Resource) =>
          kind === "Pod" ? { ...scope, fieldSelector: "metadata.name=db" } : scope,
      },
      ["watch nodes", "watch pods"],
      ["shop/db"],
    ],
  ] as const satisfies readonly (readonly [string, InformerFactoryOptions, readonly string[], readonly string[]])[]) {
    test(fact, async () => {
      const { clock, server, factory, signal, end } = setUp(options);
      for (const object of [
        pod("shop", "web", { app: "web" }),
        pod("blog", "web", { app: "web" }),
        pod("shop", "db"),
      ]) {
        server.put(pods, object);
      }
      server.put(nodes, node("n1"));
      const { lister } = factory.core.v1.pods;
      factory.core.v1.nodes.lister;
      factory.start(signal);
      await clock.drive(factory.waitForCacheSync(signal));
      expect([...new Set(server.asked)].sort()).toEqual(asked);
      expect(lister.list().map(keyOf).sort()).toEqual(names);
      await end();
    });
  }
});

test("caches are indexed by namespace, for listers", () => {
  const { informer } = setUp().factory.core.v1.pods;
  expect(Object.keys(informer.getIndexer().getIndexers())).toEqual(["namespace"]);
});

test("caches keep what the transform leaves", async () => {
  const transform = <T extends KubernetesObject>(object: T): T => {
    const { managedFields: _dropped, ...metadata } = object.metadata;
    return { ...object, metadata };
  };
  const { clock, server, factory, signal, end } = setUp({ transform });
  const web = pod("shop", "web");
  server.put(pods, { ...web, metadata: { ...web.metadata, managedFields: [{ manager: "kubectl" }] } });
  const { lister } = factory.core.v1.pods;
  factory.start(signal);
  await clock.drive(factory.waitForCacheSync(signal));
  expect(lister.get("shop/web")?.metadata).not.toHaveProperty("managedFields");
  await end();
});

test("handlers are told again as often as the factory says, or as it says for one resource", async () => {
  const { clock, server, factory, signal, end } = setUp({ resyncMs: 60_000, customResync: new Map([[nodes, 20_000]]) });
  server.put(pods, pod("shop", "web"));
  server.put(nodes, node("n1"));
  const told = { pods: 0, nodes: 0 };
  const ofPods = factory.core.v1.pods.informer.addEventHandler({ onUpdate: () => void told.pods++ });
  const ofNodes = factory.core.v1.nodes.informer.addEventHandler({ onUpdate: () => void told.nodes++ });
  expect([ofPods.resyncMs, ofNodes.resyncMs]).toEqual([60_000, 20_000]);
  factory.start(signal);
  await clock.drive(factory.waitForCacheSync(signal));
  await clock.advance(65_000);
  expect(told).toEqual({ pods: 1, nodes: 3 });
  await end();
});

describe("an acquired informer", () => {
  test("that is let go of before it has synced keeps nobody from waiting for the others", async () => {
    const { clock, server, factory, signal, end } = setUp();
    server.refusals.set("pods", newForbidden({ group: "", resource: "pods" }, "", { detail: "may not list pods" }));
    server.refusals.set("nodes", newForbidden({ group: "", resource: "nodes" }, "", { detail: "not yet" }));
    factory.core.v1.nodes.lister;
    const acquired = factory.acquire(pods);
    const running = factory.run(signal);
    const synced = factory.waitForCacheSync(signal);
    await clock.advance(1000);
    await clock.drive(acquired[Symbol.asyncDispose]() as Promise<void>);
    server.refusals.clear();
    const result = await clock.drive(synced);
    expect(result.caches.map(({ name, isSynced }) => [name, isSynced])).toEqual([["nodes", true]]);
    await end(running);
  });

  test("stops with its last user and starts anew with the next, sharing its cache meanwhile", async () => {
    const { clock, server, factory, signal, end } = setUp();
    server.put(pods, pod("shop", "web"));
    const running = factory.run(signal);
    const first = factory.acquire(pods);
    {
      await using second = factory.acquire(pods);
      await clock.drive(factory.waitForCacheSync(signal));
      expect(second.lister.list().map(keyOf)).toEqual(["shop/web"]);
      expect(second.lister).toBe(first.lister);
    }
    expect(server.openWatches).toBe(1);
    await clock.drive(first[Symbol.asyncDispose]() as Promise<void>);
    expect(server.openWatches).toBe(0);
    expect(first.informer.isStopped()).toBe(true);

    const again = factory.acquire(pods);
    await clock.drive(factory.waitForCacheSync(signal));
    expect(again.informer).not.toBe(first.informer);
    expect(again.lister.list().map(keyOf)).toEqual(["shop/web"]);
    await clock.drive(again[Symbol.asyncDispose]() as Promise<void>);
    await end(running);
  });

  test("lives on where someone has it for good", async () => {
    const { clock, server, factory, signal, end } = setUp();
    const running = factory.run(signal);
    const acquired = factory.acquire(pods);
    factory.core.v1.pods.lister;
    await clock.drive(factory.waitForCacheSync(signal));
    await acquired[Symbol.asyncDispose]();
    expect(server.openWatches).toBe(1);
    await end(running);
  });
});

describe("waiting for caches", () => {
  test("says which resource did not sync, since when and why", async () => {
    const { clock, server, factory, end } = setUp();
    const detail = 'User "bob" cannot list resource "configmaps" in API group "" at the cluster scope';
    server.refusals.set("configmaps", newForbidden({ group: "", resource: "configmaps" }, "", { detail }));
    factory.core.v1.pods.lister;
    factory.of(configMaps).lister;
    const limit = new AbortController();
    factory.start(new AbortController().signal);
    const waiting = factory.waitForCacheSync(limit.signal).catch((error: unknown) => error);
    await clock.advance(10_000);
    limit.abort(new Error("took too long"));
    expect(String(await clock.drive(waiting))).toBe(
      "CacheSyncError: failed to sync all caches: configmaps (since 2030-01-01T00:00:00.000Z): " +
        `configmaps is forbidden: ${detail} (took too long)`,
    );
    await end();
  });

  test("tells of each that did", async () => {
    const { clock, factory, signal, end } = setUp();
    factory.core.v1.namespaces.lister;
    factory.start(signal);
    const { caches } = await clock.drive(factory.waitForCacheSync(signal));
    expect(caches.map(({ name, isSynced }) => [name, isSynced])).toEqual([[namespaces.plural, true]]);
    await end();
  });

  test("is refused where nothing was started", async () => {
    const { factory, signal } = setUp();
    factory.core.v1.pods.lister;
    await expect(factory.waitForCacheSync(signal)).rejects.toThrow("no informer has been started");
  });
});

describe("the name in the metrics", () => {
  test("is the informers', and free again when the factory is shut down", async () => {
    const metrics = new MetricsRegistry();
    const informerName = new InformerName("factory-test");
    const { clock, factory, signal, end } = setUp({ metrics, informerName });
    factory.core.v1.pods.lister;
    factory.start(signal);
    await clock.drive(factory.waitForCacheSync(signal));
    expect(metrics.print()).toMatch(/name="factory-test"/);
    await end();
    new InformerName("factory-test").release();
  });

  test("is that of an informer that is made anew, too", async () => {
    const informerName = new InformerName("factory-test");
    const metrics = new MetricsRegistry();
    const { clock, factory, signal, end } = setUp({ metrics, informerName });
    const running = factory.run(signal);
    for (const _time of [1, 2]) {
      const acquired = factory.acquire(pods);
      await clock.drive(factory.waitForCacheSync(signal));
      expect(metrics.print()).toMatch(/name="factory-test"/);
      await clock.drive(acquired[Symbol.asyncDispose]() as Promise<void>);
    }
    await end(running);
  });

  test("is that of one that is made anew while the one before still ends", async () => {
    const informerName = new InformerName("factory-test");
    const metrics = new MetricsRegistry();
    const { clock, server, factory, signal, end } = setUp({ metrics, informerName });
    server.put(pods, pod("shop", "a"));
    const running = factory.run(signal);
    const slow = deferred();
    const first = factory.acquire(pods);
    first.informer.addEventHandler({ onAdd: () => slow.promise });
    await clock.drive(factory.waitForCacheSync(signal));
    const leaving = first[Symbol.asyncDispose]();
    factory.acquire(pods);
    await clock.drive(factory.waitForCacheSync(signal));
    slow.resolve();
    await clock.drive(leaving as Promise<void>);
    server.put(pods, pod("shop", "b"));
    await clock.settle();
    expect(metrics.print()).toMatch(/informer_store_resource_version\{.*name="factory-test".*\} 3/);
    await end(running);
    expect(metrics.print()).not.toMatch(/name="factory-test"/);
  });
});

test("statuses tell of every informer", async () => {
  const { clock, factory, signal, end } = setUp();
  factory.core.v1.pods.lister;
  factory.core.v1.nodes.lister;
  factory.start(signal);
  await clock.drive(factory.waitForCacheSync(signal));
  expect(factory.statuses.map(({ name, hasSynced, phase }) => [name, hasSynced, phase])).toEqual([
    ["pods", true, "watching"],
    ["nodes", true, "watching"],
  ]);
  await end();
  expect(factory.statuses.map(({ phase }) => phase)).toEqual(["stopped", "stopped"]);
});

test("disposing of a factory shuts it down", async () => {
  const { clock, server, factory, signal } = setUp();
  factory.core.v1.pods.lister;
  factory.start(signal);
  await clock.drive(factory.waitForCacheSync(signal));
  await clock.drive(factory[Symbol.asyncDispose]());
  expect(server.openWatches).toBe(0);
});

test("tells each informer whatever else it is to know, and keeps the index that listers read", async () => {
  const failures: string[] = [];
  const { clock, server, factory, signal, end } = setUp({
    informerOptions: ({ plural }) => ({
      indexers: { kind: (object) => [object.kind] },
      onHandlerError: (error) => failures.push(`${plural}: ${error.message}`),
    }),
  });
  server.put(pods, pod("default", "web"));
  const { informer, lister } = factory.core.v1.pods;
  informer.addEventHandler({
    onAdd() {
      throw new Error("handler broke");
    },
  });
  const running = factory.run(signal);
  await clock.advance(0);
  expect(failures).toEqual(["pods: handler broke"]);
  expect([informer.getIndexer().byIndex("kind", "Pod").length, lister.namespace("default").list().length]).toEqual([
    1, 1,
  ]);
  await end(running);
});
