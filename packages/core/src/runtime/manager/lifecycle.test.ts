import { describe, expect, test } from "vitest";
import { FakeClock, MetricsRegistry, noLog, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { MemoryLease } from "../../election/memory-lease.fixture.ts";
import { Lifecycle } from "./lifecycle.ts";
import { ManagerElection, type ManagerElectionOptions } from "./manager-election.ts";
import { ManagerError } from "./manager-error.ts";
import { groupNames } from "./runnable.ts";
import { Diary, type Script } from "./scripted-runnable.fixture.ts";

const never = new AbortController().signal;

interface SetUp {
  readonly gracePeriodMs?: number;
  readonly election?: Partial<ManagerElectionOptions>;
}

function setUp({ gracePeriodMs = 30_000, election }: SetUp = {}) {
  const clock = new FakeClock();
  const lease = new MemoryLease();
  const client = clientOf(() => Promise.reject(new Error("no server")), { clock });
  const parts = { client, clock, random: seededRandom(1), log: noLog, metrics: new MetricsRegistry() };
  const elected =
    election &&
    new ManagerElection({ namespace: "kube-system", name: "test", lock: lease, identity: "me", ...election }, parts);
  const lifecycle = new Lifecycle({ clock, log: noLog, gracePeriodMs, election: elected });
  const record = new Diary(clock);
  const stop = new AbortController();
  let end: unknown = "runs";
  const add = (name: string, script: Script = {}) => lifecycle.add(record.runnable(name, script));
  return {
    clock,
    lease,
    lifecycle,
    record,
    add,
    election: elected,
    run: () => {
      void lifecycle.run(stop.signal).then(
        () => {
          end = "ended";
          record.note("run ends");
        },
        (error: unknown) => {
          end = error;
          record.note(`run throws ${error instanceof ManagerError ? error.reason : String(error)}`);
        },
      );
    },
    stop: () => stop.abort(new Error("told to")),
    end: () => end,
  };
}

describe("starting", () => {
  test("goes from group to group, each when the one before is ready, in the order of the array", async () => {
    const { clock, record, add, run } = setUp();
    for (const group of [...groupNames].reverse()) add(group, { group, readyMs: 1000 });
    run();
    await clock.advance(10_000);
    expect(record.lines).toEqual([
      "0 events starts",
      "1000 events is ready",
      "1000 servers starts",
      "2000 servers is ready",
      "2000 webhooks starts",
      "3000 webhooks is ready",
      "3000 caches starts",
      "4000 caches is ready",
      "4000 always starts",
      "5000 always is ready",
      "5000 leader starts",
      "6000 leader is ready",
    ]);
  });

  test("within a group all start at once and the slowest is waited for", async () => {
    const { clock, record, add, run } = setUp();
    add("slow", { group: "caches", readyMs: 3000 });
    add("quick", { group: "caches", readyMs: 1 });
    add("reader", { group: "always" });
    run();
    await clock.advance(5000);
    expect(record.lines).toEqual([
      "0 slow starts",
      "0 quick starts",
      "1 quick is ready",
      "3000 slow is ready",
      "3000 reader starts",
    ]);
  });

  const placements: readonly [fact: string, script: Script, group: string][] = [
    ["is for the leader unless it says otherwise", {}, "leader"],
    ["that says so is for the leader", { needsLeaderElection: true }, "leader"],
    ["that needs no election always runs", { needsLeaderElection: false }, "always"],
    ["with a group is in that", { group: "webhooks", needsLeaderElection: true }, "webhooks"],
  ];
  for (const [fact, script, group] of placements) {
    test(`a runnable ${fact}`, () => expect(setUp().add("x", script).group).toBe(group));
  }

  test("one that ends before it is ready is not waited for", async () => {
    const { clock, record, add, run, lifecycle } = setUp();
    add("once", { group: "webhooks", readyMs: Number.POSITIVE_INFINITY, endsMs: 100 });
    add("next", { group: "always" });
    run();
    await clock.advance(1000);
    expect([record.lines.at(-1), lifecycle.state]).toEqual(["100 next starts", "running"]);
  });

  test("whoever waits for the start is told; and that it will never be", async () => {
    const good = setUp();
    const started = good.lifecycle.whenStarted(never);
    good.run();
    await good.clock.settle();
    await started;
    const bad = setUp();
    bad.add("broken", { group: "servers", readyMs: 1000, failsMs: 10 });
    const waiting = bad.lifecycle.whenStarted(never);
    waiting.catch(() => {});
    bad.run();
    await bad.clock.advance(1000);
    await expect(waiting).rejects.toThrow("the manager has ended");
  });

  test("under a signal that has fired starts nothing", async () => {
    const { clock, record, add, run, stop } = setUp();
    add("x", { group: "servers" });
    stop();
    run();
    await clock.settle();
    expect(record.lines).toEqual(["0 run ends"]);
  });

  test("happens once", async () => {
    const { run, lifecycle, clock } = setUp();
    run();
    await clock.settle();
    await expect(lifecycle.run(never)).rejects.toThrow("runs once only");
  });
});

describe("ending", () => {
  test("goes the other way round, each group after the one behind it has ended", async () => {
    const { clock, record, add, run, stop } = setUp();
    for (const group of groupNames) add(group, { group, endingMs: 1000 });
    run();
    await clock.settle();
    record.lines.length = 0;
    stop();
    await clock.advance(10_000);
    expect(record.lines).toEqual([
      "0 leader is told",
      "1000 leader ends",
      "1000 always is told",
      "2000 always ends",
      "2000 caches is told",
      "3000 caches ends",
      "3000 webhooks is told",
      "4000 webhooks ends",
      "4000 servers is told",
      "5000 servers ends",
      "5000 events is told",
      "6000 events ends",
      "6000 run ends",
    ]);
    expect(clock.pending()).toEqual([]);
  });

  const exceeded: readonly [
    fact: string,
    gracePeriodMs: number | undefined,
    scripts: Readonly<{ [name: string]: Script }>,
    lines: readonly string[],
    message: string | undefined,
  ][] = [
    [
      "who has not ended within the grace period is named; its last second is for those who had no turn",
      undefined,
      { stuck: { endingMs: Number.POSITIVE_INFINITY }, server: { group: "servers", endingMs: 500 } },
      ["0 stuck is told", "29000 server is told", "29500 server ends", "30000 run throws GraceExceeded"],
      "not ended in time: stuck",
    ],
    [
      "those that come later get what is left",
      10_000,
      {
        first: { endingMs: 8000 },
        second: { group: "always", endingMs: 3000 },
        third: { group: "events", endingMs: 1 },
      },
      [
        "0 first is told",
        "8000 first ends",
        "8000 second is told",
        "9000 third is told",
        "9001 third ends",
        "10000 run throws GraceExceeded",
        "11000 second ends",
      ],
      "not ended in time: second",
    ],
    [
      "without any, all are told at once and nobody complains",
      0,
      { slow: { endingMs: 5 }, server: { group: "servers", endingMs: 5 } },
      ["0 slow is told", "0 server is told", "0 run ends", "5 slow ends", "5 server ends"],
      undefined,
    ],
    [
      "without end, it waits",
      Number.POSITIVE_INFINITY,
      { slow: { endingMs: 3_600_000 } },
      ["0 slow is told", "3600000 slow ends", "3600000 run ends"],
      undefined,
    ],
  ];
  for (const [fact, gracePeriodMs, scripts, lines, message] of exceeded) {
    test(fact, async () => {
      const { clock, record, add, run, stop, end } = setUp(gracePeriodMs === undefined ? {} : { gracePeriodMs });
      for (const [name, script] of Object.entries(scripts)) add(name, script);
      run();
      await clock.settle();
      record.lines.length = 0;
      stop();
      await clock.advance(4_000_000);
      expect(record.lines).toEqual(lines);
      expect(end()).toEqual(message === undefined ? "ended" : expect.objectContaining({ message }));
    });
  }

  test("told while it starts, it ends what has started and starts no more", async () => {
    const { clock, record, add, run, stop } = setUp();
    add("cache", { group: "caches", readyMs: 60_000 });
    add("controller");
    run();
    await clock.advance(1000);
    stop();
    await clock.advance(0);
    expect(record.lines).toEqual(["0 cache starts", "1000 cache is told", "1000 cache ends", "1000 run ends"]);
    expect(clock.pending()).toEqual([]);
  });

  test("may be asked for by whoever owns it, and is waited for", async () => {
    const { clock, record, add, run, lifecycle } = setUp();
    add("x", { endingMs: 10 });
    await lifecycle.end("never ran");
    run();
    await clock.settle();
    await clock.drive(lifecycle.end(new Error("disposed")));
    expect(record.lines.at(-1)).toBe("10 run ends");
  });
});

describe("a failure", () => {
  test("stops all the others in order, and is what run throws", async () => {
    const { clock, record, add, run, end } = setUp();
    add("server", { group: "servers", endingMs: 10 });
    add("broken", { needsLeaderElection: false, failsMs: 1000 });
    add("controller", { endingMs: 10 });
    run();
    await clock.advance(2000);
    expect(record.lines.slice(3)).toEqual([
      "1000 controller is told",
      "1010 controller ends",
      "1010 server is told",
      "1020 server ends",
      "1020 run throws RunnableFailed",
    ]);
    expect(end()).toMatchObject({
      message: "broken failed: broken is broken",
      failures: [{ name: "broken" }],
      unended: [],
      cause: { message: "broken is broken" },
    });
  });

  test("while starting keeps the next groups from starting", async () => {
    const { clock, record, add, run } = setUp();
    add("server", { group: "servers", readyMs: 60_000, failsMs: 5 });
    add("cache", { group: "caches" });
    run();
    await clock.advance(1000);
    expect(record.lines).toEqual(["0 server starts", "5 run throws RunnableFailed"]);
    expect(clock.pending()).toEqual([]);
  });

  test("of the wait for readiness is one of the runnable", async () => {
    const { clock, record, lifecycle, run, end } = setUp();
    const whenReady = () => Promise.reject(new Error("no port is free"));
    lifecycle.add({ ...record.runnable("server", { group: "servers" }), whenReady });
    run();
    await clock.settle();
    expect(record.lines).toEqual([
      "0 server starts",
      "0 server is told",
      "0 server ends",
      "0 run throws RunnableFailed",
    ]);
    expect(end()).toMatchObject({ message: "server failed: no port is free" });
  });

  test("that is only to be reported disturbs nobody, then or at the end", async () => {
    const { clock, record, add, run, stop } = setUp();
    const member = add("optional", { needsLeaderElection: false, failsMs: 1000, onFailure: "report" });
    add("other", { onFailure: "report", failsEnding: true });
    run();
    await clock.advance(5000);
    expect([member.state, member.findFault()]).toEqual(["failed", "has failed: optional is broken"]);
    stop();
    await clock.advance(0);
    expect(record.lines.at(-1)).toBe("5000 run ends");
  });

  test("while ending is told with all others, and does not keep them from ending", async () => {
    const { clock, record, add, run, stop, end } = setUp();
    add("a", { failsEnding: true });
    add("b", { failsEnding: true, group: "webhooks" });
    add("c", { group: "servers" });
    run();
    await clock.settle();
    stop();
    await clock.advance(0);
    expect(record.lines.slice(3)).toEqual([
      "0 a is told",
      "0 b is told",
      "0 c is told",
      "0 c ends",
      "0 run throws RunnableFailed",
    ]);
    expect(end()).toMatchObject({ message: "a failed: a cannot end; b failed: b cannot end" });
  });
});

describe("adding and removing", () => {
  test("what is added to a group that runs starts at once; to one that does not, with it", async () => {
    const { clock, record, add, run } = setUp();
    add("cache", { group: "caches", readyMs: 1000 });
    run();
    await clock.advance(500);
    add("late server", { group: "servers" });
    add("controller");
    expect(record.lines).toEqual(["0 cache starts", "500 late server starts"]);
    await clock.advance(1000);
    expect(record.lines.at(-1)).toBe("1000 controller starts");
    add("late controller");
    expect(record.lines.at(-1)).toBe("1500 late controller starts");
  });

  test("what was added late ends with its group", async () => {
    const { clock, record, add, run, stop } = setUp();
    add("server", { group: "servers" });
    run();
    await clock.settle();
    add("late", { endingMs: 100 });
    stop();
    await clock.advance(1000);
    expect(record.lines.slice(-4)).toEqual(["100 late ends", "100 server is told", "100 server ends", "100 run ends"]);
  });

  test("to a group that has been stopped nothing can be added, while earlier ones still take it", async () => {
    const { clock, record, add, run, stop } = setUp();
    add("slow", { endingMs: 1000 });
    run();
    await clock.settle();
    stop();
    await clock.settle();
    expect(() => add("controller")).toThrow("controller cannot be added: its group has been stopped");
    add("sink", { group: "events" });
    await clock.advance(1000);
    expect(record.lines.slice(-3)).toEqual(["1000 sink is told", "1000 sink ends", "1000 run ends"]);
  });

  test("one is removed alone: told, waited for, forgotten", async () => {
    const { clock, record, add, run, stop, lifecycle } = setUp();
    const gone = add("gone", { endingMs: 100 });
    const waiting = add("waiting", { group: "leader" });
    await lifecycle.remove(waiting);
    add("stays");
    run();
    await clock.settle();
    await clock.drive(lifecycle.remove(gone));
    expect(record.lines).toEqual(["0 gone starts", "0 stays starts", "0 gone is told", "100 gone ends"]);
    stop();
    await clock.advance(0);
    expect(record.lines.slice(4)).toEqual(["100 stays is told", "100 stays ends", "100 run ends"]);
  });
});

describe("with an election", () => {
  const leading = async (options: SetUp = {}, scripts: Readonly<{ [name: string]: Script }> = { work: {} }) => {
    const stage = setUp({ election: {}, ...options });
    stage.add("web", { group: "servers" });
    for (const [name, script] of Object.entries(scripts)) stage.add(name, script);
    stage.run();
    await stage.clock.advance(1000);
    stage.record.lines.length = 0;
    return stage;
  };

  test("what is for the leader waits until this replica leads; all else runs", async () => {
    const { clock, lease, record, add, run, lifecycle, election } = setUp({ election: {} });
    lease.put({ holder: "other", transitions: 4 });
    add("web", { group: "servers" });
    add("work");
    run();
    await clock.advance(14_000);
    expect([record.lines, lifecycle.state, election?.fencingToken]).toEqual([["0 web starts"], "running", undefined]);
    await clock.advance(6000);
    expect(record.lines.map((line) => line.replace(/^[\d.]+ /, ""))).toEqual(["web starts", "work starts"]);
    expect([election?.fencingToken, election?.leader]).toEqual([5, "me"]);
    await election?.whenElected(never);
  });

  test("told to end, a leader renews until its work is over, and gives the lease back then", async () => {
    const { clock, lease, record, stop, election } = await leading(
      { gracePeriodMs: 60_000 },
      { work: { endingMs: 40_000 } },
    );
    stop();
    await clock.advance(39_999);
    expect([lease.record?.holder, election?.fencingToken]).toEqual(["me", 0]);
    expect(lease.calls.filter((call) => call === "update me").length).toBeGreaterThan(15);
    await clock.advance(1);
    expect(record.lines).toEqual([
      "1000 work is told",
      "41000 work ends",
      "41000 web is told",
      "41000 web ends",
      "41000 run ends",
    ]);
    expect([lease.record?.holder, election?.fencingToken, clock.pending()]).toEqual(["", undefined, []]);
  });

  test("told not to, it keeps the lease until it runs out", async () => {
    const { clock, lease, record, stop } = await leading({ election: { releaseOnStop: false } });
    stop();
    await clock.advance(1000);
    expect([record.lines.at(-1), lease.record?.holder]).toEqual(["1000 run ends", "me"]);
  });

  test("told to end before it leads, it ends, and its work has never begun", async () => {
    const { clock, lease, record, add, run, stop } = setUp({ election: {} });
    lease.put({ holder: "other" });
    add("work");
    run();
    await clock.advance(3000);
    stop();
    await clock.advance(0);
    expect(record.lines).toEqual(["3000 run ends"]);
    expect([lease.record?.holder, clock.pending()]).toEqual(["other", []]);
  });

  test("a lease that is lost aborts the work, waits for it, ends the rest and is an error", async () => {
    const { clock, lease, record, end } = await leading(
      {},
      { work: { endingMs: 2000 }, web2: { group: "servers", endingMs: 500 } },
    );
    lease.put({ holder: "other", transitions: 9 });
    await clock.advance(8000);
    expect(record.lines.map((line) => line.replace(/^[\d.]+ /, ""))).toEqual([
      "work is told",
      "work ends",
      "web is told",
      "web ends",
      "web2 is told",
      "web2 ends",
      "run throws LeaderElectionLost",
    ]);
    expect(end()).toMatchObject({ message: "leader election lost", failures: [], unended: [] });
    expect(lease.record?.holder).toBe("other");
  });

  test("work that does not end when the lease is lost is left behind before another may lead", async () => {
    const { clock, lease, record, end } = await leading({}, { work: { endingMs: Number.POSITIVE_INFINITY } });
    const lastRenewalMs = clock.monotonic();
    lease.before = (call) => {
      if (call === "write") throw new Error("unreachable");
    };
    await clock.advance(60_000);
    const thrownMs = Number(record.lines.find((line) => line.includes("run throws"))?.split(" ")[0]);
    expect(thrownMs).toBeLessThanOrEqual(lastRenewalMs + 15_000);
    expect(thrownMs).toBeGreaterThan(lastRenewalMs + 10_000);
    expect(end()).toMatchObject({
      reason: "LeaderElectionLost",
      message: "leader election lost; not ended in time: work",
      unended: ["work"],
    });
    // The rest got no grace: the process is to go.
    expect(record.lines.map((line) => line.replace(/^[\d.]+ /, ""))).toEqual([
      "work is told",
      "web is told",
      "web ends",
      "run throws LeaderElectionLost",
    ]);
  });

  test("what is added while leading starts at once, and before that with the rest", async () => {
    const { clock, record, add } = await leading();
    add("late");
    expect(record.lines).toEqual(["1000 late starts"]);
    await clock.settle();
  });

  test("an empty group leads all the same, and takes what is added later", async () => {
    const { clock, record, add, election } = await leading({}, {});
    await clock.advance(60_000);
    expect(election?.fencingToken).toBe(0);
    add("late", { failsMs: 10 });
    await clock.advance(10);
    expect(record.lines).toEqual([
      "61000 late starts",
      "61010 web is told",
      "61010 web ends",
      "61010 run throws RunnableFailed",
    ]);
  });

  test("a leader's work that fails ends all, and the lease is given back", async () => {
    const { clock, lease, end } = await leading({}, { work: { failsMs: 5000 } });
    await clock.advance(6000);
    expect(end()).toMatchObject({ message: "work failed: work is broken", reason: "RunnableFailed" });
    expect(lease.record?.holder).toBe("");
  });

  test("a leader that does not notice the end of its lease is unwell", async () => {
    const { clock, lease, election } = await leading();
    expect(election?.findFault()).toBeUndefined();
    // A request that ignores its signal: the elector hangs.
    lease.before = () => new Promise(() => {});
    await clock.advance(60_000);
    expect(election?.findFault()).toBe("failed election to renew leadership on lease kube-system/test");
  });
});
