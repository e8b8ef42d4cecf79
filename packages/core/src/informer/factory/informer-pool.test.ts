import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { deferred, untilAborted } from "../../base/index.ts";
import { InformerPool, type PooledInformer } from "./informer-pool.ts";

/** An informer that does nothing but run, sync when told, and take its time to stop. */
class IdleInformer implements PooledInformer {
  readonly name: string;
  readonly synced = deferred();
  state: "new" | "running" | "stopping" | "ended" = "new";
  stopped: Promise<void> = Promise.resolve();
  failure: Error | undefined;
  runs = 0;
  #hasSynced = false;

  constructor(name: string) {
    this.name = name;
  }

  sync(): void {
    this.#hasSynced = true;
    this.synced.resolve();
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    await untilAborted(this.synced.promise, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.runs++;
    this.state = "running";
    try {
      if (this.failure !== undefined) throw this.failure;
      await untilAborted(new Promise(() => {}), signal);
    } finally {
      this.state = "stopping";
      await this.stopped;
      this.state = "ended";
    }
  }
}

/** A pool whose informers are made by their names. */
class NamedPool extends InformerPool<IdleInformer> {
  readonly made: IdleInformer[] = [];

  override get(key: string, make = () => this.#newInformer(key)) {
    return super.get(key, make);
  }

  override acquire(key: string, make = () => this.#newInformer(key)) {
    return super.acquire(key, make);
  }

  #newInformer(name: string): IdleInformer {
    const informer = new IdleInformer(name);
    this.made.push(informer);
    return informer;
  }
}

function newPool() {
  const pool = new NamedPool();
  const { made } = pool;
  const controller = new AbortController();
  return { pool, made, signal: controller.signal, abort: () => controller.abort(new Error("enough")) };
}

/** Lets everything that is ready go on. */
const settle = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

describe("asking", () => {
  test("twice under one key gives one informer", () => {
    const { pool, made } = newPool();
    expect(pool.get("pods")).toBe(pool.get("pods"));
    expect(pool.acquire("pods").informer).toBe(pool.get("pods"));
    expect(made).toHaveLength(1);
  });

  test("under two keys gives two", () => {
    const { pool } = newPool();
    expect(pool.get("pods")).not.toBe(pool.get("nodes"));
    expect(pool.informers.map(({ name }) => name)).toEqual(["pods", "nodes"]);
  });

  test("with a way to make one uses it, for the first that asks", () => {
    const { pool } = newPool();
    const own = new IdleInformer("own");
    expect(pool.get("pods", () => own)).toBe(own);
    expect(pool.get("pods", () => new IdleInformer("other"))).toBe(own);
  });

  test("starts nothing", () => expect(newPool().pool.get("pods").state).toBe("new"));
});

describe("start", () => {
  test("runs what has been asked for, once however often it is called", () => {
    const { pool, signal } = newPool();
    const pods = pool.get("pods");
    pool.start(signal);
    pool.start(signal);
    expect(pods.runs).toBe(1);
  });

  test("leaves later ones to the next start", () => {
    const { pool, signal } = newPool();
    pool.get("pods");
    pool.start(signal);
    const nodes = pool.get("nodes");
    expect(nodes.state).toBe("new");
    pool.start(signal);
    expect(nodes.state).toBe("running");
  });

  test("ends with its own signal, each", async () => {
    const { pool, signal, abort } = newPool();
    const pods = pool.get("pods");
    pool.start(signal);
    const nodes = pool.get("nodes");
    pool.start(new AbortController().signal);
    abort();
    await settle();
    expect([pods.state, nodes.state]).toEqual(["ended", "running"]);
    await pool.shutdown();
  });
});

describe("run", () => {
  test("starts what has been asked for before it is awaited, and later ones as they are asked for", async () => {
    const { pool, signal, abort } = newPool();
    const pods = pool.get("pods");
    const running = pool.run(signal);
    expect(pods.state).toBe("running");
    expect(pool.get("nodes").state).toBe("running");
    abort();
    await running;
  });

  test("ends when the signal aborts and everything has ended", async () => {
    const { pool, signal, abort } = newPool();
    const pods = pool.get("pods");
    const stopped = deferred();
    pods.stopped = stopped.promise;
    let hasEnded = false;
    const running = pool.run(signal).then(() => {
      hasEnded = true;
    });
    abort();
    await settle();
    expect([pods.state, hasEnded]).toEqual(["stopping", false]);
    stopped.resolve();
    await running;
    expect(pods.state).toBe("ended");
  });

  test("ends what start began, too", async () => {
    const { pool, signal, abort } = newPool();
    const pods = pool.get("pods");
    pool.start(new AbortController().signal);
    const running = pool.run(signal);
    expect(pods.runs).toBe(1);
    abort();
    await running;
    expect(pods.state).toBe("ended");
  });

  test("is refused a second time", async () => {
    const { pool, signal, abort } = newPool();
    const running = pool.run(signal);
    await expect(pool.run(signal)).rejects.toThrow("already running");
    abort();
    await running;
    await expect(pool.run(signal)).rejects.toThrow("shut down");
  });

  test("ends at once under a signal that has fired", async () => {
    const { pool, signal, abort } = newPool();
    abort();
    await pool.run(signal);
    expect(() => pool.start(signal)).toThrow("shut down");
  });

  test("throws the fault of an informer, once all others have ended", async () => {
    const { pool, signal } = newPool();
    const pods = pool.get("pods");
    const nodes = pool.get("nodes");
    nodes.failure = new Error("broken");
    await expect(pool.run(signal)).rejects.toThrow("broken");
    expect(pods.state).toBe("ended");
  });
});

describe("shutdown", () => {
  test("stops everything and waits for it", async () => {
    const { pool, signal } = newPool();
    const pods = pool.get("pods");
    pool.start(signal);
    await pool.shutdown();
    expect(pods.state).toBe("ended");
  });

  test("may be called by many at once, and again", async () => {
    const { pool, signal } = newPool();
    pool.get("pods");
    pool.start(signal);
    await Promise.all([pool.shutdown(), pool.shutdown()]);
    await pool.shutdown();
  });

  test("ends a run", async () => {
    const { pool, signal } = newPool();
    pool.get("pods");
    const running = pool.run(signal);
    await pool.shutdown();
    await running;
  });

  test("is what disposing does", async () => {
    const { pool, made, signal } = newPool();
    {
      await using held = pool;
      held.get("pods");
      held.start(signal);
    }
    expect(made[0]?.state).toBe("ended");
  });

  for (const [fact, attempt] of [
    ["nothing is started", (pool: NamedPool, signal: AbortSignal) => pool.start(signal)],
    ["nothing new is made", (pool: NamedPool) => pool.get("nodes")],
    ["nothing is shared", (pool: NamedPool) => pool.acquire("pods")],
  ] as const) {
    test(`afterwards ${fact}`, async () => {
      const { pool, signal } = newPool();
      pool.get("pods");
      await pool.shutdown();
      expect(() => attempt(pool, signal)).toThrow("the informers have been shut down");
    });
  }

  test("afterwards what there was can still be read", async () => {
    const { pool } = newPool();
    const pods = pool.get("pods");
    await pool.shutdown();
    expect(pool.get("pods")).toBe(pods);
  });

  test("throws the fault of an informer that start began, of which nothing is left on the signal", async () => {
    const { pool, signal } = newPool();
    pool.get("pods").failure = new Error("broken");
    pool.start(signal);
    await settle();
    await expect(pool.shutdown()).rejects.toThrow("broken");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("a share", () => {
  test("is stopped, waited for and forgotten when the last holder lets go", async () => {
    const { pool, signal } = newPool();
    const first = pool.acquire("pods");
    const second = pool.acquire("pods");
    pool.start(signal);
    const { informer } = first;
    await first[Symbol.asyncDispose]();
    expect(informer.state).toBe("running");
    await second[Symbol.asyncDispose]();
    expect(informer.state).toBe("ended");
    expect(pool.has("pods")).toBe(false);
    await pool.shutdown();
  });

  test("is waited for by the one who lets go last", async () => {
    const { pool, signal } = newPool();
    const share = pool.acquire("pods");
    const stopped = deferred();
    share.informer.stopped = stopped.promise;
    pool.start(signal);
    let isGone = false;
    const going = share[Symbol.asyncDispose]().then(() => {
      isGone = true;
    });
    await settle();
    expect([share.informer.state, isGone]).toEqual(["stopping", false]);
    stopped.resolve();
    await going;
    expect(share.informer.state).toBe("ended");
  });

  test("leaves nothing on the signal it ran under", async () => {
    const { pool, signal } = newPool();
    const share = pool.acquire("pods");
    pool.start(signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await share[Symbol.asyncDispose]();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("let go of twice counts once", async () => {
    const { pool, signal } = newPool();
    const first = pool.acquire("pods");
    const second = pool.acquire("pods");
    pool.start(signal);
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    expect(second.informer.state).toBe("running");
    await pool.shutdown();
  });

  test("lives on for whoever has it for good, whether they asked before or after", async () => {
    const { pool, signal } = newPool();
    const share = pool.acquire("pods");
    const pods = pool.get("pods");
    pool.start(signal);
    await share[Symbol.asyncDispose]();
    expect(pods.state).toBe("running");
    await pool.acquire("pods")[Symbol.asyncDispose]();
    expect(pods.state).toBe("running");
    await pool.shutdown();
  });

  test("asked for again is a new informer, even while the old one ends", async () => {
    const { pool, signal, abort } = newPool();
    const running = pool.run(signal);
    const share = pool.acquire("pods");
    const stopped = deferred();
    share.informer.stopped = stopped.promise;
    const gone = share[Symbol.asyncDispose]();
    const again = pool.acquire("pods");
    expect(again.informer).not.toBe(share.informer);
    expect([share.informer.state, again.informer.state]).toEqual(["running", "running"]);
    stopped.resolve();
    await gone;
    expect([share.informer.state, again.informer.state]).toEqual(["ended", "running"]);
    abort();
    await running;
  });

  test("that was never started goes quietly", async () => {
    const { pool } = newPool();
    await pool.acquire("pods")[Symbol.asyncDispose]();
    expect(pool.has("pods")).toBe(false);
  });

  test("goes with await using", async () => {
    const { pool, made, signal, abort } = newPool();
    const running = pool.run(signal);
    {
      await using pods = pool.acquire("pods");
      expect(pods.informer.state).toBe("running");
    }
    expect(made[0]?.state).toBe("ended");
    abort();
    await running;
  });
});

describe("waiting for caches", () => {
  test("waits for all that were started, and for no others", async () => {
    const { pool, signal } = newPool();
    const pods = pool.get("pods");
    pool.start(signal);
    pool.get("nodes");
    pods.sync();
    const { caches } = await pool.waitForCacheSync(signal);
    expect(caches).toEqual([{ name: "pods", isSynced: true, sinceMs: undefined, why: undefined }]);
    await pool.shutdown();
  });

  test("throws which did not sync when the signal aborts", async () => {
    const { pool, signal, abort } = newPool();
    pool.get("pods").sync();
    pool.get("nodes");
    pool.start(new AbortController().signal);
    const waiting = pool.waitForCacheSync(signal);
    abort();
    await expect(waiting).rejects.toThrow("failed to sync all caches: nodes (enough)");
    await pool.shutdown();
  });

  test("without any informer is over at once", async () => {
    const { pool, signal } = newPool();
    expect((await pool.waitForCacheSync(signal)).caches).toEqual([]);
  });

  test("of informers that nobody started is refused: it would look as if they had synced", async () => {
    const { pool, signal } = newPool();
    pool.get("pods");
    await expect(pool.waitForCacheSync(signal)).rejects.toThrow("no informer has been started");
  });
});
