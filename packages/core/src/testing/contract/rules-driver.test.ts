// What the driver guarantees to rules: metrics, chains, unsynced caches, notes, reservations, refusals, slices.
import { describe, expect, test } from "vitest";
import { configMaps, nodes, pods, replicaSets, secrets } from "../../api/generated/resources.ts";
import {
  type appsv1,
  type corev1,
  defineResource,
  editJsonText,
  type KubernetesObject,
  keyOf,
  type Transport,
  withFaults,
} from "../../api/index.ts";
import { seededRandom } from "../../base/index.ts";
import {
  ask,
  cached,
  counter,
  create,
  editObject,
  editStatus,
  gauge,
  histogram,
  inOrder,
  itself,
  keyed,
  liveGet,
  mapped,
  newController,
  nothing,
  type Plan,
  patch,
  plan,
  queue,
  removeObject,
  statusVerbs,
  type View,
  verbs,
} from "../../contract/index.ts";
import { ControllerDriver } from "../../runtime/index.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

const map = (name: string, more: Partial<corev1.ConfigMap> = {}): corev1.ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name },
  ...more,
});
const pod = (name: string): KubernetesObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name },
    spec: { containers: [] },
  }) as KubernetesObject;
const node = (name: string): KubernetesObject => ({ apiVersion: "v1", kind: "Node", metadata: { name } });
const value = (stage: Stage<never>, name: string, labels = 'controller="maps"') =>
  Number(new RegExp(`^${name}\\{${labels}\\} (.*)$`, "m").exec(stage.metrics.print())?.[1]);
const metric = (stage: Stage<never>, line: string) =>
  stage.metrics
    .print()
    .split("\n")
    .find((each) => each.startsWith(`${line} `))
    ?.split(" ")[1];
const failing = (code: number, match: { readonly verbs: readonly string[]; readonly path?: RegExp }) =>
  ((transport, clock) =>
    withFaults(transport, [{ name: "refused", fault: { kind: "status", code }, match }], {
      clock,
      random: seededRandom(1),
    })) satisfies StageOptions["wrap"];
describe("metrics of a controller", () => {
  const made = counter({ name: "made_total", help: "Made", labels: ["result"] });
  const skew = histogram({ name: "skew_seconds", help: "Skew", buckets: [1, 10] });
  const held = gauge({ name: "held", help: "Held" });
  const controller = newController<Set<string>>({
    name: "maps",
    primary: configMaps,
    metrics: [made, skew, held],
    writes: [verbs(secrets, "create")],
    newModel: () => new Set(),
    collect: ({ model, snapshot }) => [held.set(model.size + snapshot.list(configMaps).length)],
    queues: {
      maps: queue({
        observe: (key, { snapshot }: View<Set<string>>) => snapshot.get(configMaps, key),
        decide: (seen: corev1.ConfigMap) =>
          plan("make", [[create(secrets, { apiVersion: "v1", kind: "Secret", metadata: seen.metadata })]], {
            measures: [skew.observe(3)],
          }),
        learn: (model: Set<string>, seen: corev1.ConfigMap) => {
          model.add(keyOf(seen));
          return [];
        },
        report: (_seen, outcome) =>
          nothing("counted", { measures: [made.inc({ result: outcome.error === undefined ? "ok" : "failed" })] }),
      }),
    },
  });

  test("are measured as data, by decide, by report, and when somebody looks", async () => {
    await using stage = new Stage(controller, {
      resources: [configMaps, secrets],
      objects: [
        [configMaps, map("a")],
        [configMaps, map("b")],
      ],
    });
    await stage.clock.advance(1000);
    expect(metric(stage as never, 'made_total{result="ok"}')).toBe("2");
    expect(metric(stage as never, "skew_seconds_sum")).toBe("6");
    expect(metric(stage as never, "held")).toBe("4");
  });

  test("that are not declared are refused before anything is done, and not tried again", async () => {
    const undeclared = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      writes: [verbs(configMaps, "patch")],
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide: (seen) =>
        plan("x", [[editObject(configMaps, seen, map("a", { data: { a: "b" } }))]], { measures: [skew.observe(1)] }),
    });
    await using stage = new Stage(undeclared, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(60_000);
    expect(stage.server.log).toEqual([]);
    expect(value(stage as never, "controller_runtime_terminal_reconcile_errors_total")).toBe(1);
  });
});

describe("chains", () => {
  const podgc = newController({
    name: "podgc",
    watches: [cached(pods)],
    writes: [statusVerbs(pods, "patch"), verbs(pods, "delete")],
    queues: {
      podgc: queue({
        everyMs: 20_000,
        observe: (_key, { snapshot }) => snapshot.list(pods),
        decide: (all) =>
          plan("collect", [
            all.map((each) =>
              inOrder(
                editStatus(pods, each, { ...each, status: { ...each.status, phase: "Failed" } }),
                removeObject(pods, each),
              ),
            ),
          ]),
      }),
    },
  });

  test("one pod whose status is refused is kept, and the others go", async () => {
    await using stage = new Stage(podgc, {
      resources: [pods],
      objects: ["poison", "a", "b", "c"].map((name) => [pods, pod(name)] as const),
      wrap: failing(403, { verbs: ["patch"], path: /poison/ }),
    });
    await stage.clock.advance(1000);
    expect(stage.list(pods).map(keyOf)).toEqual(["shop/poison"]);
    expect(stage.server.log.filter((line) => line.includes("poison"))).toEqual([]);
  });

  test("a step with a failed chain is the last one", async () => {
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      writes: [verbs(configMaps, "patch"), verbs(secrets, "create")],
      retry: { maxTries: 1 },
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide: (seen) =>
        plan("x", [
          [
            inOrder(
              editObject(configMaps, seen, { ...seen, data: { a: "1" } }),
              patch(configMaps, "shop/none", { type: "merge", body: {} }),
            ),
          ],
          [create(secrets, { apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name: "late" } })],
        ]),
    });
    await using stage = new Stage(controller, { resources: [configMaps, secrets], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(10);
    expect(stage.get(configMaps, "shop/a")?.data).toEqual({ a: "1" });
    expect(stage.list(secrets)).toEqual([]);
  });
});

describe("a cache that has not synced", () => {
  const widgets = defineResource<KubernetesObject>({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
  });
  const widget = (name: string): KubernetesObject => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { namespace: "shop", name },
  });
  const slow = ((transport: Transport, clock) =>
    withFaults(
      transport,
      [{ name: "slow", fault: { kind: "delay", delayMs: 4000, when: "before" }, match: { resources: ["widgets"] } }],
      {
        clock,
        random: seededRandom(1),
      },
    )) satisfies StageOptions["wrap"];
  const three = ["a", "b", "c"].map((name) => [widgets, widget(name)] as const);

  test("puts the key off where watches follow discovery: it is never read as empty", async () => {
    const counts: number[] = [];
    let isServed = false;
    const controller = keyed<number>({
      name: "maps",
      primary: configMaps,
      watches: ({ resources }) => (resources.some(({ plural }) => plural === "widgets") ? [cached(widgets)] : []),
      observe: (_key, { snapshot }) => (isServed ? snapshot.list(widgets).length : -1),
      decide: (count) => {
        counts.push(count);
        return nothing(`${count} widgets`, { requeueAfterMs: 1000 });
      },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps, widgets],
      objects: [[configMaps, map("a")], ...three],
      wrap: slow,
      driver: { discoveryMs: 5000 },
    });
    stage.server.served = [configMaps];
    await stage.clock.advance(3000);
    stage.server.served = [configMaps, widgets];
    await stage.clock.advance(2500);
    isServed = true;
    counts.length = 0;
    await stage.clock.advance(10_000);
    expect([...new Set(counts)]).toEqual([3]);
    expect(value(stage as never, "kubeloop_stale_sync_skips_total")).toBeGreaterThan(0);
    expect(value(stage as never, "controller_runtime_reconcile_errors_total")).toBe(0);
  });

  test("puts the key off where the controller starts without it, until it has synced", async () => {
    const seen: string[] = [];
    const controller = keyed<number>({
      name: "maps",
      primary: configMaps,
      watches: [cached(widgets)],
      onSyncTimeout: "start",
      observe: (_key, { snapshot }) => snapshot.list(widgets).length,
      decide: (count, { nowMs }) => {
        seen.push(`${count} at ${nowMs - startMs}`);
        return nothing("seen");
      },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps, widgets],
      objects: [[configMaps, map("a")], ...three],
      wrap: slow,
      driver: { syncTimeoutMs: 1000 },
    });
    const startMs = stage.clock.now();
    await stage.clock.advance(3900);
    expect([stage.driver.state, seen]).toEqual(["working", []]);
    // The key is reconciled as soon as the cache has synced, not after a timer.
    await stage.clock.advance(300);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^3 at 4/);
  });

  test("is asked again by a predicate that has read it, when it has synced", async () => {
    const seen: string[] = [];
    const controller = keyed<string>({
      name: "maps",
      primary: configMaps,
      watches: [
        itself(configMaps, { when: (_change, snapshot) => snapshot.list(widgets).length === 3 }),
        cached(widgets),
      ],
      observe: (key) => key,
      decide: (key) => {
        seen.push(key);
        return nothing("seen");
      },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps, widgets],
      objects: [[configMaps, map("a")], ...three],
      wrap: slow,
    });
    await stage.clock.advance(3900);
    expect(seen).toEqual([]);
    await stage.clock.advance(300);
    expect(seen).toEqual(["shop/a"]);
  });
});

describe("report", () => {
  test("is given the plan and the notes of decide", async () => {
    const reported: unknown[] = [];
    const controller = keyed<corev1.ConfigMap, { readonly size: number }>({
      name: "maps",
      primary: configMaps,
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide: () => nothing("noted", { notes: { size: 7 } }),
      report(_seen, outcome) {
        reported.push(outcome.notes?.size, outcome.plan.reason);
        return undefined;
      },
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(10);
    expect(reported).toEqual([7, "noted"]);
  });

  for (const verb of ["patch", "update"] as const) {
    test(`builds on what the plan's own write left: no conflict with oneself, sent as ${verb}`, async () => {
      const controller = keyed<appsv1.ReplicaSet>({
        name: "maps",
        primary: replicaSets,
        writes: [verbs(replicaSets, verb), statusVerbs(replicaSets, verb)],
        observe: (key, { snapshot }) => snapshot.get(replicaSets, key),
        decide: (seen) =>
          plan("label", [
            [editObject(replicaSets, seen, { ...seen, metadata: { ...seen.metadata, labels: { a: "b" } } })],
          ]),
        report: (seen) => plan("tell", [[editStatus(replicaSets, seen, { ...seen, status: { replicas: 3 } })]]),
      });
      const set = {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { namespace: "shop", name: "web" },
        spec: { selector: {}, template: {}, unknownField: "kept" },
      } as KubernetesObject;
      await using stage = new Stage(controller, { resources: [replicaSets], objects: [[replicaSets, set]] });
      await stage.clock.advance(10_000);
      expect(stage.server.log).toEqual([`${verb} replicasets shop/web`, `${verb} replicasets/status shop/web`]);
      expect(stage.get(replicaSets, "shop/web")).toMatchObject({
        metadata: { labels: { a: "b" } },
        spec: { unknownField: "kept" },
        status: { replicas: 3 },
      });
      expect(value(stage as never, "controller_runtime_reconcile_errors_total")).toBe(0);
    });
  }

  test("is refused as a conflict when somebody else wrote in between", async () => {
    let rounds = 0;
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      writes: [verbs(configMaps, "patch")],
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide: (seen) => plan("mine", [[editObject(configMaps, seen, { ...seen, data: { ...seen.data, mine: "1" } })]]),
      report(seen) {
        if (rounds++ === 0)
          stage.edit(configMaps, "shop/a", (stored) => ({ ...stored, data: { ...stored.data, other: "1" } }));
        return plan("tell", [[editObject(configMaps, seen, { ...seen, data: { ...seen.data, told: "1" } })]]);
      },
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(10_000);
    expect(value(stage as never, "controller_runtime_reconcile_errors_total")).toBe(1);
    expect(stage.get(configMaps, "shop/a")?.data).toEqual({ mine: "1", other: "1", told: "1" });
  });

  test("looks again at the earlier of the two times", async () => {
    const at: number[] = [];
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide: (_seen, { nowMs }) => {
        at.push(nowMs);
        return nothing("soon", { requeueAfterMs: 10_000 });
      },
      report: () => nothing("late", { requeueAfterMs: 600_000 }),
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(60_000);
    expect(at).toHaveLength(7);
  });

  for (const [fact, more] of [
    [
      "throws",
      {
        report: () => {
          throw new Error("bug");
        },
      },
    ],
    ["comes too late", { deadlineMs: 1000 }],
  ] as const) {
    test(`the wakes of a plan survive a report that ${fact}`, async () => {
      const woken: string[] = [];
      const controller = newController({
        name: "maps",
        watches: [itself(configMaps)],
        writes: [verbs(configMaps, "patch")],
        queues: {
          first: queue({
            retry: { maxTries: 1 },
            observe: (key, { snapshot }) => snapshot.get(configMaps, key),
            decide: (seen: corev1.ConfigMap) =>
              plan("x", [[editObject(configMaps, seen, { ...seen, data: { v: "1" } })]], {
                wakes: [{ queue: "second", key: "other" }],
              }),
            ...(more as { readonly report?: () => Plan }),
          }),
          second: queue({
            observe: (key) => key,
            decide: (key: string) => {
              woken.push(key);
              return nothing("woken");
            },
          }),
        },
      });
      const silent = ((transport, clock) =>
        withFaults(transport, [{ name: "silent", fault: { kind: "silence" }, match: { verbs: ["patch"] } }], {
          clock,
          random: seededRandom(1),
          isActive: () => fact === "comes too late",
        })) satisfies StageOptions["wrap"];
      await using stage = new Stage(controller, {
        resources: [configMaps],
        objects: [[configMaps, map("a")]],
        wrap: silent,
      });
      await stage.clock.advance(5000);
      expect(woken).toContain("other");
    });
  }
});

describe("wakes of a plan", () => {
  test("are for its own queue unless another is named", async () => {
    const looked: string[] = [];
    const look = (name: string, wakes: (key: string) => readonly string[]) =>
      queue({
        observe: (key) => key,
        decide: (key: string) => {
          looked.push(`${name} ${key}`);
          return nothing("looked", { wakes: wakes(key) });
        },
      });
    const controller = newController({
      name: "maps",
      watches: [mapped(configMaps, (each) => [{ queue: "second", key: keyOf(each) }])],
      queues: { first: look("first", () => []), second: look("second", (key) => (key === "x" ? [] : ["x"])) },
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(1000);
    expect(looked).toEqual(["second shop/a", "second x"]);
  });
});

describe("a model", () => {
  /** The blocks of nodes: by node, the block that is assigned or reserved. */
  class Blocks {
    readonly byNode = new Map<string, number>();
    free(): number {
      const taken = new Set(this.byNode.values());
      for (let block = 0; ; block++) if (!taken.has(block)) return block;
    }
  }
  const ipam = (asks: boolean) =>
    newController<Blocks>({
      name: "ipam",
      primary: nodes,
      reads: [verbs(nodes, "get")],
      writes: [verbs(nodes, "patch")],
      newModel: () => new Blocks(),
      absorb: (blocks, { object, type }) => {
        const { podCIDR } = (object as corev1.Node).spec ?? {};
        if (type === "delete") blocks.byNode.delete(keyOf(object));
        else if (podCIDR !== undefined) blocks.byNode.set(keyOf(object), Number(podCIDR));
        return [];
      },
      queues: {
        nodes: queue({
          workers: 30,
          observe: (key, { snapshot, model }: View<Blocks>) => {
            const seen = snapshot.get(nodes, key);
            return seen && { node: seen, block: model.byNode.get(key) ?? model.free() };
          },
          decide: ({ node: seen, block }, context) => {
            if (seen.spec?.podCIDR !== undefined) return nothing("has one");
            const question = liveGet(nodes, keyOf(seen));
            if (asks && context.answer(question) === undefined) return ask("is it new?", question);
            return plan("give it one", [[editObject(nodes, seen, { ...seen, spec: { podCIDR: String(block) } })]], {
              notes: block,
            });
          },
          reserve: (blocks: Blocks, { node: seen, block }, { plan: { notes } }) => {
            if (notes !== undefined) blocks.byNode.set(keyOf(seen), block);
          },
          learn: (blocks: Blocks, { node: seen }, { outcome }) => {
            if (outcome.isAnyRefused) blocks.byNode.delete(keyOf(seen));
            return [];
          },
        }),
      },
    });
  const twenty = Array.from({ length: 20 }, (_, i) => [nodes, node(`n${i}`)] as const);
  const blocksOf = (stage: Stage<Blocks>) => stage.list(nodes).map(({ spec }) => spec?.podCIDR);

  for (const asks of [false, true]) {
    test(`reserves before anything is sent${asks ? ", also after a question" : ""}: twenty nodes get twenty blocks from thirty workers`, async () => {
      await using stage = new Stage(ipam(asks), { resources: [nodes], objects: twenty });
      await stage.clock.advance(5000);
      expect(new Set(blocksOf(stage)).size).toBe(20);
    });
  }

  test("gives back what was refused, and keeps what nobody knows", async () => {
    const codes = [403, 503];
    await using stage = new Stage(ipam(false), {
      resources: [nodes],
      objects: twenty.slice(0, 2),
      wrap: (transport, clock) =>
        withFaults(
          transport,
          codes.map((code, i) => ({
            name: `${code}`,
            fault: { kind: "status" as const, code },
            match: { verbs: ["patch"] as const, path: new RegExp(`n${i}$`) },
            nth: [1],
          })),
          { clock, random: seededRandom(1) },
        ),
    });
    await stage.clock.advance(60_000);
    expect(blocksOf(stage).toSorted()).toEqual(["0", "1"]);
  });
});

describe("what the controller does not declare", () => {
  test("is refused with the whole plan, and not tried again until something changes", async () => {
    let looked = 0;
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      writes: [verbs(configMaps, "patch")],
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide(seen) {
        looked++;
        return plan("x", [
          [editObject(configMaps, seen, { ...seen, data: { a: "b" } })],
          [removeObject(configMaps, seen)],
        ]);
      },
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(60_000);
    expect([looked, stage.server.log]).toEqual([1, []]);
  });

  test("a plan for a queue that is not there is refused before anything is done", async () => {
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      writes: [verbs(configMaps, "patch")],
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide: (seen) =>
        plan("x", [[editObject(configMaps, seen, { ...seen, data: { a: "b" } })]], {
          wakes: [{ queue: "none", key: "k" }],
        }),
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(1000);
    expect(stage.server.log).toEqual([]);
    expect(value(stage as never, "controller_runtime_terminal_reconcile_errors_total")).toBe(1);
  });

  test("an index that another controller has defined otherwise ends the driver, with a sentence", async () => {
    const index = (answer: string) => ({ name: "by-owner", resource: configMaps, valuesOf: () => [answer] });
    const indexed = (name: string, answer: string) =>
      keyed<number>({
        name,
        primary: configMaps,
        indexes: [index(answer)],
        observe: (_key, { snapshot }) => snapshot.byIndex(index(answer), answer).length,
        decide: () => nothing("seen"),
      });
    await using stage = new Stage(indexed("a", "x"), { resources: [configMaps], objects: [[configMaps, map("m")]] });
    await stage.clock.advance(100);
    const second = new ControllerDriver(indexed("b", "y"), stage.options);
    await expect(second.run(new AbortController().signal)).rejects.toThrow(
      "b needs index by-owner of configmaps, which another controller has defined with another function: rename one of them",
    );
  });
});

describe("functions of the controller that throw", () => {
  const throwing = (resyncMs: number) => {
    const looked: string[] = [];
    const controller = keyed<corev1.ConfigMap>({
      name: "maps",
      primary: configMaps,
      watches: [
        mapped(
          pods,
          ({ metadata }) => {
            if (metadata.name === "bad") throw new TypeError("bug in a mapping");
            return [];
          },
          resyncMs > 0 ? { resyncMs } : {},
        ),
        mapped(pods, () => ["shop/a"]),
      ],
      indexes: [
        {
          name: "bad-index",
          resource: configMaps,
          valuesOf: ({ metadata }) => {
            if (metadata.name === "bad") throw new TypeError("bug in an index");
            return [];
          },
        },
      ],
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide: (seen) => {
        looked.push(keyOf(seen));
        return nothing("looked");
      },
    });
    return { controller, looked };
  };
  const panics = "controller_runtime_reconcile_panics_total";

  for (const resyncMs of [0, 10_000]) {
    test(`a mapping costs its own keys only${resyncMs > 0 ? ", with resyncs too" : ""}, and is counted and named`, async () => {
      const { controller, looked } = throwing(resyncMs);
      const lines: string[] = [];
      const log = {
        debug() {},
        info() {},
        warn() {},
        error: (message: string, fields?: object) => lines.push(`${message} ${JSON.stringify(fields)}`),
        with: () => log,
      };
      await using stage = new Stage(controller, {
        resources: [configMaps, pods],
        objects: [[configMaps, map("a")]],
        driver: { log },
      });
      await stage.clock.advance(1000);
      looked.length = 0;
      stage.server.server.create(pods, pod("bad"));
      await stage.clock.advance(35_000);
      expect(looked).toContain("shop/a");
      expect(stage.driver.state).toBe("working");
      expect(value(stage as never, panics)).toBe(resyncMs > 0 ? 4 : 1);
      expect(lines[0]).toContain("the mapped watch of pods");
    });
  }

  test("an index function costs its own object's place in the index only", async () => {
    const { controller, looked } = throwing(0);
    await using stage = new Stage(controller, { resources: [configMaps, pods] });
    await stage.clock.advance(1000);
    stage.server.server.create(configMaps, map("bad"));
    stage.server.server.create(configMaps, map("good"));
    await stage.clock.advance(1000);
    expect(looked).toEqual(["shop/bad", "shop/good"]);
    expect(value(stage as never, panics)).toBeGreaterThan(0);
  });
});

describe("watches that follow discovery", () => {
  test("a watch added to a resource that is watched already adds what there is, and what comes", async () => {
    const widgets = defineResource<KubernetesObject>({
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
    });
    const woken: string[] = [];
    let absorbed = 0;
    const controller = newController<object>({
      name: "maps",
      watches: ({ resources }) => [
        cached(configMaps),
        ...(resources.some(({ plural }) => plural === "widgets") ? [itself(configMaps), cached(widgets)] : []),
      ],
      newModel: () => ({}),
      absorb: (_model, { resource }) => {
        if (resource.plural === "configmaps") absorbed++;
        return [];
      },
      queues: {
        maps: queue({
          observe: (key, _view: View<object>) => key,
          decide: (key: string) => {
            woken.push(key);
            return nothing("woken");
          },
        }),
      },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps, widgets],
      objects: [[configMaps, map("early")]],
      driver: { discoveryMs: 5000 },
    });
    stage.server.served = [configMaps];
    await stage.clock.advance(3000);
    stage.server.served = [configMaps, widgets];
    await stage.clock.advance(30_000);
    stage.server.server.create(configMaps, map("later"));
    await stage.clock.advance(30_000);
    expect(woken).toEqual(["shop/early", "shop/later"]);
    // The model receives no change twice.
    expect(absorbed).toBe(2);
  });
});

test("a key that is put off, because a cache does not show its write, is counted by the resource of that cache", async () => {
  const skips = counter({
    name: "maps_stale_sync_skips_total",
    help: "Puts off",
    labels: ["group", "resource"] as const,
  });
  const syncs = counter({ name: "maps_syncs", help: "By result", labels: ["result"] as const });
  const controller = keyed<number>({
    name: "maps",
    primary: configMaps,
    watches: [cached(secrets)],
    writes: [verbs(secrets, "create")],
    metrics: [syncs],
    staleSyncSkips: skips,
    staleSync: syncs.inc({ result: "stale" }),
    observe: (_key, { snapshot }) => snapshot.list(secrets).length,
    decide: (count) => {
      if (count > 0) return nothing("it is there");
      const metadata = { namespace: "shop", generateName: "s-" };
      return plan("make it", [[create(secrets, { apiVersion: "v1", kind: "Secret", metadata })]], {
        requeueAfterMs: 10,
      });
    },
  });
  await using stage = new Stage(controller, {
    resources: [configMaps, secrets],
    objects: [[configMaps, map("a")]],
    // If the watch sends no initial events, writes between the list and the watch are not in the cache for some time.
    wrap: (transport, clock) =>
      withFaults(
        transport,
        [
          {
            name: "no watch list",
            fault: { kind: "status", code: 422 },
            match: { resources: ["secrets"], verbs: ["watch"] },
            nth: [1],
          },
          {
            name: "slow watch",
            fault: { kind: "delay", delayMs: 4000, when: "before" },
            match: { resources: ["secrets"], verbs: ["watch"] },
          },
        ],
        { clock, random: seededRandom(1) },
      ),
  });
  await stage.clock.advance(30_000);
  const skipped = value(stage as never, "maps_stale_sync_skips_total", 'group="",resource="secrets"');
  expect(skipped).toBeGreaterThan(0);
  expect(value(stage as never, "maps_syncs", 'result="stale"')).toBe(skipped);
});

describe("errors in following discovery", () => {
  const errors = counter({ name: "maps_discovery_errors_total", help: "How often discovery could not be followed" });
  const maps = newController({
    name: "maps",
    watches: ({ resources }) => {
      if (resources.length === 0) throw new Error("nothing is served");
      return resources.map((resource) => cached(resource));
    },
    discoveryErrors: errors,
    onSyncTimeout: "start",
    queues: { maps: queue({ observe: (key) => key, decide: () => nothing("looked") }) },
  });
  const count = (stage: Stage<undefined>) =>
    Number(/^maps_discovery_errors_total (.*)$/m.exec(stage.metrics.print())?.[1] ?? 0);

  test("are counted when it fails, and when its answer cannot be used; watches stay", async () => {
    let isDown = false;
    await using stage = new Stage(maps, {
      resources: [configMaps, secrets],
      driver: { discoveryMs: 5000 },
      wrap: (transport) => async (request, signal) => {
        if (isDown && /^\/apis?$/.test(request.path)) throw new Error("down");
        return await transport(request, signal);
      },
    });
    await stage.clock.advance(12_000);
    expect(count(stage)).toBe(0);
    const watches = stage.server.server.openWatches;
    isDown = true;
    await stage.clock.advance(5_000);
    expect(count(stage)).toBeGreaterThan(0);
    isDown = false;
    await stage.clock.advance(30_000);
    const before = count(stage);
    stage.server.served = [];
    await stage.clock.advance(30_000);
    expect(count(stage)).toBeGreaterThan(before);
    expect(stage.server.server.openWatches).toBe(watches);
  });

  test("are counted once when what it has added has not synced by the next time", async () => {
    await using stage = new Stage(maps, {
      resources: [configMaps, secrets],
      driver: { discoveryMs: 5000 },
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [{ name: "no secrets", fault: { kind: "status", code: 403 }, match: { resources: ["secrets"] } }],
          { clock, random: seededRandom("secrets") },
        ),
    });
    await stage.clock.advance(4_000);
    expect(count(stage)).toBe(0);
    await stage.clock.advance(60_000);
    expect(count(stage)).toBe(1);
  });
});

describe("a decision in slices", () => {
  test("yields to the event loop when its budget is used up", async () => {
    let [pieces, monotonicMs] = [0, 0];
    const turns: number[] = [];
    const controller = newController({
      name: "maps",
      watches: [cached(configMaps)],
      queues: {
        sweep: queue({
          everyMs: 60_000,
          observe: (_key, { snapshot }) => snapshot.list(configMaps),
          *decide(all) {
            for (const _each of all) {
              pieces++;
              monotonicMs += 1;
              yield;
            }
            return nothing(`${all.length} maps`);
          },
        }),
      },
    });
    await using stage = new Stage(controller, {
      resources: [configMaps],
      objects: Array.from({ length: 100 }, (_, i) => [configMaps, map(`m${i}`)] as const),
      driver: {},
    });
    const clock = stage.options.clock;
    if (clock === undefined) throw new Error("no clock");
    const stepping = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + monotonicMs,
      after: clock.after.bind(clock),
      sleep: clock.sleep.bind(clock),
      hold: clock.hold.bind(clock),
      labelled: () => stepping,
      yield: async () => {
        turns.push(pieces);
        await clock.yield();
      },
    };
    const second = new ControllerDriver(controller, { ...stage.options, clock: stepping });
    const stop = new AbortController();
    await stage.clock.advance(10);
    pieces = 0;
    const running = second.run(stop.signal);
    await stage.clock.advance(10);
    stop.abort();
    await running;
    expect(pieces).toBe(100);
    expect(turns.filter((at) => at > 0 && at < 100).length).toBeGreaterThanOrEqual(20);
  });
});

describe("a decision in slices with a reservation", () => {
  test("is refused, because other keys run between its slices", async () => {
    const controller = newController<object>({
      name: "maps",
      primary: configMaps,
      newModel: () => ({}),
      queues: {
        maps: queue({
          observe: (key, _view: View<object>) => key,
          *decide() {
            yield;
            return nothing("sliced");
          },
          reserve: () => {},
        }),
      },
    });
    await using stage = new Stage(controller, { resources: [configMaps], objects: [[configMaps, map("a")]] });
    await stage.clock.advance(1000);
    expect(value(stage as never, "controller_runtime_terminal_reconcile_errors_total")).toBe(1);
  });
});

describe("integers beyond 2^53", () => {
  test("survive an edit that is sent as an update", async () => {
    const counters = defineResource<KubernetesObject & { readonly spec?: object }>({
      group: "example.com",
      version: "v1",
      kind: "Counter",
      plural: "counters",
    });
    const controller = keyed<KubernetesObject>({
      name: "counters",
      primary: counters,
      writes: [verbs(counters, "update")],
      observe: (key, { snapshot }) => snapshot.get(counters, key),
      decide: (seen) =>
        plan("label", [[editObject(counters, seen, { ...seen, metadata: { ...seen.metadata, labels: { a: "b" } } })]]),
    });
    const sent: string[] = [];
    const exact = (text: string) => text.replace("9007199254740992", "9007199254740993");
    const wrap: StageOptions["wrap"] = (transport) => async (request, signal) => {
      if (request.method === "PUT" && request.body.kind === "bytes") {
        const bytes = request.body.bytes as Uint8Array;
        sent.push(new TextDecoder().decode(bytes));
        // The fake server takes only values, so the body is parsed here, which rounds the integer.
        return await transport({ ...request, body: { kind: "value", value: JSON.parse(sent[0] ?? "") } }, signal);
      }
      const response = await transport(request, signal);
      if (request.method !== "GET" || request.prefers !== "bytes") return response;
      const value = response.body.kind === "value" ? JSON.stringify(response.body.value) : await textOf(response.body);
      return { ...response, body: { kind: "bytes", bytes: once(exact(value)) } };
    };
    await using stage = new Stage(controller, {
      resources: [counters],
      objects: [
        [
          counters,
          {
            apiVersion: "example.com/v1",
            kind: "Counter",
            metadata: { namespace: "shop", name: "a" },
            spec: { big: 2 ** 53 },
          } as KubernetesObject,
        ],
      ],
      wrap,
    });
    await stage.clock.advance(1000);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('"big":9007199254740993');
    expect(sent[0]).toContain('"labels":{"a":"b"}');
    expect(editJsonText(sent[0] ?? "", (value) => value)).toBe(sent[0]);
  });

  async function* once(text: string) {
    yield new TextEncoder().encode(text);
  }
  async function textOf(body: { readonly kind: string; readonly bytes?: AsyncIterable<Uint8Array> }) {
    const parts: string[] = [];
    for await (const bytes of body.bytes ?? []) parts.push(new TextDecoder().decode(bytes));
    return parts.join("");
  }
});
