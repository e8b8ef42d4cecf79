import { describe, expect, test } from "vitest";
import { configMaps, events, leases, pods, secrets } from "../../api/generated/resources.ts";
import { type corev1, type FaultRule, type Transport, withFaults } from "../../api/index.ts";
import { type FakeClock, onAbort, seededRandom, systemClock } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { keyed, plan, recordEvent } from "../../contract/index.ts";
import { Manager, ManagerError } from "../../runtime/index.ts";
import { FakeApiServer } from "../fake-server/index.ts";
import { configMap, looker, ManagerStage, secretMaker } from "./manager-stage.fixture.ts";

const never = new AbortController().signal;

/** A fault that the test enables and disables. */
function switched(rule: Omit<FaultRule, "name">, isOn: () => boolean) {
  return (transport: Transport, clock: FakeClock) =>
    withFaults(transport, [{ name: "switched", ...rule }], { clock, random: seededRandom(1), isActive: isOn });
}
const forbidSecrets = {
  fault: { kind: "status", code: 403, message: "not yours" },
  match: { resources: ["secrets"] },
} as const;

describe("a manager", () => {
  test("runs controllers with its own client, caches, metrics and log, and leaves nothing behind", async () => {
    await using stage = new ManagerStage();
    stage.server.create(configMaps, configMap("a"));
    stage.manager.addController(secretMaker("maker"));
    stage.run();
    await stage.clock.advance(1000);
    expect(stage.secrets).toEqual(["a-maker"]);
    expect(await stage.ask("/readyz?verbose")).toEqual([
      200,
      "[+]ping ok\n[+]shutdown ok\n[+]informers ok\n[+]maker ok\nreadyz check passed\n",
    ]);
    expect((await stage.ask("/metrics"))[1]).toMatch(
      /^controller_runtime_reconcile_total\{controller="maker",result="success"\} [12]$/m,
    );
    expect([stage.manager.state, stage.manager.isLeader]).toEqual(["running", true]);
    await stage.manager.whenElected(never);
    stage.stop();
    await stage.clock.settle();
    expect([stage.end, stage.manager.state]).toEqual(["ended", "ended"]);
  });

  test("writes what controllers tell people, in their names, and the last of it on its way out", async () => {
    const controller = keyed<corev1.ConfigMap>({
      name: "teller",
      primary: configMaps,
      observe: (key, { snapshot }) => snapshot.get(configMaps, key),
      decide: (map) =>
        plan("tell", [[recordEvent(map, { type: "Normal", reason: "Seen", message: `saw ${map.metadata.name}` })]]),
    });
    for (const isWanted of [true, false]) {
      await using stage = new ManagerStage(isWanted ? {} : { events: "none" });
      stage.server.create(configMaps, configMap("a"));
      stage.manager.addController(controller);
      stage.manager.add({
        name: "leaver",
        run: async (signal) => {
          await new Promise<void>((resolve) => onAbort(signal, () => resolve()));
          stage.manager.recorderFor("leaver")?.event(configMap("a"), "Normal", "Left", "goes");
        },
      });
      stage.run();
      await stage.clock.advance(1000);
      stage.stop();
      await stage.clock.advance(6000);
      const told = stage.server
        .list(events)
        .map(({ source, reason, message }) => `${source?.component} ${reason}: ${message}`);
      expect([stage.end, told.sort()]).toEqual(["ended", isWanted ? ["leaver Left: goes", "teller Seen: saw a"] : []]);
    }
  });

  test("shares one watch between all controllers of a resource", async () => {
    await using stage = new ManagerStage();
    for (const name of ["a", "b", "c"]) stage.manager.addController(looker(name, []));
    stage.run();
    await stage.clock.advance(1000);
    expect(stage.server.openWatches).toBe(1);
  });

  test("takes controllers while it runs, and lets them go: their informers with them", async () => {
    await using stage = new ManagerStage();
    stage.server.create(configMaps, configMap("a"));
    stage.run();
    await stage.clock.advance(1000);
    expect(stage.server.openWatches).toBe(0);
    const added = stage.manager.addController(secretMaker("maker"));
    await stage.clock.advance(1000);
    expect([stage.secrets, added.state, added.driver.state]).toEqual([["a-maker"], "running", "working"]);
    expect(() => stage.manager.addController(secretMaker("maker"))).toThrow("there is a runnable called maker already");
    await stage.clock.drive(added.remove());
    expect([stage.server.openWatches, added.state]).toEqual([0, "ended"]);
    expect((await stage.ask("/readyz/maker"))[0]).toBe(404);
    stage.manager.addController(secretMaker("maker"));
    stage.server.create(configMaps, configMap("b"));
    await stage.clock.advance(1000);
    expect(stage.secrets).toEqual(["a-maker", "b-maker"]);
  });

  test("that is disposed of ends", async () => {
    await using stage = new ManagerStage();
    stage.manager.addController(secretMaker("maker"));
    stage.run();
    await stage.clock.advance(1000);
    await stage.manager[Symbol.asyncDispose]();
    expect(stage.end).toBe("ended");
    expect(() => stage.manager.addController(secretMaker("late"))).toThrow("its group has been stopped");
  });

  test("that never ran has nothing to end", async () => {
    const stage = new ManagerStage();
    await stage.manager[Symbol.asyncDispose]();
    expect(stage.manager.state).toBe("new");
  });

  test("is not ready while it stops", async () => {
    await using stage = new ManagerStage();
    let answer: Promise<readonly [number, string]> | undefined;
    stage.manager.add({
      name: "slow",
      run: async (signal) => {
        await new Promise<void>((resolve) => onAbort(signal, () => resolve()));
        answer = stage.ask("/readyz/shutdown");
        await answer;
      },
    });
    stage.run();
    await stage.clock.settle();
    stage.stop();
    await stage.clock.settle();
    expect(await answer).toEqual([500, "internal server error: process is shutting down\n"]);
    expect((await stage.ask("/healthz"))[0]).toBe(200);
  });

  test("shows a runnable that failed and was only to be reported, under a name that fits a path", async () => {
    await using stage = new ManagerStage();
    const run = () => Promise.reject(new Error("no luck"));
    stage.manager.add({ name: "my odd / job", run }, { needsLeaderElection: false, onFailure: "report" });
    stage.run();
    await stage.clock.advance(1000);
    expect(await stage.ask("/readyz/my-odd-job")).toEqual([500, "internal server error: has failed: no luck\n"]);
    expect(stage.end).toBe("runs");
  });

  test("ends with what a controller that cannot run throws", async () => {
    await using stage = new ManagerStage();
    const added = stage.manager.addController(secretMaker("maker"));
    stage.manager.add({ name: "thief", needsLeaderElection: false, run: (signal) => added.driver.run(signal) });
    stage.run();
    await stage.clock.advance(1000);
    expect(stage.end).toBeInstanceOf(ManagerError);
    expect(String(stage.end)).toContain("maker failed: maker runs once only");
  });
});

describe("one broken informer", () => {
  test("holds up only the controllers that need it, visibly, and they start when it is mended", async () => {
    let isDown = true;
    const looked: string[] = [];
    await using stage = new ManagerStage({ wrap: switched(forbidSecrets, () => isDown) });
    stage.server.create(configMaps, configMap("a"));
    stage.manager.addController(secretMaker("needy"));
    stage.manager.addController(looker("other", looked));
    stage.run();
    await stage.clock.advance(2000);
    expect([looked, stage.secrets, stage.manager.state]).toEqual([["other a"], [], "running"]);
    expect(await stage.ask("/readyz")).toEqual([
      500,
      "[+]ping ok\n[+]shutdown ok\n[+]informers ok\n[-]needy failed: reason withheld\n[+]other ok\nreadyz check failed\n",
    ]);
    await stage.clock.advance(180_000);
    expect((await stage.ask("/readyz/needy"))[1]).toMatch(
      /caches are not what the server has: needy secrets: .*forbidden: not yours/,
    );
    expect((await stage.ask("/readyz/informers"))[1]).toMatch(
      /secrets has neither listed nor watched for 18\d s: not yours/,
    );
    expect(stage.log.some((line) => line.startsWith("still waiting for caches to sync"))).toBe(true);
    expect((await stage.ask("/healthz"))[0]).toBe(200);
    isDown = false;
    await stage.clock.advance(60_000);
    expect([stage.secrets, await stage.ask("/readyz")]).toEqual([["a-needy"], [200, "ok"]]);
  });

  test("that somebody has asked for delays the start by ten seconds, and is named", async () => {
    await using stage = new ManagerStage({ wrap: switched(forbidSecrets, () => true) });
    const { informers } = stage.manager;
    expect([informers.of(secrets).informer, informers.of(configMaps).informer]).toHaveLength(2);
    const looked: string[] = [];
    stage.server.create(configMaps, configMap("a"));
    stage.manager.addController(looker("other", looked));
    stage.run();
    await stage.clock.advance(9000);
    expect([looked, stage.manager.state]).toEqual([[], "starting"]);
    await stage.clock.advance(3000);
    expect([looked, stage.manager.state]).toEqual([["other a"], "running"]);
    expect(stage.log).toContain('starts although some informers have not synced {"informers":["secrets: not yours"]}');
  });

  test("is told from a slow one, for which everybody waits", async () => {
    const slow = {
      fault: { kind: "delay", delayMs: 40_000, when: "before" },
      match: { resources: ["secrets"] },
    } as const;
    await using stage = new ManagerStage({ wrap: switched(slow, () => true) });
    const { informer } = stage.manager.informers.of(secrets);
    const synced: boolean[] = [];
    stage.manager.add({ name: "reader", run: async () => void synced.push(informer.hasSynced()) });
    stage.run();
    await stage.clock.advance(39_000);
    expect(synced).toEqual([]);
    await stage.clock.advance(60_000);
    expect(synced).toEqual([true]);
  });

  test("that hangs is waited for no longer than two minutes", async () => {
    const hanging = { fault: { kind: "silence" }, match: { resources: ["secrets"] } } as const;
    await using stage = new ManagerStage({ wrap: switched(hanging, () => true) });
    expect(stage.manager.informers.of(secrets).informer.hasSynced()).toBe(false);
    stage.run();
    await stage.clock.advance(119_000);
    expect(stage.manager.state).toBe("starting");
    await stage.clock.advance(2000);
    expect(stage.manager.state).toBe("running");
    expect((await stage.ask("/readyz/informers"))[0]).toBe(500);
  });

  test("that goes deaf later is told, and the work goes on", async () => {
    let isDown = false;
    const looked: string[] = [];
    await using stage = new ManagerStage({
      wrap: switched({ ...forbidSecrets, fault: { kind: "status", code: 503 } }, () => isDown),
    });
    stage.manager.addController(secretMaker("needy"));
    stage.manager.addController(looker("other", looked));
    stage.run();
    await stage.clock.advance(1000);
    isDown = true;
    stage.server.endWatches("reset");
    await stage.clock.advance(180_000);
    expect((await stage.ask("/readyz"))[1]).toMatch(/\[-\]informers .*\n\[-\]needy .*\n\[\+\]other ok/);
    stage.server.create(configMaps, configMap("late"));
    await stage.clock.advance(1000);
    expect(looked).toEqual(["other late"]);
  });

  test("may end the process, for who wants that", async () => {
    await using stage = new ManagerStage({ wrap: switched(forbidSecrets, () => true) });
    stage.manager.addController(secretMaker("needy"), { onSyncTimeout: "fail", syncTimeoutMs: 5000 });
    stage.run();
    await stage.clock.advance(6000);
    expect(String(stage.end)).toMatch(/needy failed: failed to sync all caches of needy: needy secrets .*forbidden/);
  });
});

describe("replicas", () => {
  const election = { namespace: "kube-system", name: "test" };
  const replica = (identity: string, beside?: ManagerStage) =>
    new ManagerStage({ leaderElection: { ...election, identity }, ...(beside === undefined ? {} : { beside }) });

  test("one leads; when it is told to end the next one does within a few seconds, with the next token", async () => {
    const first = replica("first");
    await using second = replica("second", first);
    first.server.create(configMaps, configMap("a"));
    first.manager.addController(secretMaker("maker"));
    second.manager.addController(secretMaker("maker"));
    first.run();
    second.run();
    await first.clock.advance(10_000);
    expect([first.manager.fencingToken, second.manager.fencingToken, first.secrets]).toEqual([
      0,
      undefined,
      ["a-maker"],
    ]);
    expect((await second.ask("/readyz"))[0]).toBe(200);
    first.stop();
    await first.clock.advance(5000);
    expect([first.end, first.manager.isLeader, second.manager.isLeader]).toEqual(["ended", false, true]);
    expect(second.manager.fencingToken).toBe(1);
    first.server.create(configMaps, configMap("b"));
    await first.clock.advance(1000);
    expect(first.secrets).toEqual(["a-maker", "b-maker"]);
    expect((await second.ask("/metrics"))[1]).toContain('leader_election_master_status{name="test"} 1\n');
    expect(await second.ask("/healthz?verbose")).toEqual([
      200,
      "[+]ping ok\n[+]leaderElection ok\nhealthz check passed\n",
    ]);
  });

  test("one that loses its lease ends with an error, after its work", async () => {
    await using stage = replica("me");
    stage.manager.addController(secretMaker("maker"));
    stage.run();
    await stage.clock.advance(5000);
    const stored = stage.server.get(leases, "kube-system/test");
    if (stored === undefined) throw new Error("no lease");
    stage.server.update(leases, { ...stored, spec: { ...stored.spec, holderIdentity: "other" } });
    await stage.clock.advance(5000);
    expect(stage.end).toMatchObject({ reason: "LeaderElectionLost", unended: [] });
    expect(stage.server.openWatches).toBe(0);
  });

  test("one that waits holds no caches, unless it is to be warm: then a new leader lists nothing anew", async () => {
    const first = replica("first");
    await using second = replica("second", first);
    first.run();
    await first.clock.advance(1000);
    second.manager.addController(secretMaker("warm"), { warmUp: true });
    second.manager.addController(looker("cold", []), { needsLeaderElection: true });
    second.run();
    await first.clock.advance(1000);
    const lists = () =>
      first.server.requests.filter(({ verb, path }) => verb === "list" && path.includes("secrets")).length;
    const watches = () =>
      first.server.requests.filter(({ verb, path }) => verb === "watch" && path.includes("secrets")).length;
    const before = [lists(), watches()];
    expect(first.server.openWatches).toBe(2);
    first.stop();
    await first.clock.advance(4000);
    expect([second.manager.isLeader, lists(), watches()]).toEqual([true, ...before]);
    first.server.create(configMaps, configMap("a"));
    await first.clock.advance(1000);
    expect(first.secrets).toEqual(["a-warm"]);
  });

  test("what needs no election runs in all of them", async () => {
    const looked: string[] = [];
    const first = replica("first");
    await using second = replica("second", first);
    first.server.create(configMaps, configMap("a"));
    first.manager.addController(looker("one", looked), { needsLeaderElection: false });
    second.manager.addController(looker("two", looked), { needsLeaderElection: false });
    first.run();
    second.run();
    await first.clock.advance(1000);
    expect(looked.sort()).toEqual(["one a", "two a"]);
    first.stop();
    await first.clock.advance(1000);
  });

  test("without a name of their own have names that differ", async () => {
    const names = await Promise.all(
      ["a", "b"].map(async (seed) => {
        await using stage = new ManagerStage({ leaderElection: election, random: seededRandom(seed) });
        stage.run();
        await stage.clock.advance(1000);
        return stage.server.get(leases, "kube-system/test")?.spec?.holderIdentity ?? "";
      }),
    );
    expect(new Set(names).size).toBe(2);
    expect(names[0]).toMatch(/^.+_[a-z0-9]{16}$/);
  });
});

test("over sockets, health and metrics are served while it runs, together or apart", async () => {
  const server = new FakeApiServer({ clock: systemClock, resources: [pods] });
  const client = clientOf(server.transport, { clock: systemClock });
  const place = { port: 0, host: "127.0.0.1" };
  for (const [metricsServer, expected] of [
    [undefined, [200, 200, undefined]],
    [place, [200, 404, 200]],
  ] as const) {
    const manager = new Manager({ client, healthServer: place, ...(metricsServer && { metricsServer }) });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await manager.whenStarted(never);
    const { healthServer } = manager;
    const status = async (port: number | undefined, path: string) =>
      port === undefined ? undefined : (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect([
      await status(healthServer?.port, "/livez"),
      await status(healthServer?.port, "/metrics"),
      await status(manager.metricsServer?.port, "/metrics"),
    ]).toEqual(expected);
    stop.abort();
    await running;
    expect(healthServer?.state).toBe("ended");
  }
});
