import { describe, expect, test } from "vitest";
import { configMaps, secrets } from "../../api/generated/resources.ts";
import { controllerOf, type FaultRule, withFaults } from "../../api/index.ts";
import { deferred, seededRandom } from "../../base/index.ts";
import { create, defineIndex, removeCollection, slowStart } from "../../contract/index.ts";
import type { ReconcileContext } from "../../runtime/index.ts";
import type { StageOptions } from "../contract/stage.fixture.ts";
import { foos, freely, metric, newChild, newConfigMap, onFoos, onStage } from "./foo.fixture.ts";

const byColor = defineIndex("color", configMaps, (map) =>
  map.data?.["color"] === undefined ? [] : [map.data["color"]],
);

/** Runs one reconcile while no watch sends events. */
async function whileCachesSleep<R>(
  work: (context: ReconcileContext) => Promise<R>,
  options: Partial<StageOptions> = {},
): Promise<{ readonly answer: R | undefined; readonly error: unknown }> {
  let answer: R | undefined;
  let error: unknown;
  let rounds = 0;
  const controller = onFoos(
    async (_request, context) => {
      if (++rounds !== 2) return;
      try {
        answer = await work(context);
      } catch (thrown) {
        error = thrown;
      }
    },
    { ...freely, indexes: [byColor] },
  );
  await using stage = onStage(controller, {
    objects: [
      [
        foos,
        { apiVersion: "samplecontroller.k8s.io/v1alpha1", kind: "Foo", metadata: { namespace: "shop", name: "a" } },
      ],
      [configMaps, newConfigMap("old", { data: { color: "red" }, metadata: { labels: { app: "web" } } })],
      [configMaps, newConfigMap("held", { metadata: { finalizers: ["x/y"] } })],
    ],
    ...options,
  });
  await stage.clock.advance(1000);
  stage.server.server.pauseCache();
  stage.driver.wake("shop/a");
  await stage.clock.advance(1000);
  stage.server.server.resumeCache();
  await stage.clock.advance(60_000);
  return { answer, error };
}

const names = (objects: readonly { readonly metadata: { readonly name?: string } }[]) =>
  objects.map(({ metadata }) => metadata.name).toSorted();

describe("what a reconcile has written, it reads, however late the watch", () => {
  const rows: readonly [fact: string, work: (context: ReconcileContext) => Promise<unknown>, expected: unknown][] = [
    [
      "an object made is there",
      async ({ client, reader }) => {
        await client.resource(configMaps).create(newConfigMap("new", { data: { color: "blue" } }));
        return reader.get(configMaps, "shop/new")?.data;
      },
      { color: "blue" },
    ],
    [
      "and in lists and indexes",
      async ({ client, reader }) => {
        await client
          .resource(configMaps)
          .create(newConfigMap("new", { data: { color: "red" }, metadata: { labels: { app: "web" } } }));
        await client.resource(configMaps).create(newConfigMap("other", { data: { color: "blue" } }));
        return [
          names(reader.list(configMaps)),
          names(reader.list(configMaps, { selector: "app=web" })),
          names(reader.list(configMaps, { namespace: "elsewhere" })),
          names(reader.byIndex(byColor, "red")),
        ];
      },
      [["held", "new", "old", "other"], ["new", "old"], [], ["new", "old"]],
    ],
    [
      "one whose name the server chose, too",
      async ({ client, reader }) => {
        const foo = reader.get(foos, "shop/a");
        if (foo === undefined) throw new Error("no foo");
        const { metadata } = await client.resource(configMaps).create(newChild(foo));
        return reader.list(configMaps).some(({ metadata: { name } }) => name === metadata.name);
      },
      true,
    ],
    [
      "a change is seen, and moves it in indexes",
      async ({ client, reader }) => {
        await client.resource(configMaps).patch("shop/old", { type: "merge", body: { data: { color: "green" } } });
        return [
          reader.get(configMaps, "shop/old")?.data,
          names(reader.byIndex(byColor, "red")),
          names(reader.byIndex(byColor, "green")),
        ];
      },
      [{ color: "green" }, [], ["old"]],
    ],
    [
      "a change of labels moves it out of selections",
      async ({ client, reader }) => {
        const body = { metadata: { labels: { app: null } } };
        await client.resource(configMaps).patch("shop/old", { type: "merge", body });
        return names(reader.list(configMaps, { selector: "app=web" }));
      },
      [],
    ],
    [
      "what was deleted is gone",
      async ({ client, reader }) => {
        await client.resource(configMaps).delete("shop/old");
        return [reader.get(configMaps, "shop/old"), names(reader.list(configMaps))];
      },
      [undefined, ["held"]],
    ],
    [
      "what a finalizer holds is terminating",
      async ({ client, reader }) => {
        await client.resource(configMaps).delete("shop/held");
        return typeof reader.get(configMaps, "shop/held")?.metadata.deletionTimestamp;
      },
      "string",
    ],
    [
      "what was deleted and made anew is the new one",
      async ({ client, reader }) => {
        await client.resource(configMaps).delete("shop/old");
        const { metadata } = await client.resource(configMaps).create(newConfigMap("old", { data: { color: "new" } }));
        const seen = reader.get(configMaps, "shop/old");
        return [seen?.data, seen?.metadata.uid === metadata.uid];
      },
      [{ color: "new" }, true],
    ],
    [
      "what was only tried is not",
      async ({ client, reader }) => {
        await client.resource(configMaps).create(newConfigMap("dry"), { dryRun: true });
        await client.resource(configMaps).delete("shop/old", { dryRun: true });
        return names(reader.list(configMaps));
      },
      ["held", "old"],
    ],
    [
      "many at once are all there",
      async ({ carryOut, reader }) => {
        const outcome = await carryOut(
          slowStart(Array.from({ length: 9 }, (_, i) => create(configMaps, newConfigMap(`n${i}`)))),
        );
        return [outcome.failures.length, reader.list(configMaps).length];
      },
      [0, 11],
    ],
  ];
  for (const [fact, work, expected] of rows) {
    test(fact, async () => {
      const { answer, error } = await whileCachesSleep(work);
      expect(error).toBeUndefined();
      expect(answer).toEqual(expected);
    });
  }

  test("once the cache shows it, what others did to it since counts", async () => {
    const seen: unknown[] = [];
    const pause = deferred();
    const controller = onFoos(async (_request, { client, reader }) => {
      if (seen.length > 0) return;
      await client.resource(configMaps).create(newConfigMap("x", { data: { color: "mine" } }));
      await client.resource(configMaps).create(newConfigMap("y"));
      seen.push(reader.get(configMaps, "shop/x")?.data);
      await pause.promise;
      seen.push(reader.get(configMaps, "shop/x")?.data, names(reader.list(configMaps)));
    });
    await using stage = onStage(controller);
    await stage.clock.settle();
    stage.edit(configMaps, "shop/x", (map) => ({ ...map, data: { color: "theirs" } }));
    stage.server.server.delete(configMaps, "shop/y");
    await stage.clock.settle();
    pause.resolve();
    await stage.clock.advance(1000);
    expect(seen).toEqual([{ color: "mine" }, { color: "theirs" }, ["x"]]);
  });

  test("what cannot be known is not guessed", async () => {
    const { error } = await whileCachesSleep(async ({ perform, reader }) => {
      await perform(removeCollection(configMaps, { namespace: "shop" }));
      reader.list(configMaps);
    });
    expect(String(error)).toMatch("configmaps cannot be read: the result of the last write is not known yet");
  });

  test("other kinds can be read all the same", async () => {
    const { answer } = await whileCachesSleep(async ({ perform, reader }) => {
      await perform(removeCollection(configMaps, { namespace: "shop" }));
      return reader.list(secrets);
    });
    expect(answer).toEqual([]);
  });
});

describe("the next reconcile", () => {
  test("does not come before the caches show what was written", async () => {
    const counts: number[] = [];
    const controller = onFoos(async ({ key }, { reader, client }) => {
      const foo = reader.get(foos, key);
      if (foo === undefined) return;
      const children = reader.list(configMaps).filter((map) => controllerOf(map)?.uid === foo.metadata.uid);
      counts.push(children.length);
      if (children.length < 2) await client.resource(configMaps).create(newChild(foo));
    });
    await using stage = onStage(controller, { objects: [] });
    await stage.clock.advance(1000);
    stage.server.server.create(foos, {
      apiVersion: foos.apiVersion,
      kind: "Foo",
      metadata: { namespace: "shop", name: "a" },
    });
    stage.server.server.pauseCache();
    for (let i = 0; i < 5; i++) {
      stage.driver.wake("shop/a");
      await stage.clock.advance(60_000);
    }
    stage.server.server.resumeCache();
    await stage.clock.advance(60_000);
    expect(stage.list(configMaps)).toHaveLength(2);
    expect(counts.slice(0, 3)).toEqual([0, 1, 2]);
    expect(counts.toSorted()).toEqual(counts);
    expect(metric(stage, "kubeloop_stale_sync_skips_total")).toBeGreaterThan(3);
  });

  const lost: FaultRule = {
    name: "lost",
    fault: { kind: "reset", when: "after" },
    match: { verbs: ["create"] },
    nth: [1],
  };
  for (const [fact, isCaught] of [
    ["an answer that was lost is settled first", false],
    ["also where the reconcile caught the failure and went on", true],
  ] as const) {
    test(fact, async () => {
      const seen: number[] = [];
      const controller = onFoos(async ({ key }, { reader, client }) => {
        const foo = reader.get(foos, key);
        if (foo === undefined) return;
        const children = () => reader.list(configMaps).filter((map) => controllerOf(map)?.uid === foo.metadata.uid);
        if (children().length > 0) return;
        const made = client.resource(configMaps).create(newChild(foo));
        if (isCaught) await made.catch(() => {});
        else await made;
        // Nothing is added here after a lost response: the create throws, or the read of the children does, because their state is unknown.
        seen.push(children().length);
      });
      await using stage = onStage(controller, {
        wrap: (transport, clock) => withFaults(transport, [lost], { clock, random: seededRandom(1) }),
      });
      await stage.clock.advance(120_000);
      expect(stage.list(configMaps)).toHaveLength(1);
      expect(seen).toEqual([]);
      expect(metric(stage, "controller_runtime_reconcile_errors_total")).toBe(isCaught ? 0 : 1);
      expect(metric(stage, "kubeloop_settling_reads_total")).toBeGreaterThan(0);
    });
  }

  test("of another key does not wait", async () => {
    const seen: string[] = [];
    const controller = onFoos(async ({ key, name }, { client }) => {
      seen.push(key);
      if (name === "a" && seen.length === 1) await client.resource(configMaps).create(newConfigMap("x"));
    });
    await using stage = onStage(controller, { objects: [] });
    await stage.clock.advance(1000);
    stage.server.server.pauseCache();
    stage.driver.wake("shop/a");
    await stage.clock.advance(1);
    stage.driver.wake("shop/a", "shop/b");
    await stage.clock.advance(1);
    expect(seen).toEqual(["shop/a", "shop/b"]);
    stage.server.server.resumeCache();
    await stage.clock.advance(1);
    expect(seen).toEqual(["shop/a", "shop/b", "shop/a"]);
  });
});
