// The driver in difficult cases: caches are late, functions throw, deadlines pass, or identities differ.
import { describe, expect, test } from "vitest";
import { configMaps, nodes, pods, replicaSets, secrets } from "../../api/generated/resources.ts";
import {
  type ApiRequest,
  type appsv1,
  type corev1,
  defineResource,
  type KubernetesObject,
  keyOf,
  type Transport,
  withFaults,
} from "../../api/index.ts";
import { FakeClock, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import {
  ask,
  cached,
  counter,
  create,
  editObject,
  editStatus,
  gauge,
  inOrder,
  itself,
  keyed,
  liveGet,
  mapped,
  newController,
  nothing,
  patch,
  plan,
  queue,
  statusVerbs,
  type View,
  verbs,
} from "../../contract/index.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

const map = (name: string, more: Partial<corev1.ConfigMap> = {}): corev1.ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name },
  ...more,
});
const secret = (name: string): corev1.Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "shop", name },
});
const widgets = defineResource<KubernetesObject>({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
});
const total = (stage: { readonly metrics: { print(): string } }, name: string) =>
  Number(new RegExp(`^controller_runtime_${name}\\{[^}]*\\} (.*)$`, "m").exec(stage.metrics.print())?.[1]);
const delayed = (resource: string, delayMs: number) =>
  ((transport: Transport, clock) =>
    withFaults(
      transport,
      [
        {
          name: "late",
          fault: { kind: "delay", delayMs, when: "before" },
          match: { resources: [resource], verbs: ["list", "watch"] },
        },
      ],
      { clock, random: seededRandom(1) },
    )) satisfies StageOptions["wrap"];
const seeMap = (key: string, { snapshot }: Pick<View, "snapshot">) => snapshot.get(configMaps, key);
const hasWidgets = (resources: readonly { readonly plural: string }[]) =>
  resources.some(({ plural }) => plural === "widgets");

describe("watches that change", () => {
  test("from metadata to whole objects: the cache is read on", async () => {
    const seen: string[] = [];
    const controller = newController({
      name: "maps",
      watches: ({ resources }) => [itself(configMaps, { metadataOnly: !hasWidgets(resources) })],
      queues: {
        maps: queue({
          observe: seeMap,
          decide: ({ data }) => {
            seen.push(data === undefined ? "metadata" : "whole");
            return nothing("seen", { requeueAfterMs: 1000 });
          },
        }),
      },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps, widgets],
      objects: [[configMaps, map("a", { data: { a: "1" } })]],
      driver: { discoveryMs: 5000 },
      served: [configMaps],
    });
    await stage.clock.advance(3000);
    stage.server.served = [configMaps, widgets];
    await stage.clock.advance(20_000);
    // The key runs once a second, except while the other cache syncs.
    expect(seen.length).toBeGreaterThan(20);
    expect(seen.at(-1)).toBe("whole");
    expect(total(stage, "reconcile_panics_total")).toBe(0);
  });

  test("to another queue, or another resync: both are followed", async () => {
    const looked: string[] = [];
    const look = (name: string) =>
      queue({
        observe: (key) => key,
        decide: (key: string) => {
          looked.push(`${name} ${key}`);
          return nothing("looked");
        },
      });
    const controller = newController({
      name: "maps",
      watches: ({ resources }) =>
        hasWidgets(resources) ? [itself(configMaps, { queue: "second", resyncMs: 10_000 })] : [itself(configMaps)],
      queues: { first: look("first"), second: look("second") },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps, widgets],
      objects: [[configMaps, map("a")]],
      driver: { discoveryMs: 5000 },
    });
    stage.server.served = [configMaps];
    await stage.clock.advance(3000);
    stage.server.served = [configMaps, widgets];
    await stage.clock.advance(3000);
    expect(looked).toEqual(["first shop/a", "second shop/a"]);
    await stage.clock.advance(20_000);
    expect(looked.slice(2)).toEqual(["second shop/a", "second shop/a"]);
  });
});

describe("a sweep", () => {
  test("takes no key from a plan", async () => {
    let sweeps = 0;
    const controller = newController({
      name: "maps",
      watches: [itself(configMaps)],
      queues: {
        maps: queue({
          observe: seeMap,
          decide: () => nothing("wake it", { wakes: [{ queue: "sweep", key: "shop/a" }] }),
        }),
        sweep: queue({
          everyMs: 10_000,
          observe: () => "all",
          decide: () => {
            sweeps++;
            return nothing("swept");
          },
        }),
      },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps],
      objects: [
        [configMaps, map("a")],
        [configMaps, map("b")],
      ],
    });
    await stage.clock.advance(61_000);
    expect(sweeps).toBe(7);
    expect(total(stage, "terminal_reconcile_errors_total")).toBe(2);
  });

  test("nor from a mapping, which is counted as a panic", async () => {
    let sweeps = 0;
    const controller = newController({
      name: "maps",
      watches: [mapped(configMaps, (object) => [{ queue: "sweep", key: keyOf(object) }])],
      queues: {
        maps: queue({ observe: seeMap, decide: () => nothing("never") }),
        sweep: queue({
          everyMs: 10_000,
          observe: () => "all",
          decide: () => {
            sweeps++;
            return nothing("swept");
          },
        }),
      },
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(61_000);
    expect([sweeps, total(stage, "reconcile_panics_total")]).toEqual([7, 1]);
  });
});

describe("an edit", () => {
  test("that would round an integer beyond 2^53 in a list is refused, and nothing is sent", async () => {
    interface Counter extends KubernetesObject {
      readonly spec?: { readonly list: readonly { readonly big: number; readonly on: boolean }[] };
    }
    const counters = defineResource<Counter>({
      group: "example.com",
      version: "v1",
      kind: "Counter",
      plural: "counters",
    });
    const big = { big: 2 ** 53, on: false };
    for (const verb of ["patch", "update"]) {
      const controller = keyed<Counter>({
        name: "counters",
        primary: counters,
        writes: [verbs(counters, verb)],
        observe: (key, { snapshot }) => snapshot.get(counters, key),
        decide: (seen) =>
          plan("on", [[editObject(counters, seen, { ...seen, spec: { list: [{ ...big, on: true }] } })]]),
      });
      const counted: Counter = {
        apiVersion: "example.com/v1",
        kind: "Counter",
        metadata: { namespace: "shop", name: "a" },
        spec: { list: [big] },
      };
      await using stage = new Stage(controller, { resources: [counters], objects: [[counters, counted]] });
      await stage.clock.advance(1000);
      expect([stage.server.log, total(stage, "terminal_reconcile_errors_total")]).toEqual([[], 1]);
    }
  });
});

describe("two identities", () => {
  test("watches and settling reads are the informers'; writes and questions the controller's", async () => {
    const sent: string[] = [];
    const recorded =
      (name: string, transport: Transport): Transport =>
      (request, signal) => {
        const [, selector] = request.query.find(([key]) => key === "fieldSelector") ?? [];
        sent.push(`${name} ${describeRequest(request)}${selector === undefined ? "" : ` ${selector}`}`);
        return transport(request, signal);
      };
    const clock = new FakeClock();
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      watches: [cached(secrets, { namespace: "shop" })],
      reads: [verbs(configMaps, "get")],
      writes: [verbs(secrets, "create")],
      observe: seeMap,
      decide(seen, context) {
        const question = liveGet(configMaps, keyOf(seen));
        if (context.answer(question) === undefined) return ask("there?", question);
        return plan("make", [[create(secrets, secret("s"), { tolerates: ["AlreadyExists"] })]]);
      },
    });
    let base: Transport | undefined;
    const wrap: StageOptions["wrap"] = (transport, stageClock) => {
      // The response to the first create is lost, so a read must settle whether the object exists.
      base = withFaults(
        transport,
        [{ name: "lost", fault: { kind: "reset", when: "after" }, match: { verbs: ["create"] }, nth: [1] }],
        {
          clock: stageClock,
          random: seededRandom(1),
        },
      );
      return recorded("shared", base);
    };
    const own: Transport = (request, signal) => {
      if (base === undefined) throw new Error("no server");
      return recorded("own", base)(request, signal);
    };
    const stageOptions = { resources: [configMaps, secrets], objects: [[configMaps, map("a")] as const], wrap, clock };
    // The informers use the client of the stage; the controller has its own client.
    await using stage = new Stage(controller, stageOptions, (options) => ({
      ...options,
      informerClient: options.client,
      client: clientOf(own, { clock }),
    }));
    await stage.clock.advance(30_000);
    expect(stage.list(secrets)).toHaveLength(1);
    expect([...new Set(sent.filter((line) => line.startsWith("own")))].toSorted()).toEqual([
      "own GET configmaps/a",
      "own POST secrets",
    ]);
    // In Kubernetes, the identity of the shared informers may list and watch all resources, but not get them.
    expect(sent).toContain("shared GET secrets metadata.name=s");
    expect(sent).not.toContain("shared GET secrets/s");
    expect(sent).toContain("shared GET secrets");
  });

  function describeRequest({ method, path }: ApiRequest): string {
    return `${method} ${path.replace(/^\/api\/v1\/(?:namespaces\/[^/]+\/)?/, "")}`;
  }
});

describe("a model", () => {
  const reserving = (more: {
    readonly reserve?: (model: Set<string>) => void;
    readonly writes?: Parameters<typeof create>[1];
  }) => {
    const model = new Set<string>();
    let learned = 0;
    const controller = newController<Set<string>>({
      name: "maps",
      primary: configMaps,
      writes: [verbs(secrets, "create")],
      newModel: () => model,
      queues: {
        maps: queue({
          deadlineMs: 1000,
          retry: { maxTries: 1 },
          observe: (key, { snapshot }: View<Set<string>>) => snapshot.get(configMaps, key),
          decide: () => plan("make", [[create(secrets, secret("s"))]]),
          reserve: (taken: Set<string>) => {
            taken.add("it");
            more.reserve?.(taken);
          },
          learn: (taken: Set<string>, _seen, { outcome }) => {
            learned++;
            if (outcome.isAnyRefused) taken.delete("it");
            return [];
          },
        }),
      },
    });
    return { controller, model, learned: () => learned };
  };

  test("gives back what a reserve had taken that throws", async () => {
    const { controller, model, learned } = reserving({
      reserve: () => {
        throw new Error("bug");
      },
    });
    await using stage = new Stage(controller, { resources: [configMaps, secrets], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(1000);
    expect([model.size, learned(), stage.list(secrets).length, total(stage, "reconcile_panics_total")]).toEqual([
      0, 1, 0, 1,
    ]);
  });

  test("learns when time is up, and keeps what nobody knows", async () => {
    const { controller, model, learned } = reserving({});
    await using stage = new Stage(controller, {
      resources: [configMaps, secrets],
      objects: [[configMaps, map("a")]],
      wrap: (transport, clock) =>
        withFaults(transport, [{ name: "silent", fault: { kind: "silence" }, match: { verbs: ["create"] } }], {
          clock,
          random: seededRandom(1),
        }),
    });
    await stage.clock.advance(1500);
    expect([learned(), model.size, total(stage, "reconcile_timeouts_total")]).toEqual([1, 1, 1]);
  });

  test("that cannot absorb a change is a panic, and keys are added all the same", async () => {
    const looked: string[] = [];
    const controller = newController<object>({
      name: "maps",
      primary: configMaps,
      newModel: () => ({}),
      absorb: () => {
        throw new Error("bug");
      },
      collect: () => {
        throw new Error("bug");
      },
      queues: {
        maps: queue({
          observe: (key, _view: View<object>) => key,
          decide: (key: string) => {
            looked.push(key);
            return nothing("looked");
          },
        }),
      },
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(1000);
    expect(looked).toEqual(["shop/a"]);
    // `collect` throws once at each scrape of the metrics.
    expect([total(stage, "reconcile_panics_total"), total(stage, "reconcile_panics_total")]).toEqual([2, 3]);
  });
});

describe("caches that are late", () => {
  test("a mapping that read one is asked again when it has synced", async () => {
    const looked: string[] = [];
    const controller = newController({
      name: "maps",
      watches: [mapped(pods, (_pod, snapshot) => snapshot.list(configMaps).map(keyOf)), cached(configMaps)],
      onSyncTimeout: "start",
      queues: {
        maps: queue({
          observe: (key) => key,
          decide: (key: string) => {
            looked.push(key);
            return nothing("looked");
          },
        }),
      },
    });
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "shop", name: "p" },
      spec: { containers: [] },
    } as KubernetesObject;
    await using stage = new Stage(controller, {
      resources: [configMaps, pods],
      objects: [
        [configMaps, map("a")],
        [pods, pod],
      ],
      wrap: delayed("configmaps", 5000),
      driver: { syncTimeoutMs: 1000 },
    });
    await stage.clock.advance(10_000);
    expect(looked).toEqual(["shop/a"]);
  });

  test("a report that reads one puts the key off: that is no failure", async () => {
    const controller = newController({
      name: "maps",
      watches: [itself(configMaps), cached(widgets)],
      writes: [verbs(secrets, "create")],
      onSyncTimeout: "start",
      queues: {
        maps: queue({
          observe: (key, { snapshot }) => ({ key, count: () => snapshot.list(widgets).length }),
          decide: () => plan("make", [[create(secrets, secret("s"), { tolerates: ["AlreadyExists"] })]]),
          report: (seen) => nothing(`${seen.count()} widgets`),
        }),
      },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps, secrets, widgets],
      objects: [[configMaps, map("a")]],
      wrap: delayed("widgets", 8000),
      driver: { syncTimeoutMs: 1000 },
    });
    await stage.clock.advance(20_000);
    expect(total(stage, "reconcile_errors_total")).toBe(0);
  });
});

describe("writes that follow one's own", () => {
  const set = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { namespace: "shop", name: "web" },
    spec: { selector: {}, template: {} },
  } as appsv1.ReplicaSet;
  const labelled = (seen: appsv1.ReplicaSet, label: string) => ({
    ...seen,
    metadata: { ...seen.metadata, labels: { ...seen.metadata.labels, [label]: "yes" } },
  });

  for (const [fact, writes, decide, report] of [
    [
      "two in one report, after a plan without actions",
      "patch",
      () => nothing("nothing"),
      (seen: appsv1.ReplicaSet) =>
        plan("tell", [
          [
            inOrder(
              editObject(replicaSets, seen, labelled(seen, "a")),
              editStatus(replicaSets, seen, { ...seen, status: { replicas: 1 } }),
            ),
          ],
        ]),
    ],
    [
      "a status after an unlocked edit that is sent as an update",
      "update",
      (seen: appsv1.ReplicaSet) =>
        plan("label", [[editObject(replicaSets, seen, labelled(seen, "a"), { isLocked: false })]]),
      (seen: appsv1.ReplicaSet) =>
        plan("tell", [[editStatus(replicaSets, seen, { ...seen, status: { replicas: 1 } })]]),
    ],
    [
      "three to one object in one plan",
      "patch",
      (seen: appsv1.ReplicaSet) =>
        plan("label", [
          [editObject(replicaSets, seen, labelled(seen, "a"))],
          [editObject(replicaSets, seen, labelled(seen, "b"))],
          [
            patch(
              replicaSets,
              keyOf(seen),
              { type: "merge", body: { metadata: { labels: { c: "yes" } } } },
              { preconditions: { resourceVersion: seen.metadata.resourceVersion ?? "" } },
            ),
          ],
        ]),
      () => undefined,
    ],
  ] as const) {
    test(`${fact}: no conflict with oneself`, async () => {
      const controller = keyed<appsv1.ReplicaSet>({
        name: "sets",
        primary: replicaSets,
        writes: [verbs(replicaSets, writes), statusVerbs(replicaSets, writes)],
        observe: (key, { snapshot }) => snapshot.get(replicaSets, key),
        decide: (seen) => (seen.metadata.labels?.["a"] === undefined ? decide(seen) : nothing("done")),
        report: (seen) => (seen.metadata.labels?.["a"] === undefined ? report(seen) : undefined),
      });
      await using stage = new Stage(controller, { resources: [replicaSets], objects: [[replicaSets, set]] });
      await stage.clock.advance(5000);
      expect(total(stage, "reconcile_errors_total")).toBe(0);
      expect(stage.get(replicaSets, "shop/web")?.metadata.labels).toHaveProperty("a");
    });
  }

  test("after an unlocked patch of one's own, somebody else's change is not overwritten", async () => {
    let rounds = 0;
    const controller = keyed<appsv1.ReplicaSet>({
      name: "sets",
      primary: replicaSets,
      writes: [verbs(replicaSets, "patch")],
      retry: { maxTries: 1 },
      observe: (key, { snapshot }) => snapshot.get(replicaSets, key),
      decide: (seen) => {
        if (rounds++ > 0) return nothing("once is enough");
        // Another client writes between `observe` and the write of this controller.
        stage.edit(replicaSets, "shop/web", (stored) => labelled(stored, "other"));
        return plan("end", [
          [editObject(replicaSets, seen, labelled(seen, "a"), { isLocked: false })],
          [editObject(replicaSets, seen, labelled(seen, "b"))],
        ]);
      },
    });
    await using stage = new Stage(controller, { resources: [replicaSets], objects: [[replicaSets, set]] });
    await stage.clock.advance(1000);
    expect(stage.get(replicaSets, "shop/web")?.metadata.labels).toEqual({ other: "yes", a: "yes" });
    expect(total(stage, "reconcile_errors_total")).toBeGreaterThan(0);
  });
});

describe("what is refused", () => {
  const made = counter({ name: "made_total", help: "Made" });
  const held = gauge({ name: "held", help: "Held", labels: ["zone"] });
  for (const [fact, decide, report] of [
    ["an undeclared write of a report", () => nothing("x"), () => plan("y", [[create(secrets, secret("s"))]])],
    [
      "an undeclared write in a chain",
      (seen: corev1.ConfigMap) =>
        plan("x", [
          [inOrder(editObject(configMaps, seen, { ...seen, data: { a: "1" } }), create(secrets, secret("s")))],
        ]),
      () => undefined,
    ],
  ] as const) {
    test(fact, async () => {
      const controller = keyed<corev1.ConfigMap>({
        name: "maps",
        primary: configMaps,
        writes: [verbs(configMaps, "patch")],
        observe: seeMap,
        decide,
        report,
      });
      await using stage = new Stage(controller, {
        resources: [configMaps, secrets],
        objects: [[configMaps, map("a")]],
      });
      await stage.clock.advance(10_000);
      expect([stage.server.log, total(stage, "terminal_reconcile_errors_total")]).toEqual([[], 1]);
    });
  }

  test("a measurement that cannot be, as a panic", async () => {
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      metrics: [made],
      retry: { maxTries: 1 },
      observe: seeMap,
      decide: () => nothing("x", { measures: [made.add(-1)] }),
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(1000);
    expect(total(stage, "reconcile_panics_total")).toBe(1);
  });

  test("a gauge's series goes when it is removed", async () => {
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      metrics: [held],
      observe: seeMap,
      decide: ({ data }) =>
        nothing("x", {
          measures: [data?.["end"] === undefined ? held.set(3, { zone: "a" }) : held.remove({ zone: "a" })],
        }),
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(1000);
    expect(stage.metrics.print()).toContain('held{zone="a"} 3');
    stage.edit(configMaps, "shop/a", (stored) => ({ ...stored, data: { end: "yes" } }));
    await stage.clock.advance(1000);
    expect(stage.metrics.print()).not.toContain('held{zone="a"}');
  });
});

describe("a decision in slices that is aborted", () => {
  test("runs its clean-up, and decides nothing", async () => {
    let [ended, decided] = [0, 0];
    const controller = newController({
      name: "nodes",
      watches: [cached(nodes)],
      queues: {
        sweep: queue({
          everyMs: 60_000,
          deadlineMs: 1000,
          observe: () => "all",
          *decide() {
            try {
              for (let i = 0; i < 1_000_000; i++) {
                monotonicMs += 5;
                yield;
              }
              decided++;
              return nothing("all");
            } finally {
              ended++;
            }
          },
        }),
      },
    });
    let monotonicMs = 0;
    await using stage = new Stage(controller, { resources: [nodes] }, (options) => {
      const { clock = new FakeClock() } = options;
      const stepping: typeof clock = {
        now: () => clock.now(),
        monotonic: () => clock.monotonic() + monotonicMs,
        after: (delayMs, callback) => clock.after(delayMs, callback),
        sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
        yield: () => clock.yield(),
        hold: (name) => clock.hold(name),
        labelled: () => stepping,
      };
      return { ...options, clock: stepping };
    });
    await stage.clock.advance(2000);
    expect([ended, decided, total(stage, "reconcile_timeouts_total")]).toEqual([1, 0, 1]);
  });
});
