import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../api/index.ts";
import { deferred, FakeClock, MetricsRegistry, noLog, onAbort, seededRandom, untilAborted } from "../base/index.ts";
import { electionMetrics } from "./election-metrics.ts";
import type { LeaderElectorOptions } from "./leader-elector.ts";
import { LeaderElector } from "./leader-elector.ts";
import type { Leadership } from "./leader-work.ts";
import { MemoryLease } from "./memory-lease.fixture.ts";

const untilStopped = ({ signal }: Leadership) => untilAborted(new Promise<void>(() => {}), signal);

function setUp(options: Partial<LeaderElectorOptions> = {}) {
  const clock = new FakeClock();
  const lease = new MemoryLease();
  const elector = new LeaderElector({
    lock: lease,
    identity: "me",
    clock,
    random: seededRandom(1),
    log: noLog,
    ...options,
  });
  const stop = new AbortController();
  const told: string[] = [];
  const start = (work: (leadership: Leadership) => Promise<void> = untilStopped) =>
    elector.run(
      {
        onStartedLeading: async (leadership) => {
          told.push(`started ${leadership.fencingToken}`);
          using _ = onAbort(leadership.signal, () => told.push("told to end"));
          await work(leadership);
        },
        onStoppedLeading: () => told.push("stopped"),
        onNewLeader: (identity) => told.push(`leader ${identity}`),
      },
      stop.signal,
    );
  return { clock, lease, elector, stop, told, start };
}

describe("an elector", () => {
  test("leads, renews without reading, and gives the lease back after its work has ended", async () => {
    const { clock, lease, elector, stop, told, start } = setUp();
    const tidied = deferred<void>();
    const running = start(async (leadership) => {
      await untilStopped(leadership).catch(() => {});
      await tidied.promise;
      told.push("tidied up");
    });
    await clock.advance(6000);
    expect([elector.isLeader, elector.leader]).toEqual([true, "me"]);
    expect(lease.calls).toEqual(["read", "create", "update me", "update me", "update me"]);
    stop.abort();
    await clock.advance(0);
    expect(lease.record?.holder).toBe("me");
    tidied.resolve();
    expect(await running).toBe("stopped");
    expect(told).toEqual(["leader me", "started 0", "told to end", "tidied up", "stopped"]);
    expect(lease.record).toMatchObject({ holder: "", leaseDurationMs: 1000, transitions: 0 });
    expect([clock.pending(), clock.inFlight()]).toEqual([[], []]);
  });

  test("told to stop, holds the lease for as long as its work takes to end", async () => {
    const { clock, lease, elector, stop, told, start } = setUp();
    const running = start(async ({ signal }) => {
      await untilAborted(new Promise<void>(() => {}), signal).catch(() => {});
      await clock.sleep(60_000, new AbortController().signal);
      told.push("tidied up");
    });
    await clock.advance(1000);
    stop.abort();
    for (let i = 0; i < 5; i++) {
      await clock.advance(10_000);
      expect([elector.isLeader, lease.record?.holder]).toEqual([true, "me"]);
    }
    const renewals = lease.calls.filter((call) => call === "update me").length;
    expect(renewals).toBeGreaterThanOrEqual(25);
    await clock.advance(10_000);
    expect(await running).toBe("stopped");
    expect(told.slice(2)).toEqual(["told to end", "tidied up", "stopped"]);
    expect(lease.record?.holder).toBe("");
    expect([clock.pending(), clock.inFlight()]).toEqual([[], []]);
  });

  test("told to stop, ends as one that was, even if it cannot renew while its work ends", async () => {
    const { clock, lease, elector, stop, start } = setUp();
    const running = start(async ({ signal }) => {
      await untilAborted(new Promise<void>(() => {}), signal).catch(() => {});
      await clock.sleep(30_000, new AbortController().signal);
    });
    await clock.advance(1000);
    lease.before = () => {
      throw new Error("unreachable");
    };
    stop.abort();
    await clock.advance(12_000);
    expect(elector.isLeader).toBe(false);
    await clock.advance(20_000);
    expect(await running).toBe("stopped");
  });

  test("waits for the lease of another, takes it over when it has run out, and says who leads", async () => {
    const { clock, lease, stop, told, start } = setUp();
    lease.put({ holder: "other", transitions: 7 });
    const running = start();
    await clock.advance(14_999);
    expect(told).toEqual(["leader other"]);
    await clock.advance(5000);
    expect(told).toEqual(["leader other", "leader me", "started 8"]);
    stop.abort();
    await running;
  });

  test("that sees another holder has its work end before it does, and does not touch a lease that is another's", async () => {
    const { clock, lease, told, start } = setUp();
    const running = start();
    await clock.advance(1000);
    lease.before = (call) => {
      if (call === "write") throw new Error("unreachable");
    };
    await clock.advance(6500);
    expect(told).toEqual(["leader me", "started 0"]);
    lease.put({ holder: "other", transitions: 1 });
    lease.before = () => {};
    await clock.advance(3001);
    expect(await running).toBe("lost");
    expect(told.slice(2)).toEqual(["leader other", "told to end", "stopped"]);
    expect(lease.record).toMatchObject({ holder: "other" });
  });

  test("gives up at its deadline when nobody answers", async () => {
    const { clock, lease, elector, told, start } = setUp();
    const running = start();
    await clock.advance(1000);
    lease.before = (_, signal) => untilAborted(new Promise<void>(() => {}), signal);
    await clock.advance(8999);
    expect(elector.isLeader).toBe(true);
    await clock.advance(1);
    expect(elector.isLeader).toBe(false);
    expect(told).toContain("told to end");
    await clock.advance(20_000);
    expect(await running).toBe("lost");
  });

  test("ends when its work does, and throws what it threw", async () => {
    const finished = setUp();
    const done = finished.start(async () => {});
    await finished.clock.advance(0);
    expect(await done).toBe("finished");
    expect(finished.lease.record?.holder).toBe("");
    const failed = setUp();
    const failing = failed.start(async () => {
      throw new Error("work broke");
    });
    await expect(failing).rejects.toThrow("work broke");
    expect([failed.told.at(-1), failed.lease.record?.holder]).toEqual(["stopped", ""]);
  });

  test("is not stopped by one who cannot bear to hear who leads", async () => {
    const { clock, lease, elector, stop } = setUp();
    const onNewLeader = () => {
      throw new Error("no");
    };
    const running = elector.run({ onStartedLeading: untilStopped, onNewLeader }, stop.signal);
    await clock.advance(5000);
    expect([elector.isLeader, lease.record?.holder]).toEqual([true, "me"]);
    stop.abort();
    expect(await running).toBe("stopped");
  });

  test("that breaks has its work end, and gives the lease back, before it says so", async () => {
    const slowPath = () => {
      throw new Error("a counter broke");
    };
    const { clock, lease, elector, told, start } = setUp({ observer: { leading() {}, slowPath } });
    const running = start();
    await clock.advance(1000);
    let failures = 1;
    lease.before = (call) => {
      if (call === "write" && failures-- > 0) throw new Error("once");
    };
    const broken = expect(running).rejects.toThrow("a counter broke");
    await clock.advance(5000);
    await broken;
    expect(told.slice(2)).toEqual(["told to end", "stopped"]);
    expect([elector.isLeader, lease.record?.holder]).toEqual([false, ""]);
  });

  test("that never led still says that it stopped, and releases nothing", async () => {
    const { clock, lease, stop, told, start } = setUp();
    lease.put({ holder: "other" });
    const running = start();
    await clock.advance(1000);
    stop.abort();
    expect(await running).toBe("stopped");
    expect([told, lease.record?.holder]).toEqual([["leader other", "stopped"], "other"]);
  });

  test("survives an answer that was lost: it finds itself the holder", async () => {
    const { clock, lease, stop, told, start } = setUp();
    let isLost = true;
    const write = lease.write.bind(lease);
    lease.write = async (...args) => {
      const written = await write(...args);
      if (isLost) {
        isLost = false;
        throw new Error("connection reset");
      }
      return written;
    };
    const running = start();
    await clock.advance(5000);
    expect(told).toEqual(["leader me", "started 0"]);
    stop.abort();
    await running;
  });

  test("releases once more after a conflict, and not at all when told so", async () => {
    const { clock, lease, stop, start } = setUp();
    const running = start();
    await clock.advance(100);
    let conflicts = 0;
    lease.before = (call) => {
      const { record } = lease;
      if (call === "write" && conflicts++ === 0 && record !== undefined) lease.put(record);
    };
    stop.abort();
    await running;
    expect([conflicts, lease.record?.holder]).toEqual([2, ""]);
    const kept = setUp({ releaseOnStop: false });
    const keeping = kept.start();
    await kept.clock.advance(100);
    kept.stop.abort();
    await keeping;
    expect(kept.lease.record?.holder).toBe("me");
  });

  test("does not wait for ever for a server that is gone when it releases", async () => {
    const { clock, lease, stop, told, start } = setUp();
    const running = start();
    await clock.advance(100);
    lease.before = (_, signal) => untilAborted(new Promise<void>(() => {}), signal);
    stop.abort();
    await clock.advance(10_000);
    expect(await running).toBe("stopped");
    expect(told.at(-1)).toBe("stopped");
  });

  test("runs once at a time, and may run again", async () => {
    const { clock, stop, start } = setUp();
    const running = start(async () => {});
    await expect(start()).rejects.toThrow("an elector runs once at a time");
    expect(await running).toBe("finished");
    const again = start();
    await clock.advance(100);
    stop.abort();
    expect(await again).toBe("stopped");
  });
});

describe("options", () => {
  test.each<[string, Partial<LeaderElectorOptions>]>([
    ["identity must not be empty", { identity: "" }],
    ["leaseDurationMs (10000) must be greater than renewDeadlineMs (10000)", { leaseDurationMs: 10_000 }],
    ["renewDeadlineMs (2400) must be greater than retryPeriodMs × 1.2 (2400)", { renewDeadlineMs: 2400 }],
    ["retryPeriodMs must be greater than zero, not 0", { retryPeriodMs: 0 }],
    ["renewDeadlineMs must be greater than zero, not NaN", { renewDeadlineMs: Number.NaN }],
    ["leaseDurationMs must be whole seconds, not 15500 ms", { leaseDurationMs: 15_500 }],
  ])("%s", (message, options) => {
    expect(() => setUp(options)).toThrow(message);
  });
});

test("an elector that does not lead is never at fault, however old the lease of another is", async () => {
  const { clock, lease, elector, stop, start } = setUp();
  expect(elector.findFault(0)).toBeUndefined();
  lease.put({ holder: "other" });
  const running = start();
  await clock.advance(100);
  const frozen = clock.monotonic.bind(clock);
  clock.monotonic = () => frozen() + 3_600_000;
  expect([elector.leader, elector.findFault(20_000)]).toEqual(["other", undefined]);
  clock.monotonic = frozen;
  stop.abort();
  await running;
});

test("an elector that stands still while it leads is found at fault", async () => {
  const { clock, lease, elector, stop, start } = setUp();
  const running = start();
  await clock.advance(100);
  expect(elector.findFault(20_000)).toBeUndefined();
  // The process stands still: its timers do not run, its clock does.
  const frozen = clock.monotonic.bind(clock);
  clock.monotonic = () => frozen() + 36_000;
  expect(elector.findFault(20_000)).toBe("failed election to renew leadership on lease kube-system/test");
  expect(elector.findFault(30_000)).toBeUndefined();
  clock.monotonic = frozen;
  lease.before = () => {};
  stop.abort();
  await running;
  expect(elector.findFault(0)).toBeUndefined();
});

describe("events about the lease", () => {
  function recording() {
    const events: string[] = [];
    const recorder = {
      event: ({ kind, metadata }: KubernetesObject, ...rest: readonly string[]) =>
        void events.push(`${kind} ${metadata.name}: ${rest.join(" ")}`),
    };
    return { events, recorder };
  }

  test("say who became the leader, and who is one no longer", async () => {
    const { events, recorder } = recording();
    const { clock, stop, start, lease } = setUp({ recorder });
    const running = start();
    await clock.advance(5000);
    expect(events).toEqual(["Lease test: Normal LeaderElection me became leader"]);
    stop.abort();
    await running;
    expect(events.slice(1)).toEqual(["Lease test: Normal LeaderElection me stopped leading"]);
    expect(lease.record?.holder).toBe("");
  });

  test("are not told of one that never led", async () => {
    const { events, recorder } = recording();
    const { clock, lease, stop, start } = setUp({ recorder });
    lease.put({ holder: "other" });
    const running = start();
    await clock.advance(5000);
    stop.abort();
    await running;
    expect(events).toEqual([]);
  });

  test("are told of one whose work failed, too", async () => {
    const { events, recorder } = recording();
    const { start } = setUp({ recorder });
    await expect(
      start(async () => {
        throw new Error("work broke");
      }),
    ).rejects.toThrow("work broke");
    expect(events).toHaveLength(2);
  });

  test("are told to nobody when nobody listens", async () => {
    const { clock, stop, start, told } = setUp();
    const running = start();
    await clock.advance(100);
    stop.abort();
    expect(await running).toBe("stopped");
    expect(told).toContain("started 0");
  });
});

test("metrics say who leads, and how often a renewal had to read", async () => {
  const registry = new MetricsRegistry();
  const { clock, lease, stop, start } = setUp({ observer: electionMetrics(registry, "test") });
  const value = (name: string) => registry.print().match(new RegExp(`^${name}{name="test"} (.*)$`, "m"))?.[1];
  const running = start();
  await clock.advance(100);
  expect([value("leader_election_master_status"), value("leader_election_slowpath_total")]).toEqual(["1", "0"]);
  let failures = 1;
  lease.before = (call) => {
    if (call === "write" && failures-- > 0) throw new Error("once");
  };
  await clock.advance(2000);
  expect(value("leader_election_slowpath_total")).toBe("1");
  stop.abort();
  await running;
  expect(value("leader_election_master_status")).toBe("0");
});
