import { describe, expect, test } from "vitest";
import { configMaps, pods, secrets } from "../../api/generated/resources.ts";
import { type corev1, keyOf, newForbidden, newServiceUnavailable, valueResponse, withFaults } from "../../api/index.ts";
import { deferred, seededRandom } from "../../base/index.ts";
import {
  ask,
  askPort,
  cached,
  callPort,
  create,
  type DecideContext,
  type Decision,
  definePort,
  discover,
  itself,
  keyed,
  liveGet,
  mapped,
  newController,
  nothing,
  patch,
  plan,
  queue,
  remove,
  slowStart,
  TerminalError,
  unfinished,
  verbs,
} from "../../contract/index.ts";
import { Ports } from "../../runtime/index.ts";
import { fastSlowRateLimiter } from "../../workqueue/index.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

function configMap(name: string, more: Partial<corev1.ConfigMap> = {}): corev1.ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name }, ...more };
}
function secret(name: string, labels: Record<string, string> = {}): corev1.Secret {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name, labels } };
}

type Rule = (map: corev1.ConfigMap, context: DecideContext) => Decision;

/** A controller of config maps with a `decide` from the test. */
function onMaps(decide: Rule, more: Partial<Parameters<typeof keyed<corev1.ConfigMap>>[0]> = {}) {
  return keyed<corev1.ConfigMap>({
    name: "maps",
    primary: configMaps,
    watches: [cached(secrets)],
    reads: [verbs(configMaps, "get"), verbs(secrets, "get", "list")],
    writes: [verbs(secrets, "create", "delete", "patch")],
    observe: (key, { snapshot }) => snapshot.get(configMaps, key),
    decide,
    ...more,
  });
}
function onStage(controller: ReturnType<typeof onMaps>, options: Partial<StageOptions> = {}) {
  return new Stage(controller, {
    resources: [configMaps, secrets, pods],
    objects: [[configMaps, configMap("a")]],
    ...options,
  });
}
const value = (stage: Stage<undefined>, name: string, labels = 'controller="maps"') =>
  Number(new RegExp(`^${name}\\{${labels}\\} (.*)$`, "m").exec(stage.metrics.print())?.[1]);

describe("starting", () => {
  test("no key is looked at before every cache is filled", async () => {
    const looked: number[] = [];
    const controller = onMaps((_map, { nowMs }) => {
      looked.push(nowMs);
      return nothing("looked");
    });
    await using stage = onStage(controller, {
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [
            {
              name: "slow",
              fault: { kind: "delay", delayMs: 4000, when: "before" },
              match: { resources: ["secrets"] },
              nth: [1],
            },
          ],
          {
            clock,
            random: seededRandom(1),
          },
        ),
    });
    await stage.clock.advance(3000);
    expect(looked).toEqual([]);
    expect(stage.driver.state).toBe("syncing");
    await stage.clock.advance(2000);
    expect(looked).toHaveLength(1);
    expect(stage.driver.state).toBe("working");
  });

  const neverFills = {
    wrap: (
      transport: Parameters<NonNullable<StageOptions["wrap"]>>[0],
      clock: Parameters<NonNullable<StageOptions["wrap"]>>[1],
    ) =>
      withFaults(
        transport,
        [{ name: "down", fault: { kind: "status", code: 403 }, match: { resources: ["secrets"] } }],
        {
          clock,
          random: seededRandom(1),
        },
      ),
  };
  test("a cache that does not fill in two minutes ends it, by name", async () => {
    await using stage = onStage(
      onMaps(() => nothing("looked")),
      neverFills,
    );
    const ended = stage.ended().catch((error: unknown) => error);
    await stage.clock.advance(121_000);
    expect(String(await ended)).toMatch(/maps secrets \(since .*\): forbidden/);
    expect(stage.driver.state).toBe("ended");
    expect(stage.driver.unsynced()).toEqual([]);
  });

  test("until then it tells who is not filled and why", async () => {
    await using stage = onStage(
      onMaps(() => nothing("looked")),
      neverFills,
    );
    await stage.clock.advance(90_000);
    expect(stage.driver.unsynced()).toEqual([
      { name: "maps secrets", reason: expect.stringMatching(/failed to list and watch for 90 s: forbidden/) },
    ]);
  });

  test("told to wait, it does, and starts when the cache is filled after all", async () => {
    let looked = 0;
    const controller = onMaps(() => {
      looked++;
      return nothing("looked");
    });
    let isDown = true;
    await using stage = onStage(controller, {
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [{ name: "down", fault: { kind: "status", code: 403 }, match: { resources: ["secrets"] } }],
          { clock, random: seededRandom(1), isActive: () => isDown },
        ),
      driver: { onSyncTimeout: "wait" },
    });
    await stage.clock.advance(600_000);
    expect([looked, stage.driver.state, stage.driver.unsynced().length]).toEqual([0, "syncing", 1]);
    isDown = false;
    await stage.clock.advance(60_000);
    expect([looked, stage.driver.state, stage.driver.unsynced().length]).toEqual([1, "working", 0]);
  });

  test("a cache that goes deaf later is told too, and the work goes on", async () => {
    let isDown = false;
    let looked = 0;
    const controller = onMaps(() => {
      looked++;
      return nothing("looked");
    });
    await using stage = onStage(controller, {
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [{ name: "down", fault: { kind: "status", code: 503 }, match: { resources: ["secrets"] } }],
          { clock, random: seededRandom(1), isActive: () => isDown },
        ),
    });
    await stage.clock.advance(1000);
    isDown = true;
    stage.server.server.endWatches("reset");
    await stage.clock.advance(180_000);
    expect(stage.driver.unsynced().map(({ name }) => name)).toEqual(["maps secrets"]);
    const before = looked;
    stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { changed: "yes" } }));
    await stage.clock.advance(10_000);
    expect(looked).toBeGreaterThan(before);
  });

  test("unless it says that it can do without", async () => {
    let looked = 0;
    const controller = onMaps(
      () => {
        looked++;
        return nothing("looked");
      },
      { onSyncTimeout: "start" },
    );
    await using stage = onStage(controller, neverFills);
    await stage.clock.advance(121_000);
    expect(looked).toBe(1);
  });

  test("ports that nobody implements are refused at once", () => {
    const controller = onMaps(() => nothing("x"), { ports: [definePort("signer")] });
    expect(() => onStage(controller)).toThrow("maps lacks ports: signer");
  });

  test("a resource that is read but not watched is refused loudly", async () => {
    const controller = onMaps(() => nothing("x"), {
      observe(_key, { snapshot }) {
        snapshot.list(pods);
        return undefined;
      },
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1);
    expect(value(stage, "controller_runtime_reconcile_panics_total")).toBeGreaterThan(0);
  });
});

describe("asking", () => {
  test("answers come beside what was seen, in as many rounds as needed", async () => {
    const reasons: string[] = [];
    const controller = onMaps((map, context) => {
      const self = context.answer(liveGet(configMaps, keyOf(map)));
      if (self === undefined) return ask("me?", liveGet(configMaps, keyOf(map)));
      const other = context.answer(liveGet(configMaps, "shop/other"));
      const served = context.answer(discover());
      if (other === undefined || served === undefined)
        return ask("the rest?", liveGet(configMaps, "shop/other"), discover());
      reasons.push(
        `${self.ok && self.value?.metadata.name} ${other.ok && other.value} ${served.ok && served.value.resources.length}`,
      );
      return nothing("known");
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1);
    expect(reasons).toEqual(["a undefined 3"]);
  });

  test("an answer that failed is an answer", async () => {
    const seen: unknown[] = [];
    const question = liveGet(secrets, "shop/s");
    const controller = onMaps((_map, context) => {
      const answer = context.answer(question);
      if (answer === undefined) return ask("there?", question);
      if (!seen.length) seen.push(answer.ok ? "read" : answer.error.message);
      return nothing("told");
    });
    await using stage = onStage(controller, {
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [{ name: "no", fault: { kind: "status", code: 403, message: "not yours" }, match: { verbs: ["get"] } }],
          {
            clock,
            random: seededRandom(1),
          },
        ),
    });
    await stage.clock.advance(1);
    expect(seen[0]).toMatch(/forbidden|not yours/i);
  });

  test("who asks for ever fails, and tries again later", async () => {
    let asked = 0;
    const controller = onMaps(() => ask("and then?", liveGet(configMaps, `shop/n${asked++}`)));
    await using stage = onStage(controller);
    await stage.clock.advance(4);
    expect(asked).toBe(5);
    expect(value(stage, "controller_runtime_reconcile_errors_total")).toBe(1);
  });

  test("who asks the same again fails", async () => {
    let asked = 0;
    const controller = onMaps(() => {
      asked++;
      return ask("me?", liveGet(configMaps, "shop/a"));
    });
    await using stage = onStage(controller);
    await stage.clock.advance(4);
    expect(asked).toBe(2);
  });

  test("ports are asked and called", async () => {
    const meter = definePort<{ readonly of: string }, number>("meter");
    const calls: string[] = [];
    const ports = new Ports().implement(meter, async ({ of }) => {
      calls.push(of);
      return 7;
    });
    const controller = onMaps(
      (_map, context) => {
        const answer = context.answer(askPort(meter, { of: "a" }));
        if (answer === undefined) return ask("how much?", askPort(meter, { of: "a" }));
        return answer.ok && answer.value === 7 ? plan("set", [[callPort(meter, { of: "set" })]]) : nothing("?");
      },
      { ports: [meter] },
    );
    await using stage = onStage(controller, { driver: { ports } });
    await stage.clock.advance(1);
    expect(calls).toEqual(["a", "set"]);
  });
});

describe("carrying out", () => {
  test("all of a step is tried, and the first step with a failure is the last", async () => {
    const controller = onMaps(
      (map) =>
        map.data?.["done"] === "yes"
          ? nothing("done")
          : plan(
              "three steps",
              [
                [create(secrets, secret("one"))],
                [remove(secrets, "shop/absent"), create(secrets, secret("two"))],
                [create(secrets, secret("three"))],
              ],
              {},
            ),
      { retry: { maxTries: 1 } },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    expect(stage.list(secrets).map(({ metadata }) => metadata.name)).toEqual(["one", "two"]);
  });

  test("what may fail so is no failure", async () => {
    const controller = onMaps(() => plan("gone", [[remove(secrets, "shop/absent", { tolerates: ["NotFound"] })]]));
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    expect(value(stage, "controller_runtime_reconcile_errors_total")).toBe(0);
    expect(value(stage, "controller_runtime_reconcile_total", 'controller="maps",result="success"')).toBe(1);
  });

  test("what the descriptor does not name is refused before it is sent", async () => {
    const controller = onMaps(() => plan("strays", [[remove(pods, "shop/p")]]), { retry: { maxTries: 1 } });
    const pod: corev1.Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "shop", name: "p" },
      spec: { containers: [] },
    };
    await using stage = onStage(controller, {
      objects: [
        [configMaps, configMap("a")],
        [pods, pod],
      ],
    });
    await stage.clock.advance(1000);
    expect(stage.list(pods)).toHaveLength(1);
    expect(value(stage, "controller_runtime_reconcile_errors_total")).toBe(1);
  });

  test("a report that could not be written is a failure, too", async () => {
    const controller = onMaps(() => nothing("well"), {
      report: () => plan("tells", [[remove(secrets, "shop/absent")]]),
      retry: { maxTries: 2 },
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    expect(value(stage, "controller_runtime_reconcile_errors_total")).toBe(2);
  });

  for (const type of ["json", "merge"] as const) {
    test(`a ${type} patch carries its preconditions`, async () => {
      const body =
        type === "json"
          ? { type, operations: [{ op: "add", path: "/data", value: { mine: "yes" } }] as const }
          : { type, body: { data: { mine: "yes" } } };
      const controller = onMaps(
        (map) => plan("writes", [[patch(configMaps, keyOf(map), body, { preconditions: { uid: "other" } })]]),
        {
          writes: [verbs(configMaps, "patch")],
          retry: { maxTries: 1 },
        },
      );
      await using stage = onStage(controller);
      await stage.clock.advance(1000);
      expect(stage.get(configMaps, "shop/a")?.data).toBeUndefined();
      expect(value(stage, "controller_runtime_reconcile_errors_total")).toBe(1);
    });
  }

  test("a delete carries its preconditions", async () => {
    const controller = onMaps(
      () => plan("deletes", [[remove(secrets, "shop/s", { preconditions: { uid: "other" } })]]),
      {
        retry: { maxTries: 1 },
      },
    );
    await using stage = onStage(controller, {
      objects: [
        [configMaps, configMap("a")],
        [secrets, secret("s")],
      ],
    });
    await stage.clock.advance(1000);
    expect(stage.list(secrets)).toHaveLength(1);
  });

  test("a conflict is an ordinary retry: nothing is overwritten", async () => {
    let tries = 0;
    const controller = onMaps(
      (map) => {
        tries++;
        if (map.data?.["mine"] === "yes") return nothing("written");
        const { resourceVersion = "" } = map.metadata;
        return plan("writes", [
          [
            patch(
              configMaps,
              keyOf(map),
              { type: "merge", body: { data: { mine: "yes" } } },
              { preconditions: { resourceVersion } },
            ),
          ],
        ]);
      },
      { writes: [verbs(configMaps, "patch")] },
    );
    let hasChanged = false;
    const stage: Stage<undefined> = onStage(controller, {
      wrap: (transport) => async (request, signal) => {
        if (request.method === "PATCH" && !hasChanged) {
          hasChanged = true;
          stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { theirs: "yes" } }));
        }
        return await transport(request, signal);
      },
    });
    await using _ = stage;
    await stage.clock.advance(1000);
    expect(stage.get(configMaps, "shop/a")?.data).toEqual({ theirs: "yes", mine: "yes" });
    expect(tries).toBeGreaterThan(1);
  });

  test("an object outside of the watched selector does not hold the key up", async () => {
    let rounds = 0;
    const controller = onMaps(
      (_map) =>
        rounds++ === 0 ? plan("makes one it will not see", [[create(secrets, secret("plain"))]]) : nothing("again"),
      { watches: [cached(secrets, { labelSelector: "app=web" })] },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(1);
    stage.driver.wake("shop/a");
    await stage.clock.advance(1);
    expect(rounds).toBe(2);
    expect(stage.list(secrets)).toHaveLength(1);
  });
});

describe("what becomes of a key", () => {
  test("it is looked at again when the plan says so", async () => {
    const at: number[] = [];
    const controller = onMaps((_map, { nowMs }) => {
      at.push(nowMs);
      return nothing("later", { requeueAfterMs: 7000 });
    });
    await using stage = onStage(controller);
    await stage.clock.advance(15_000);
    expect(at.map((each) => each - (at[0] ?? 0))).toEqual([0, 7000, 14_000]);
  });

  test("a failure is tried again with back-off, until the policy gives up", async () => {
    const at: number[] = [];
    const controller = onMaps(
      (_map, { nowMs }) => {
        at.push(nowMs);
        return unfinished("cannot", new Error("not yet"));
      },
      { retry: { baseMs: 100, maxTries: 4 } },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(60_000);
    expect(at.map((each) => each - (at[0] ?? 0))).toEqual([0, 100, 300, 700]);
    stage.driver.wake("shop/a");
    await stage.clock.advance(1);
    expect(at).toHaveLength(5);
  });

  test("a rule that throws is a panic: counted, and tried again", async () => {
    let tries = 0;
    const controller = onMaps(() => {
      if (tries++ === 0) throw new TypeError("undefined is not a function");
      return nothing("well");
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    expect(tries).toBe(2);
    expect(value(stage, "controller_runtime_reconcile_panics_total")).toBe(1);
  });

  test("one that takes too long is broken off, counted, and tried again", async () => {
    const controller = onMaps((_map, context) => {
      const question = liveGet(secrets, "shop/s");
      return context.answer(question) === undefined ? ask("there?", question) : nothing("known");
    });
    await using stage = onStage(controller, {
      driver: { reconcileTimeoutMs: 5000, requestTimeoutMs: 60_000 },
      wrap: (transport, clock) =>
        withFaults(transport, [{ name: "silent", fault: { kind: "silence" }, match: { verbs: ["get"] }, nth: [1] }], {
          clock,
          random: seededRandom(1),
        }),
    });
    await stage.clock.advance(6000);
    expect(value(stage, "controller_runtime_reconcile_timeouts_total")).toBe(1);
    expect(value(stage, "controller_runtime_reconcile_total", 'controller="maps",result="success"')).toBe(1);
  });

  test("a key that writes and then fails goes round no faster than its back-off", async () => {
    let rounds = 0;
    const controller = onMaps(
      (map) => {
        rounds++;
        return plan("writes, then fails", [
          [patch(configMaps, keyOf(map), { type: "merge", body: { data: { round: String(rounds) } } })],
          [remove(secrets, "shop/absent")],
        ]);
      },
      { writes: [verbs(configMaps, "patch"), verbs(secrets, "delete")], retry: { baseMs: 1000 } },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(8000);
    expect(rounds).toBe(4);
  });

  test("not even when the echo comes while it waits; what others do brings it back", async () => {
    let rounds = 0;
    const controller = onMaps(
      (map) => {
        rounds++;
        return plan("writes, then fails", [
          [patch(configMaps, keyOf(map), { type: "merge", body: { data: { round: String(rounds) } } })],
          [remove(secrets, "shop/absent")],
        ]);
      },
      { writes: [verbs(configMaps, "patch"), verbs(secrets, "delete")], retry: { baseMs: 60_000 } },
    );
    await using stage = onStage(controller, { objects: [] });
    await stage.clock.advance(1000);
    stage.server.server.create(configMaps, configMap("a"));
    stage.server.server.pauseCache();
    await stage.clock.advance(1000);
    expect(rounds).toBe(1);
    stage.server.server.resumeCache();
    await stage.clock.advance(20_000);
    expect(rounds).toBe(1);
    stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { theirs: "yes" } }));
    await stage.clock.advance(1000);
    expect(rounds).toBe(2);
  });
});

describe("caches", () => {
  test("a resource watched in two scopes is read from both, each object once", async () => {
    const read: string[] = [];
    const controller = onMaps(() => nothing("read"), {
      watches: [cached(secrets, { labelSelector: "app=web" }), cached(secrets, { labelSelector: "tier" })],
      observe(_key, { snapshot }) {
        read.push(
          snapshot
            .list(secrets)
            .map(({ metadata }) => metadata.name)
            .toSorted()
            .join(" "),
        );
        return undefined;
      },
    });
    const objects = [
      secret("web", { app: "web" }),
      secret("both", { app: "web", tier: "1" }),
      secret("tier", { tier: "1" }),
      secret("none"),
    ];
    await using stage = onStage(controller, {
      objects: [[configMaps, configMap("a")], ...objects.map((each) => [secrets, each] as const)],
    });
    await stage.clock.advance(1000);
    expect(read).toEqual(["both tier web"]);
  });

  test("what is watched in one namespace is seen of that one only", async () => {
    const read: number[] = [];
    const controller = onMaps(() => nothing("read"), {
      watches: [cached(secrets, { namespace: "shop" })],
      observe(_key, { snapshot }) {
        read.push(snapshot.list(secrets).length);
        return undefined;
      },
    });
    const elsewhere = { ...secret("s"), metadata: { namespace: "other", name: "s" } };
    await using stage = onStage(controller, {
      objects: [
        [configMaps, configMap("a")],
        [secrets, secret("s")],
        [secrets, elsewhere],
      ],
    });
    await stage.clock.advance(1000);
    expect(read).toEqual([1]);
  });
});

describe("how a queue works off its keys", () => {
  test("for good: a plan that cannot be finished ever is not tried again", async () => {
    let tries = 0;
    const controller = onMaps(() => {
      tries++;
      return unfinished("cannot be", new TerminalError("no such thing"));
    });
    await using stage = onStage(controller);
    await stage.clock.advance(3_600_000);
    expect(tries).toBe(1);
    expect(value(stage, "controller_runtime_terminal_reconcile_errors_total")).toBe(1);
    stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { mended: "yes" } }));
    await stage.clock.advance(1000);
    expect(tries).toBe(2);
  });

  test("slow start: what refuses the first of five hundred is asked once", async () => {
    const creates = Array.from({ length: 500 }, (_, i) => create(secrets, secret(`s${i}`)));
    const controller = onMaps(() => plan("makes many", slowStart(creates)), { retry: { maxTries: 1 } });
    let asked = 0;
    await using stage = onStage(controller, {
      wrap: (transport) => async (request, signal) => {
        if (request.method !== "POST") return await transport(request, signal);
        asked++;
        return valueResponse(
          403,
          newForbidden({ group: "", resource: "secrets" }, "", { detail: "exceeded quota" }).status,
        );
      },
    });
    await stage.clock.advance(1000);
    expect(asked).toBe(1);
  });

  test("an echo that is waited for with a delay does not shorten the back-off either", async () => {
    let rounds = 0;
    const controller = onMaps(
      (map) => {
        rounds++;
        return plan("writes, then fails", [
          [patch(configMaps, keyOf(map), { type: "merge", body: { data: { round: String(rounds) } } })],
          [remove(secrets, "shop/absent")],
        ]);
      },
      {
        watches: [itself(configMaps, { afterMs: 100 }), cached(secrets)],
        writes: [verbs(configMaps, "patch"), verbs(secrets, "delete")],
        retry: { baseMs: 60_000 },
      },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(50_000);
    expect(rounds).toBe(1);
  });

  test("nor do very many echoes", async () => {
    let rounds = 0;
    const many = Array.from({ length: 600 }, (_, i) => create(secrets, secret(`s${i}`)));
    const controller = onMaps(
      () => {
        rounds++;
        return plan("writes much, then fails", [many, [remove(secrets, "shop/absent")]]);
      },
      { watches: [mapped(secrets, () => ["shop/a"])], retry: { baseMs: 60_000 } },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(50_000);
    expect(rounds).toBe(1);
    expect(stage.list(secrets)).toHaveLength(600);
  });

  test("very much that others do meanwhile is not kept, and not lost", async () => {
    let rounds = 0;
    const gate = deferred<number>();
    const meter = definePort<string, number>("meter");
    const ports = new Ports().implement(meter, () => gate.promise);
    const controller = onMaps(
      (_map, context) => {
        const answer = context.answer(askPort(meter, "x"));
        if (answer === undefined) return ask("?", askPort(meter, "x"));
        rounds++;
        return nothing("seen");
      },
      { ports: [meter] },
    );
    await using stage = onStage(controller, { driver: { ports } });
    await stage.clock.settle();
    for (let i = 0; i < 300; i++) {
      stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { i: String(i) } }));
      await stage.clock.settle();
    }
    gate.resolve(1);
    await stage.clock.advance(1000);
    expect(rounds).toBe(2);
  });

  test("what happens to a key of low priority while it is worked on is urgent", async () => {
    const order: string[] = [];
    const gate = deferred<number>();
    const meter = definePort<string, number>("meter");
    const ports = new Ports().implement(meter, () => gate.promise);
    const controller = onMaps(
      (map, context) => {
        const answer = context.answer(askPort(meter, "x"));
        if (map.metadata.name === "a" && answer === undefined) return ask("?", askPort(meter, "x"));
        order.push(map.metadata.name ?? "");
        return nothing("seen");
      },
      { ports: [meter] },
    );
    await using stage = onStage(controller, {
      driver: { ports },
      objects: ["a", "b", "c"].map((name) => [configMaps, configMap(name)] as const),
    });
    await stage.clock.settle();
    stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { changed: "yes" } }));
    await stage.clock.settle();
    gate.resolve(1);
    await stage.clock.advance(1000);
    expect(order).toEqual(["a", "a", "b", "c"]);
  });

  test("groups take turns, and no group has more than its share of workers", async () => {
    const order: string[] = [];
    let most = 0;
    const busy = new Map<string, number>();
    const meter = definePort<string, number>("meter");
    const ports = new Ports().implement(meter, async (namespace) => {
      busy.set(namespace, (busy.get(namespace) ?? 0) + 1);
      most = Math.max(most, ...busy.values());
      await Promise.resolve();
      busy.set(namespace, (busy.get(namespace) ?? 0) - 1);
      return 0;
    });
    const controller = onMaps(
      (map, context) => {
        const { namespace = "", name = "" } = map.metadata;
        if (context.answer(askPort(meter, namespace)) === undefined) return ask("?", askPort(meter, namespace));
        order.push(`${namespace}/${name}`);
        return nothing("seen");
      },
      {
        ports: [meter],
        workers: 4,
        order: { groupOf: (key) => key.slice(0, key.indexOf("/")), maxPerGroup: 1 },
      },
    );
    const inside = (namespace: string, name: string) => ({ ...configMap(name), metadata: { namespace, name } });
    await using stage = onStage(controller, {
      driver: { ports },
      objects: [
        ...Array.from({ length: 20 }, (_, i) => [configMaps, inside("big", `m${i}`)] as const),
        [configMaps, inside("small", "m")],
      ],
    });
    await stage.clock.advance(1000);
    expect(order).toHaveLength(21);
    expect(order.indexOf("small/m")).toBeLessThan(3);
    expect(most).toBe(1);
  });

  test("a rate limiter of its own says when to try again", async () => {
    const at: number[] = [];
    const controller = onMaps(
      (_map, { nowMs }) => {
        at.push(nowMs);
        return unfinished("cannot", new Error("not yet"));
      },
      { retry: { limiter: () => fastSlowRateLimiter({ fastMs: 10, slowMs: 5000, maxFastAttempts: 2 }) } },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(12_000);
    expect(at.map((each) => each - (at[0] ?? 0))).toEqual([0, 10, 20, 5020, 10_020]);
  });

  test("its metrics have the name it is given", async () => {
    await using stage = onStage(onMaps(() => nothing("x"), { metricName: "configmap" }));
    await stage.clock.advance(1);
    expect(value(stage, "workqueue_adds_total", 'name="configmap"')).toBe(1);
  });

  test("its deadline is its own", async () => {
    const meter = definePort<string, number>("meter");
    const waits = (signal: AbortSignal) =>
      new Promise<number>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    const ports = new Ports().implement(meter, (_request, signal) => waits(signal));
    const controller = onMaps(() => ask("?", askPort(meter, "x")), {
      ports: [meter],
      deadlineMs: 3000,
      retry: { maxTries: 1 },
    });
    await using stage = onStage(controller, { driver: { ports } });
    await stage.clock.advance(2900);
    expect(value(stage, "controller_runtime_reconcile_timeouts_total")).toBe(0);
    await stage.clock.advance(200);
    expect(value(stage, "controller_runtime_reconcile_timeouts_total")).toBe(1);
  });
});

describe("following discovery", () => {
  test("what is no longer served is let go, scoped watches too", async () => {
    let looked = 0;
    const controller = onMaps(
      () => {
        looked++;
        return nothing("looked");
      },
      { watches: (served) => served.resources.map((resource) => cached(resource, { labelSelector: "app=web" })) },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    const watches = stage.server.server.openWatches;
    stage.server.served = [configMaps];
    await stage.clock.advance(31_000);
    expect(watches - stage.server.server.openWatches).toBe(2);
    stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { changed: "yes" } }));
    await stage.clock.advance(1000);
    expect(looked).toBe(2);
  });

  test("a server that cannot say what it serves is asked again; until then that is what is missing", async () => {
    let isDown = true;
    let looked = 0;
    const controller = onMaps(
      () => {
        looked++;
        return nothing("looked");
      },
      { watches: (served) => served.resources.map((resource) => cached(resource)) },
    );
    await using stage = onStage(controller, {
      wrap: (transport) => async (request, signal) => {
        if (isDown && /^\/apis?$/.test(request.path)) {
          return valueResponse(503, newServiceUnavailable("come back later").status);
        }
        return await transport(request, signal);
      },
    });
    await stage.clock.advance(20_000);
    expect([stage.driver.state, looked]).toEqual(["syncing", 0]);
    expect(stage.driver.unsynced()).toEqual([{ name: "discovery", reason: expect.stringMatching(/come back later/) }]);
    isDown = false;
    await stage.clock.advance(40_000);
    expect([stage.driver.state, looked, stage.driver.unsynced()]).toEqual(["working", 1, []]);
  });
});

describe("shapes", () => {
  test("a sweep comes at the start and every period, whatever happens", async () => {
    const at: number[] = [];
    const controller = newController({
      name: "maps",
      watches: [cached(configMaps)],
      queues: {
        maps: queue<number>({
          everyMs: 20_000,
          observe: (_key, { snapshot }) => snapshot.list(configMaps).length,
          decide(count, { nowMs }) {
            at.push(nowMs);
            if (at.length === 2) throw new Error("once");
            return nothing(`${count} maps`);
          },
        }),
      },
    });
    await using stage = onStage(controller);
    await stage.clock.advance(61_000);
    expect(at.map((each) => each - (at[0] ?? 0))).toEqual([0, 20_000, 40_000, 60_000]);
  });

  test("one queue wakes another, now or later", async () => {
    const heard: string[] = [];
    const listen = (name: string) =>
      queue<string>({
        observe: (key) => key,
        decide: (key, { nowMs }) => {
          heard.push(`${name} ${key} ${new Date(nowMs).getUTCSeconds()}`);
          const wakes =
            name === "first"
              ? [
                  { queue: "second", key: "now" },
                  { queue: "second", key: "later", afterMs: 5000 },
                ]
              : [];
          return nothing("heard", { wakes });
        },
      });
    const controller = newController({
      name: "maps",
      primary: configMaps,
      watches: [itself(configMaps)],
      queues: { first: listen("first"), second: listen("second") },
    });
    await using stage = onStage(controller);
    await stage.clock.advance(10_000);
    expect(heard).toEqual(["first shop/a 0", "second now 0", "second later 5"]);
  });

  test("a deletion that was missed wakes the key", async () => {
    const seen: string[] = [];
    const controller = onMaps(() => nothing("there"), {
      observe: (key, { snapshot }) => {
        seen.push(`${key} ${snapshot.get(configMaps, key) === undefined ? "gone" : "there"}`);
        return undefined;
      },
    });
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    stage.server.server.endWatches("reset");
    stage.server.server.delete(configMaps, "shop/a");
    stage.server.server.compact();
    await stage.clock.advance(60_000);
    expect(seen).toEqual(["shop/a there", "shop/a gone"]);
  });

  test("a driver runs once", async () => {
    await using stage = onStage(onMaps(() => nothing("x")));
    await expect(stage.driver.run(new AbortController().signal)).rejects.toThrow("runs once only");
  });
});
