import { describe, expect, expectTypeOf, test } from "vitest";
import { deployments, nodes, pods } from "../../api/generated/resources.ts";
import {
  defineResource,
  findResource,
  type GroupVersionResource,
  type KubernetesObject,
  keyOf,
  newBadRequest,
  type PartialObjectMetadata,
  queryValue,
} from "../../api/index.ts";
import { FakeClock, noLog, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import type { Lister } from "../lister/lister.ts";
import { InformerName } from "../shared/informer-name.ts";
import { lastStateOf } from "../tombstone.ts";
import { DynamicSharedInformerFactory } from "./dynamic-shared-informer-factory.ts";
import type { InformerFactoryOptions } from "./factory-options.ts";
import { MetadataSharedInformerFactory } from "./metadata-shared-informer-factory.ts";
import { ObjectOrMetadataInformerFactory } from "./object-or-metadata-informer-factory.ts";
import { SharedInformerFactory } from "./shared-informer-factory.ts";
import { SmallServer } from "./small-server.fixture.ts";

/** A kind that nothing here knows. */
const place: GroupVersionResource = { group: "extensions", version: "v1beta1", resource: "deployments" };
const stored = { group: "extensions", plural: "deployments" };
const foo = (namespace: string, labels: Record<string, string> = {}): KubernetesObject & { readonly spec: string } => ({
  apiVersion: "extensions/v1beta1",
  kind: "Deployment",
  metadata: { namespace, name: "name-foo", labels },
  spec: "kept",
});

const factories = { dynamic: DynamicSharedInformerFactory, metadata: MetadataSharedInformerFactory };

function setUp(which: keyof typeof factories, options: InformerFactoryOptions = {}) {
  const clock = new FakeClock();
  const server = new SmallServer();
  const client = clientOf(server.transport, { clock });
  const given = { clock, random: seededRandom(1), freeze: true, log: noLog, ...options };
  const factory = new factories[which](client, given);
  const controller = new AbortController();
  const { signal } = controller;
  return { clock, server, client, factory, given, signal, end: () => clock.drive(factory.shutdown()) };
}

/** How objects look in the cache of a factory. */
const shownAs = {
  dynamic: (object: KubernetesObject) => object,
  metadata: ({ metadata }: KubernetesObject) => ({
    apiVersion: "meta.k8s.io/v1",
    kind: "PartialObjectMetadata",
    metadata,
  }),
};

for (const which of ["dynamic", "metadata"] as const) {
  describe(`the ${which} factory`, () => {
    for (const [fact, existing, act, expected] of [
      ["adding an object", [], (server: SmallServer) => server.put(stored, foo("ns-foo")), "add"],
      [
        "updating an object",
        [foo("ns-foo")],
        (server: SmallServer) => server.put(stored, foo("ns-foo", { test: "updated" })),
        "update",
      ],
      [
        "deleting an object",
        [foo("ns-foo")],
        (server: SmallServer) => {
          server.remove(stored, foo("ns-foo"));
          return foo("ns-foo");
        },
        "delete",
      ],
    ] as const) {
      test(`tells handlers of ${fact}, of a kind that is not built in`, async () => {
        const { clock, server, factory, signal, end } = setUp(which);
        for (const object of existing) server.put(stored, object);
        const heard: [string, KubernetesObject | undefined][] = [];
        factory.forResource(place).informer.addEventHandler({
          onAdd: (object, { isInInitialList }) => void (isInInitialList || heard.push(["add", object])),
          onUpdate: (_before, after) => void heard.push(["update", after]),
          onDelete: (gone) => void heard.push(["delete", lastStateOf<KubernetesObject>(gone)]),
        });
        factory.start(signal);
        await clock.drive(factory.waitForCacheSync(signal));
        const object = act(server);
        await clock.advance(1);
        expect(heard.map(([event]) => event)).toEqual([expected]);
        const { metadata, ...rest } = shownAs[which](object);
        expect(heard[0]?.[1]).toMatchObject(rest);
        expect(heard[0]?.[1]?.metadata).toMatchObject({ namespace: "ns-foo", labels: metadata.labels });
        expect(Object.keys(heard[0]?.[1] ?? {}).sort()).toEqual(Object.keys(shownAs[which](object)).sort());
        await end();
      });
    }

    const byName = (name: string) => (scope: object) => ({ ...scope, fieldSelector: `metadata.name=${name}` });
    const byLabel = (selector: string) => (scope: object) => ({ ...scope, labelSelector: selector });
    for (const [fact, options, added, isTold] of [
      ["an object of its namespace", { namespace: "ns-foo" }, foo("ns-foo"), true],
      ["no object of another namespace", { namespace: "ns-bar" }, foo("ns-foo"), false],
      ["an object its field selector selects", { tweak: byName("name-foo") }, foo("ns-foo"), true],
      ["no object its field selector leaves out", { tweak: byName("name-bar") }, foo("ns-foo"), false],
      ["an object its label selector selects", { tweak: byLabel("env=test") }, foo("ns-foo", { env: "test" }), true],
      [
        "no object its label selector leaves out",
        { tweak: byLabel("env=prod") },
        foo("ns-foo", { env: "test" }),
        false,
      ],
    ] as const satisfies readonly (readonly [string, InformerFactoryOptions, KubernetesObject, boolean])[]) {
      test(`narrowed, tells of ${fact}`, async () => {
        const { clock, server, factory, signal, end } = setUp(which, options);
        const heard: string[] = [];
        const { informer } = factory.forResource(place);
        informer.addEventHandler({ onAdd: (object) => void heard.push(keyOf(object)) });
        factory.start(signal);
        await clock.drive(factory.waitForCacheSync(signal));
        server.put(stored, added);
        await clock.advance(1);
        expect(heard).toEqual(isTold ? ["ns-foo/name-foo"] : []);
        await end();
      });
    }

    test("begins with a watch that streams the list, where the server can", async () => {
      const { clock, server, factory, signal, end } = setUp(which, { namespace: "ns" });
      factory.forResource({ group: "apps", version: "v1", resource: "deployments" }).lister;
      factory.start(signal);
      await clock.drive(factory.waitForCacheSync(signal));
      expect(server.asked).toEqual(["watch deployments in ns"]);
      expect(queryValue(server.requests[0]?.query ?? [], "sendInitialEvents")).toBe("true");
      await end();
    });

    test("lists first where it is told that the server cannot", async () => {
      const { clock, server, factory, signal, end } = setUp(which, { namespace: "ns", canWatchList: false });
      factory.forResource({ group: "apps", version: "v1", resource: "deployments" }).lister;
      factory.start(signal);
      await clock.drive(factory.waitForCacheSync(signal));
      await clock.advance(1);
      expect(server.asked).toEqual(["list deployments in ns", "watch deployments in ns"]);
      await end();
    });

    test("has one informer for a place, however it is named", () => {
      const { factory } = setUp(which);
      const { informer } = factory.forResource({ group: "apps", version: "v1", resource: "deployments" });
      expect(factory.forResource(deployments).informer).toBe(informer);
      expect(factory.acquire(deployments).informer).toBe(informer);
      expect(factory.has(deployments)).toBe(true);
      expect(factory.has(nodes)).toBe(false);
    });

    test("reads what lives in no namespace also where it is kept to one", async () => {
      const { clock, server, factory, signal, end } = setUp(which, { namespace: "shop" });
      server.put(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } });
      const { lister } = factory.forResource({ group: "", version: "v1", resource: "nodes" });
      factory.start(signal);
      await clock.drive(factory.waitForCacheSync(signal));
      expect(lister.get("n1")?.metadata.name).toBe("n1");
      expect(() => lister.getOrThrow("n2")).toThrow('nodes "n2" not found');
      await end();
    });

    test("transforms, names and runs as the typed one does", async () => {
      const informerName = new InformerName(`${which}-factory-test`);
      const transform = <T extends KubernetesObject>(object: T): T => ({
        ...object,
        metadata: { ...object.metadata, annotations: { seen: "yes" } },
      });
      const { clock, server, factory } = setUp(which, { transform, informerName });
      server.put(stored, foo("ns-foo"));
      const controller = new AbortController();
      const running = factory.run(controller.signal);
      const acquired = factory.acquire(place);
      await clock.drive(factory.waitForCacheSync(controller.signal));
      expect(acquired.lister.list()[0]?.metadata.annotations).toEqual({ seen: "yes" });
      expect(factory.statuses.map(({ name, size }) => [name, size])).toEqual([["deployments.extensions", 1]]);
      await clock.drive(acquired[Symbol.asyncDispose]() as Promise<void>);
      expect(server.openWatches).toBe(0);
      expect(factory.statuses).toEqual([]);
      controller.abort();
      await clock.drive(running);
      expect(() => factory.start(controller.signal)).toThrow("shut down");
      new InformerName(`${which}-factory-test`).release();
      await factory[Symbol.asyncDispose]();
    });
  });
}

test("metadata is typed as metadata", () => {
  const { factory } = setUp("metadata");
  expectTypeOf((factory as MetadataSharedInformerFactory).forResource(pods).lister).toEqualTypeOf<
    Lister<PartialObjectMetadata>
  >();
});

describe("objects or metadata", () => {
  function setUpBoth(wantsObjects?: (resource: { readonly group: string }) => boolean) {
    const base = setUp("metadata");
    const objects = new SharedInformerFactory(base.client, base.given);
    const metadata = base.factory as MetadataSharedInformerFactory;
    const either = new ObjectOrMetadataInformerFactory(objects, metadata, wantsObjects && { wantsObjects });
    const end = async () => {
      await base.clock.drive(Promise.all([objects.shutdown(), metadata.shutdown()]));
      expect(base.server.openWatches).toBe(0);
    };
    return { ...base, objects, metadata, either, end };
  }

  test("shares the informer of whole objects where someone has asked for one", () => {
    const { objects, metadata, either } = setUpBoth();
    const { informer } = objects.core.v1.pods;
    expect(either.forResource({ group: "", version: "v1", resource: "pods" }).informer).toBe(informer);
    expect(either.acquire(pods).informer).toBe(informer);
    expect(metadata.has(pods)).toBe(false);
  });

  test("takes metadata where nobody has, and stays with it", () => {
    const { objects, metadata, either } = setUpBoth();
    const { informer } = either.forResource(pods);
    expect(informer).toBe(metadata.forResource(pods).informer);
    expect(objects.has(pods)).toBe(false);
    objects.core.v1.pods.lister;
    expect(either.forResource(pods).informer).toBe(informer);
    expect(either.acquire(pods).informer).toBe(informer);
  });

  test("takes whole objects where it is told to, as upstream does for all it knows", () => {
    const { objects, metadata, either } = setUpBoth(({ group }) => group === "apps");
    either.forResource(deployments).lister;
    either.forResource(place).lister;
    expect([objects.has(deployments), metadata.has(place), metadata.has(deployments)]).toEqual([true, true, false]);
  });

  test("starts both", async () => {
    const { clock, server, objects, metadata, either, signal, end } = setUpBoth();
    server.put(pods, { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "web" } });
    server.put(stored, foo("shop"));
    objects.core.v1.pods.lister;
    const listers = [either.forResource(pods).lister, either.forResource(place).lister];
    either.start(signal);
    await clock.drive(Promise.all([objects.waitForCacheSync(signal), metadata.waitForCacheSync(signal)]));
    expect(listers.map((lister) => lister.list().map(({ kind }) => kind))).toEqual([
      ["Pod"],
      ["PartialObjectMetadata"],
    ]);
    await end();
  });
});

test("a place nobody knows is asked for all the same, and its absence is told", async () => {
  const { clock, server, factory, end } = setUp("dynamic");
  server.refusals.set("widgets", newBadRequest("the server could not find the requested resource"));
  factory.forResource({ group: "example.com", version: "v1", resource: "widgets" }).lister;
  const limit = new AbortController();
  factory.start(new AbortController().signal);
  const waiting = factory.waitForCacheSync(limit.signal).catch((error: unknown) => error);
  await clock.advance(5_000);
  limit.abort(new Error("enough"));
  expect(String(await clock.drive(waiting))).toMatch(/widgets\.example\.com .*could not find the requested resource/);
  await end();
});

test("a resource with another kind than the server sends is told apart from a place without one", async () => {
  const wrong = defineResource({ ...place, plural: place.resource, kind: "Wrong" });
  expect(findResource(place)).toBeUndefined();
  for (const [asked, size] of [
    [wrong, 0],
    [place, 1],
  ] as const) {
    const { clock, server, factory, signal, end } = setUp("dynamic");
    server.put(stored, foo("ns-foo"));
    const { lister } = factory.forResource(asked);
    factory.start(signal);
    await clock.drive(factory.waitForCacheSync(signal));
    expect(lister.list()).toHaveLength(size);
    await end();
  }
});
