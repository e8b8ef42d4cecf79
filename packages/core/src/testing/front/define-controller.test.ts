import { describe, expect, test, vi } from "vitest";
import { configMaps, nodes, secrets } from "../../api/generated/resources.ts";
import { keyOf, withFaults } from "../../api/index.ts";
import { Channel, deferred, seededRandom } from "../../base/index.ts";
import {
  cached,
  channelSource,
  describeController,
  generationChanged,
  isResync,
  itself,
  labelled,
  mapped,
  owned,
  rbacObjects,
  synced,
  TerminalError,
  verbs,
  type Wake,
} from "../../contract/index.ts";
import {
  ControllerDriver,
  createOrUpdate,
  defineController,
  type ReconcileContext,
  writeStatus,
} from "../../runtime/index.ts";
import {
  type Foo,
  foos,
  metric,
  newChild,
  newConfigMap,
  newFoo,
  onFoos,
  onStage,
  type Reconcile,
} from "./foo.fixture.ts";

const total = (result: string) => `controller="foos",result="${result}"`;

describe("a controller in the usual style", () => {
  const reconcile: Reconcile = async ({ key, namespace, name }, context) => {
    const foo = context.reader.get(foos, key);
    if (foo === undefined) return;
    const { result } = await createOrUpdate(context, configMaps, key, (draft) => {
      draft.data = { replicas: String(foo.spec?.replicas ?? 0) };
      draft.metadata.ownerReferences = newChild(foo).metadata.ownerReferences as never;
    });
    if (result !== "unchanged") context.recorder.event(foo, "Normal", "Synced", `${namespace}/${name} ${result}`);
    await writeStatus(context, foos, foo, (draft) => {
      draft.status = { availableReplicas: foo.spec?.replicas ?? 0 };
    });
  };

  test("makes what is missing, tells, and says so in the status", async () => {
    await using stage = onStage(onFoos(reconcile), { objects: [[foos, newFoo("a", { spec: { replicas: 3 } })]] });
    await stage.clock.advance(1000);
    expect(stage.get(configMaps, "shop/a")?.data).toEqual({ replicas: "3" });
    expect(stage.get(foos, "shop/a")?.status).toEqual({ availableReplicas: 3 });
    expect(stage.events).toEqual(["Normal Synced: shop/a created"]);
    expect(stage.server.log).toEqual(["create configmaps shop/a", "patch foos/status shop/a"]);
  });

  test("puts right what others do to it, and follows its spec", async () => {
    await using stage = onStage(onFoos(reconcile));
    await stage.clock.advance(1000);
    stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { replicas: "99" } }));
    await stage.clock.advance(1000);
    expect(stage.get(configMaps, "shop/a")?.data).toEqual({ replicas: "0" });
    stage.server.server.delete(configMaps, "shop/a");
    await stage.clock.advance(1000);
    expect(stage.get(configMaps, "shop/a")?.data).toEqual({ replicas: "0" });
    stage.edit(foos, "shop/a", (foo) => ({ ...foo, spec: { replicas: 5 } }));
    await stage.clock.advance(1000);
    expect(stage.get(configMaps, "shop/a")?.data).toEqual({ replicas: "5" });
    expect(stage.events).toEqual([
      "Normal Synced: shop/a created",
      "Normal Synced: shop/a updated",
      "Normal Synced: shop/a created",
      "Normal Synced: shop/a updated",
    ]);
  });

  test("in balance it writes nothing, however often it looks", async () => {
    await using stage = onStage(onFoos(reconcile));
    await stage.clock.advance(1000);
    const before = stage.server.log.length;
    for (let i = 0; i < 10; i++) {
      stage.driver.wake("shop/a");
      await stage.clock.advance(1000);
    }
    expect(stage.server.log).toHaveLength(before);
    expect(metric(stage, "controller_runtime_reconcile_total", total("success"))).toBeGreaterThan(10);
  });
});

describe("what becomes of a key", () => {
  test("returned, it is well", async () => {
    await using stage = onStage(onFoos(async () => {}));
    await stage.clock.advance(60_000);
    expect(metric(stage, "controller_runtime_reconcile_total", total("success"))).toBe(1);
  });

  test("it is looked at again when it says so", async () => {
    const at: number[] = [];
    const controller = onFoos(async (_request, context) => {
      at.push(context.nowMs);
      return { requeueAfterMs: 7000 };
    });
    await using stage = onStage(controller);
    await stage.clock.advance(15_000);
    expect(at.map((each) => each - (at[0] ?? 0))).toEqual([0, 7000, 14_000]);
    expect(metric(stage, "controller_runtime_reconcile_total", total("requeue_after"))).toBe(3);
  });

  test("thrown, it is tried again with back-off, and knows how often it has failed", async () => {
    const tries: [number, number][] = [];
    const controller = onFoos(
      async ({ failures }, context) => {
        tries.push([failures, context.nowMs]);
        if (failures < 3) throw new Error("not yet");
      },
      { retry: { baseMs: 100 } },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(60_000);
    const [, start = 0] = tries[0] ?? [];
    expect(tries.map(([failures, at]) => [failures, at - start])).toEqual([
      [0, 0],
      [1, 100],
      [2, 300],
      [3, 700],
    ]);
    expect(metric(stage, "controller_runtime_reconcile_errors_total")).toBe(3);
    expect(metric(stage, "controller_runtime_reconcile_panics_total")).toBe(0);
  });

  test("once it is well, its next failure is its first: back-off begins anew", async () => {
    const tries: [number, number][] = [];
    const controller = onFoos(
      async ({ failures }, context) => {
        tries.push([failures, context.nowMs]);
        if (tries.length !== 4) throw new Error("not well");
        return { requeueAfterMs: 10_000 };
      },
      { retry: { baseMs: 100 } },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(11_000);
    const [, start = 0] = tries[0] ?? [];
    expect(tries.map(([failures, at]) => [failures, at - start]).slice(0, 7)).toEqual([
      [0, 0],
      [1, 100],
      [2, 300],
      [3, 700],
      [0, 10_700],
      [1, 10_800],
      [2, 11_000],
    ]);
  });

  test("a terminal error is not tried again, but counted; what others do brings it back, its own echo does not", async () => {
    let rounds = 0;
    const controller = onFoos(async ({ key, failures }, context) => {
      rounds++;
      await context.client.resource(foos).patchStatus(key, { type: "merge", body: { status: { note: `${rounds}` } } });
      throw new TerminalError(`cannot be, after ${failures}`);
    });
    await using stage = onStage(controller);
    await stage.clock.advance(3_600_000);
    expect(rounds).toBe(1);
    expect(metric(stage, "controller_runtime_terminal_reconcile_errors_total")).toBe(1);
    expect(metric(stage, "controller_runtime_reconcile_errors_total")).toBe(1);
    stage.edit(foos, "shop/a", (foo) => ({ ...foo, spec: { replicas: 1 } }));
    await stage.clock.advance(3_600_000);
    expect(rounds).toBe(2);
  });

  test("one that was given up is not brought back by its own echo either", async () => {
    let rounds = 0;
    const controller = onFoos(
      async ({ key }, context) => {
        rounds++;
        await context.client
          .resource(foos)
          .patchStatus(key, { type: "merge", body: { status: { note: `${rounds}` } } });
        throw new Error("no");
      },
      { retry: { maxTries: 3 } },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(3_600_000);
    expect(rounds).toBe(3);
  });

  const withCause = () => new TypeError("fetch failed", { cause: new Error("refused") });
  for (const [fact, fault, panics] of [
    ["what is thrown and no error is a panic", () => "a string", 1],
    ["nothing thrown is a panic", () => undefined, 1],
    ["what the engine throws is a panic", () => new TypeError("x is undefined"), 1],
    ["what a library throws for the world's faults is none", withCause, 0],
    ["an ordinary error is none", () => new Error("no"), 0],
  ] as const) {
    test(`${fact}, and tried again`, async () => {
      let rounds = 0;
      const controller = onFoos(async () => {
        if (rounds++ === 0) throw fault();
      });
      await using stage = onStage(controller);
      await stage.clock.advance(1000);
      expect(rounds).toBe(2);
      expect(metric(stage, "controller_runtime_reconcile_panics_total")).toBe(panics);
      expect(metric(stage, "controller_runtime_reconcile_errors_total")).toBe(1);
    });
  }

  test("thrown before the first await it is recovered, too", async () => {
    let rounds = 0;
    const controller = onFoos(() => {
      if (rounds++ === 0) throw new TypeError("undefined is not a function");
      return Promise.resolve();
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    expect(rounds).toBe(2);
    expect(metric(stage, "controller_runtime_reconcile_panics_total")).toBe(1);
  });

  test("a conflict is an ordinary retry", async () => {
    let hasChanged = false;
    const controller = onFoos(async ({ key }, context) => {
      const foo = context.reader.get(foos, key);
      if (foo === undefined) return;
      await createOrUpdate(context, foos, key, (draft) => {
        draft.spec = { ...draft.spec, replicas: 7 };
      });
    });
    const stage = onStage(controller, {
      wrap: (transport) => async (request, signal) => {
        if (request.method === "PATCH" && !hasChanged) {
          hasChanged = true;
          stage.edit(foos, "shop/a", (foo) => ({ ...foo, spec: { deploymentName: "theirs" } }));
        }
        return await transport(request, signal);
      },
    });
    await using _ = stage;
    await stage.clock.advance(1000);
    expect(stage.get(foos, "shop/a")?.spec).toEqual({ replicas: 7, deploymentName: "theirs" });
    expect(metric(stage, "controller_runtime_reconcile_errors_total")).toBe(1);
  });
});

describe("deadlines", () => {
  test("when time is up, the signal says so, requests end, and it is tried again", async () => {
    const reasons: string[] = [];
    const controller = onFoos(
      async ({ key, failures }, context) => {
        if (failures > 0) return;
        context.signal.addEventListener("abort", () => reasons.push(String(context.signal.reason)), { once: true });
        await context.client.resource(foos).get(key);
      },
      { deadlineMs: 5000 },
    );
    await using stage = onStage(controller, {
      wrap: (transport, clock) =>
        withFaults(transport, [{ name: "silent", fault: { kind: "silence" }, match: { verbs: ["get"] } }], {
          clock,
          random: seededRandom(1),
        }),
    });
    await stage.clock.advance(6000);
    expect(reasons).toEqual([expect.stringContaining("reconcile of shop/a timed out after 5000 ms")]);
    expect(metric(stage, "controller_runtime_reconcile_timeouts_total")).toBe(1);
    expect(metric(stage, "controller_runtime_reconcile_total", total("success"))).toBe(1);
  });

  test("one that does not listen keeps its key, and can write nothing any more", async () => {
    const stubborn = deferred();
    let running = 0;
    let rounds = 0;
    let most = 0;
    const refusals: unknown[] = [];
    const controller = onFoos(
      async (_request, context) => {
        most = Math.max(most, ++running);
        if (rounds++ === 0) {
          await stubborn.promise;
          await context.client
            .resource(configMaps)
            .create(newConfigMap("late"))
            .catch((error) => refusals.push(error));
        }
        running--;
      },
      { deadlineMs: 1000, workers: 4 },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(2000);
    stage.driver.wake("shop/a");
    await stage.clock.advance(60_000);
    expect(metric(stage, "controller_runtime_active_workers")).toBe(1);
    stubborn.resolve();
    await stage.clock.advance(1000);
    expect(most).toBe(1);
    expect(String(refusals)).toMatch("timed out after 1000 ms");
    expect(stage.list(configMaps)).toEqual([]);
    expect(metric(stage, "controller_runtime_reconcile_timeouts_total")).toBe(1);
    expect(metric(stage, "controller_runtime_reconcile_errors_total")).toBe(1);
  });

  test("what is not waited for is waited for, and its failure is the reconcile's", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const controller = onFoos(async ({ failures }, context) => {
      if (failures > 0) return;
      void context.client.resource(configMaps).create(newConfigMap("first"));
      void context.client.resource(configMaps).delete("shop/absent");
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    expect(stage.list(configMaps)).toHaveLength(1);
    expect(metric(stage, "controller_runtime_reconcile_errors_total")).toBe(1);
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("what is asked for after the end is refused", async () => {
    let kept: ReconcileContext | undefined;
    const controller = onFoos(async (_request, context) => {
      kept = context;
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    await expect(kept?.client.resource(configMaps).create(newConfigMap("late"))).rejects.toThrow("is over");
    await expect(kept?.client.resource(foos).get("shop/a")).rejects.toThrow("is over");
    expect(() => kept?.recorder.event(newFoo("a"), "Normal", "Late", "late")).toThrow("is over");
    expect(() => kept?.wake("shop/a")).toThrow("is over");
    expect(stage.list(configMaps)).toEqual([]);
  });
});

describe("what wakes it", () => {
  const looksAt = (stageOf: Reconcile, more: Parameters<typeof onFoos>[1] = {}) => onFoos(stageOf, more);
  const recorded = () => {
    const seen: string[] = [];
    const reconcile: Reconcile = async ({ key }) => {
      seen.push(key);
    };
    return { seen, reconcile };
  };

  test("what it owns, whoever is in control; what it maps; nobody else", async () => {
    const { seen, reconcile } = recorded();
    const controller = looksAt(reconcile, {
      owns: [owned(configMaps)],
      watches: [
        mapped(secrets, ({ metadata }) => (metadata.labels?.["foo"] ? [`shop/${metadata.labels["foo"]}`] : [])),
      ],
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    const foo = stage.get(foos, "shop/a");
    if (foo === undefined) throw new Error("no foo");
    stage.server.server.create(configMaps, { ...newChild(foo), metadata: { ...newChild(foo).metadata, name: "c" } });
    stage.server.server.create(configMaps, newConfigMap("nobodys"));
    await stage.clock.advance(1000);
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "shop", name: "s", labels: { foo: "b" } },
    };
    stage.server.server.create(secrets, secret as never);
    await stage.clock.advance(1000);
    expect(seen).toEqual(["shop/a", "shop/a", "shop/b"]);
  });

  test("only changes that pass, of one watch or of all", async () => {
    const { seen, reconcile } = recorded();
    const controller = looksAt(reconcile, {
      for: itself(foos, { when: (change) => generationChanged(change) || isResync(change) }),
      when: labelled("app=web"),
    });
    const foo = (generation: number, more: Partial<Foo["metadata"]> = {}) =>
      newFoo("a", { metadata: { generation, labels: { app: "web" }, ...more } });
    await using stage = onStage(controller, {
      objects: [
        [foos, foo(1)],
        [foos, newFoo("unlabelled")],
      ],
    });
    await stage.clock.advance(1000);
    expect(seen).toEqual(["shop/a"]);
    stage.edit(foos, "shop/a", () => foo(1, { annotations: { note: "no" } }));
    await stage.clock.advance(1000);
    expect(seen).toHaveLength(1);
    stage.edit(foos, "shop/a", () => foo(2));
    await stage.clock.advance(1000);
    expect(seen).toHaveLength(2);
  });

  test("a resync, where it is asked for", async () => {
    const { seen, reconcile } = recorded();
    const controller = looksAt(reconcile, {
      for: itself(foos, {
        resyncMs: 60_000,
        when: (change) => generationChanged(change) || isResync(change),
        labelSelector: "",
      }),
    });
    await using stage = onStage(controller, { objects: [[foos, newFoo("a", { metadata: { generation: 1 } })]] });
    await stage.clock.advance(150_000);
    expect(seen).toHaveLength(3);
  });

  test("a source of one's own, anew when it fails", async () => {
    const { seen, reconcile } = recorded();
    let follows = 0;
    const controller = looksAt(reconcile, {
      sources: [
        {
          name: "lottery",
          async *follow() {
            follows++;
            yield `shop/${follows}`;
            if (follows < 3) throw new Error(`broke ${follows}`);
          },
        },
      ],
    });
    await using stage = onStage(controller, { objects: [] });
    await stage.clock.settle();
    expect(stage.driver.unsynced()).toEqual([{ name: "lottery", reason: "broke 1" }]);
    await stage.clock.advance(60_000);
    expect(seen).toEqual(["shop/1", "shop/2", "shop/3"]);
    expect(stage.driver.unsynced()).toEqual([]);
  });

  test("a channel", async () => {
    const { seen, reconcile } = recorded();
    const channel = new Channel<Wake>(10);
    await using stage = onStage(looksAt(reconcile, { sources: [channelSource("calls", channel)] }), { objects: [] });
    await stage.clock.advance(1000);
    channel.trySend("shop/x");
    channel.trySend({ key: "shop/y", afterMs: 5000 });
    await stage.clock.advance(1000);
    expect(seen).toEqual(["shop/x"]);
    await stage.clock.advance(5000);
    expect(seen).toEqual(["shop/x", "shop/y"]);
  });

  test("no worker starts before a source has told of what there is; that is less urgent", async () => {
    const { seen, reconcile } = recorded();
    const ready = deferred();
    const controller = looksAt(reconcile, {
      sources: [
        {
          name: "inventory",
          hasInitialState: true,
          async *follow() {
            yield "shop/initial";
            await ready.promise;
            yield "shop/also-initial";
            yield synced;
            yield "shop/later";
          },
        },
      ],
    });
    await using stage = onStage(controller, { objects: [] });
    await stage.clock.advance(60_000);
    expect([stage.driver.state, seen]).toEqual(["syncing", []]);
    expect(stage.driver.unsynced()).toEqual([
      { name: "inventory", reason: "it has not reported its initial state yet" },
    ]);
    ready.resolve();
    await stage.clock.advance(1000);
    expect(stage.driver.state).toBe("working");
    expect(seen).toEqual(["shop/later", "shop/initial", "shop/also-initial"]);
  });

  test("another key, asked for by a reconcile", async () => {
    const { seen, reconcile } = recorded();
    const controller = looksAt(async (request, context) => {
      if (request.name === "a") context.wake("shop/b", { key: "shop/c", afterMs: 1000 });
      await reconcile(request, context);
    });
    await using stage = onStage(controller);
    await stage.clock.advance(500);
    expect(seen).toEqual(["shop/a", "shop/b"]);
    await stage.clock.advance(1000);
    expect(seen).toEqual(["shop/a", "shop/b", "shop/c"]);
  });

  test("what was there at the start comes after what happens meanwhile", async () => {
    const { seen, reconcile } = recorded();
    const gate = deferred();
    const slow: Reconcile = async (request, context) => {
      await reconcile(request, context);
      if (seen.length === 1) await gate.promise;
    };
    const many = Array.from({ length: 5 }, (_, i) => [foos, newFoo(`old${i}`)] as const);
    await using stage = onStage(looksAt(slow), { objects: many });
    await stage.clock.settle();
    stage.server.server.create(foos, newFoo("new"));
    await stage.clock.settle();
    gate.resolve();
    await stage.clock.advance(1000);
    expect(seen.slice(0, 2)).toEqual(["shop/old0", "shop/new"]);
    expect(seen).toHaveLength(6);
  });

  test("what a resync brings comes after what happens meanwhile, too", async () => {
    const { seen, reconcile } = recorded();
    let gate: ReturnType<typeof deferred> | undefined;
    const slow: Reconcile = async (request, context) => {
      await reconcile(request, context);
      await gate?.promise;
    };
    const many = Array.from({ length: 5 }, (_, i) => [foos, newFoo(`old${i}`)] as const);
    const controller = looksAt(slow, { for: itself(foos, { resyncMs: 60_000, labelSelector: "" }) });
    await using stage = onStage(controller, { objects: many });
    await stage.clock.advance(30_000);
    seen.splice(0);
    gate = deferred();
    await stage.clock.advance(60_000);
    expect(seen).toHaveLength(1);
    stage.server.server.create(foos, newFoo("new"));
    await stage.clock.settle();
    gate.resolve(undefined);
    await stage.clock.advance(1000);
    expect(seen).toHaveLength(6);
    expect(seen[1]).toBe("shop/new");
  });
});

describe("where it looks", () => {
  test("several namespaces, and no other; reading elsewhere is refused", async () => {
    const seen: string[] = [];
    const errors: string[] = [];
    const controller = onFoos(
      async ({ key }, { reader }) => {
        seen.push(key);
        const maps = (namespaces: string[]) => reader.list(configMaps, { namespaces }).map(keyOf).toSorted();
        seen.push(maps(["a", "b"]).join());
        for (const read of [
          () => reader.get(configMaps, "c/x"),
          () => reader.list(configMaps, { namespace: "c" }),
          () => reader.list(secrets),
        ]) {
          try {
            read();
          } catch (error) {
            errors.push(String(error));
          }
        }
      },
      { namespaces: ["a", "b"], watches: [cached(nodes)] },
    );
    const inside = (namespace: string) => ({ metadata: { namespace } });
    await using stage = onStage(controller, {
      objects: [
        [foos, newFoo("x", inside("b"))],
        [foos, newFoo("x", inside("c"))],
        ...["a", "b", "c"].map((each) => [configMaps, newConfigMap("x", inside(each))] as const),
      ],
    });
    await stage.clock.advance(1000);
    expect(seen).toEqual(["b/x", "a/x,b/x"]);
    expect(errors).toEqual([
      expect.stringContaining("configmaps are read but not watched in namespace c"),
      expect.stringContaining("configmaps are read but not watched in namespace c"),
      expect.stringContaining("secrets are read but not watched: watch them, or read them live"),
    ]);
    const watched = stage.server.server.requests.filter(({ verb }) => verb === "watch").map(({ path }) => path);
    expect([...new Set(watched)].filter((path) => path.includes("/c/"))).toEqual([]);
  });

  test("a write in one namespace does not wait for the cache of another", async () => {
    let rounds = 0;
    const controller = onFoos(
      async ({ key }, context) => {
        rounds++;
        await createOrUpdate(context, configMaps, key, (draft) => {
          draft.data = { round: String(rounds) };
        });
      },
      { namespaces: ["a", "b"] },
    );
    await using stage = onStage(controller, { objects: [[foos, newFoo("x", { metadata: { namespace: "a" } })]] });
    await stage.clock.advance(1);
    stage.driver.wake("a/x");
    await stage.clock.advance(1);
    expect(rounds).toBe(2);
  });

  test("two controllers that look at the same part share its cache; the last one ends it", async () => {
    const part = { for: itself(foos, { labelSelector: "tier=gold" }), owns: [] };
    await using stage = onStage(
      onFoos(async () => {}, part),
      { objects: [] },
    );
    const seen: string[] = [];
    const reconcile: Reconcile = async ({ key }) => {
      seen.push(key);
    };
    const stop = new AbortController();
    const other = new ControllerDriver(onFoos(reconcile, { ...part, name: "others" }), stage.options);
    const running = other.run(stop.signal);
    await stage.clock.advance(1000);
    const lists = stage.server.server.requests.filter(({ verb }) => verb === "watch");
    expect(lists).toHaveLength(1);
    stage.server.server.create(foos, newFoo("a", { metadata: { labels: { tier: "gold" } } }));
    await stage.clock.advance(1000);
    expect(seen).toEqual(["shop/a"]);
    stop.abort();
    await running;
    expect(stage.server.server.openWatches).toBe(1);
  });

  test("selectors by kind: what they leave out is not cached", async () => {
    const seen: string[] = [];
    const controller = onFoos(
      async ({ key }, { reader }) => {
        seen.push(`${key} ${reader.list(configMaps).map(keyOf).join()}`);
      },
      { for: itself(foos, { labelSelector: "tier=gold" }), owns: [owned(configMaps, { labelSelector: "app=web" })] },
    );
    const labelled = (labels: Record<string, string>) => ({ metadata: { labels } });
    await using stage = onStage(controller, {
      objects: [
        [foos, newFoo("gold", labelled({ tier: "gold" }))],
        [foos, newFoo("iron", labelled({ tier: "iron" }))],
        [configMaps, newConfigMap("web", labelled({ app: "web" }))],
        [configMaps, newConfigMap("db", labelled({ app: "db" }))],
      ],
    });
    await stage.clock.advance(1000);
    expect(seen).toEqual(["shop/gold shop/web"]);
  });

  for (const [fact, more, message] of [
    ["a controller without a name is refused", { name: "" }, "a controller needs a name"],
    ["one that watches no namespace is refused", { namespaces: [] }, "foos watches no namespace"],
  ] as const) {
    test(fact, () => expect(() => onFoos(async () => {}, more)).toThrow(message));
  }
});

describe("what it may write", () => {
  test("unless it says so: itself, its status, and what it owns", async () => {
    const refused: string[] = [];
    const controller = onFoos(async (_request, { client }) => {
      const attempt = async (work: () => Promise<unknown>) => {
        await work().catch((error: Error) => refused.push(error.message));
      };
      await attempt(() => client.resource(configMaps).create(newConfigMap("mine")));
      await attempt(() =>
        client.resource(foos).patchStatus("shop/a", { type: "merge", body: { status: { note: "x" } } }),
      );
      await attempt(() => client.resource(secrets).delete("shop/theirs"));
      await attempt(() => client.resource(foos).delete("shop/a"));
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    expect(refused.slice(0, 2)).toEqual([
      "delete secrets shop/theirs is not declared: add it to the writes of the controller",
      "delete foos.samplecontroller.k8s.io shop/a is not declared: add it to the writes of the controller",
    ]);
    expect(stage.server.log.slice(0, 2)).toEqual(["create configmaps shop/mine", "patch foos/status shop/a"]);
  });

  test("nor can it read, past its caches, what it does not name", async () => {
    const refused: string[] = [];
    const controller = onFoos(
      async (_request, { client }) => {
        await client.resource(foos).get("shop/a");
        await client.resource(secrets).get("shop/s");
        await client
          .resource(secrets)
          .list()
          .catch((error: Error) => refused.push(error.message));
        await client
          .resource(foos)
          .subresource("scale")
          .get("shop/a")
          .catch((error: Error) => refused.push(error.message));
      },
      { reads: [verbs(secrets, "get")] },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    expect(refused).toEqual([
      expect.stringContaining('secrets in *  " is not declared: add it to the reads'),
      expect.stringContaining('foos/scale shop/a" is not declared: add it to the reads'),
    ]);
  });

  const controller = defineController<Foo>({
    name: "foos",
    for: foos,
    owns: [configMaps],
    watches: [cached(nodes)],
    namespaces: ["shop"],
    reads: [verbs(secrets, "get")],
    workers: 3,
    sources: [{ name: "calls", async *follow() {} }],
    async reconcile() {},
  });

  test("roles come from it", () => {
    const objects = rbacObjects(controller, { serviceAccount: { namespace: "system", name: "foos" } });
    const rules = objects.flatMap((object) =>
      "rules" in object
        ? (object.rules ?? []).map(
            ({ resources, verbs: allowed }) => `${object.kind}: ${allowed.join()} ${resources?.join()}`,
          )
        : [],
    );
    expect(rules).toEqual([
      "ClusterRole: get,list,watch nodes",
      "Role: create,delete,get,list,patch,update,watch configmaps",
      "Role: get secrets",
      "Role: get,list,patch,update,watch foos",
      "Role: update foos/finalizers",
      "Role: patch,update foos/status",
      "Role: create,patch,update events",
    ]);
  });

  test("and a row of documentation", () =>
    expect(describeController(controller)).toEqual({
      name: "foos",
      shape: "keyed",
      watches: ["foos.samplecontroller.k8s.io (itself)", "configmaps (owner)", "nodes (cache)"],
      namespaces: ["shop"],
      sources: ["calls"],
      queues: ["foos × 3"],
      reads: ["get,list foos.samplecontroller.k8s.io", "get,list configmaps", "get,list nodes", "get secrets"],
      writes: [
        "patch,update foos.samplecontroller.k8s.io",
        "patch,update foos/status.samplecontroller.k8s.io",
        "update foos/finalizers.samplecontroller.k8s.io",
        "create,delete,patch,update configmaps",
      ],
      metrics: [],
      ports: [],
    }));
});

test("metrics have upstream's names and labels, from the start", async () => {
  await using stage = onStage(
    onFoos(async () => {}, { workers: 7 }),
    { objects: [] },
  );
  await stage.clock.advance(1);
  const lines = stage.metrics
    .print()
    .split("\n")
    .filter((line) => /^(controller_runtime|workqueue)/.test(line) && !line.includes("_bucket"));
  expect(lines.map((line) => line.replace(/ [^ ]*$/, ""))).toEqual(
    expect.arrayContaining([
      'controller_runtime_active_workers{controller="foos"}',
      'controller_runtime_max_concurrent_reconciles{controller="foos"}',
      'controller_runtime_reconcile_errors_total{controller="foos"}',
      'controller_runtime_reconcile_panics_total{controller="foos"}',
      'controller_runtime_reconcile_time_seconds_count{controller="foos"}',
      'controller_runtime_reconcile_timeouts_total{controller="foos"}',
      'controller_runtime_reconcile_total{controller="foos",result="error"}',
      'controller_runtime_reconcile_total{controller="foos",result="requeue"}',
      'controller_runtime_reconcile_total{controller="foos",result="requeue_after"}',
      'controller_runtime_reconcile_total{controller="foos",result="success"}',
      'controller_runtime_terminal_reconcile_errors_total{controller="foos"}',
      'workqueue_adds_total{name="foos"}',
      'workqueue_depth{name="foos"}',
      'workqueue_longest_running_processor_seconds{name="foos"}',
      'workqueue_queue_duration_seconds_count{name="foos"}',
      'workqueue_retries_total{name="foos"}',
      'workqueue_unfinished_work_seconds{name="foos"}',
      'workqueue_work_duration_seconds_count{name="foos"}',
    ]),
  );
  expect(metric(stage, "controller_runtime_max_concurrent_reconciles")).toBe(7);
});
