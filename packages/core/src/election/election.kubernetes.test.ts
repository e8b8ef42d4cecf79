// Leader election between processes on a real kube-apiserver: killed hard, stopped and continued, told to end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { systemClock } from "../base/index.ts";

// As a user would write it, with the built package.
const program = `
  import { clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "@kubeloop/core/client";
  import { LeaderElector, LeaseLock } from "@kubeloop/core/election";
  const { SERVER, CA, TOKEN, IDENTITY, LEASE } = process.env;
  const tell = (what) => process.stdout.write(JSON.stringify({ who: IDENTITY, what, atMs: Date.now() }) + "\\n");
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  const tls = { ca: inlineCaBundle(CA), isVerified: true };
  const client = openClient(clusterConfig({ server: SERVER, tls, credentials: tokenCredentials(TOKEN) }));
  const lock = new LeaseLock(client, { namespace: "default", name: LEASE });
  const elector = new LeaderElector({ lock, identity: IDENTITY, leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 400 });
  const onStartedLeading = async ({ signal, fencingToken }) => {
    tell("leads " + fencingToken);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    tell("ends");
  };
  while (!stop.signal.aborted) await elector.run({ onStartedLeading }, stop.signal);
  await client[Symbol.asyncDispose]();
  tell("stopped");
`;

interface Told {
  readonly who: string;
  readonly what: string;
  readonly atMs: number;
}

const neverAborted = new AbortController().signal;
let cluster: RealCluster;
beforeAll(async () => {
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  cluster = await RealCluster.start({ extraFlags }, neverAborted);
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

/** Contenders for one lease, and what they have told so far. */
class Contest {
  readonly told: Told[] = [];
  readonly #lease: string;
  readonly #processes = new Map<string, ChildProcess>();
  #heard = () => {};

  constructor(lease: string) {
    this.#lease = lease;
  }

  start(who: string): void {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: import.meta.dirname,
      env: {
        ...process.env,
        SERVER: cluster.url,
        CA: cluster.caPem,
        TOKEN: cluster.adminToken,
        IDENTITY: who,
        LEASE: this.#lease,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#processes.set(who, child);
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.told.push(JSON.parse(line) as Told);
      this.#heard();
    });
  }

  signal(who: string, signal: NodeJS.Signals): void {
    this.#processes.get(who)?.kill(signal);
  }

  /** The first to tell this, from `since` on. */
  async until(isIt: (told: Told) => boolean, since = 0): Promise<Told> {
    for (;;) {
      const found = this.told.slice(since).find(isIt);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  async end(): Promise<void> {
    for (const child of this.#processes.values()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
}

let contest: Contest;
afterEach(async () => {
  await contest.end();
});

const leads = ({ what }: Told) => what.startsWith("leads");
const tokenOf = ({ what }: Told) => Number(what.split(" ")[1]);

test("when the leader is killed hard another one leads, with a greater token, after the lease and not before", async () => {
  contest = new Contest("killed");
  for (const who of ["a", "b", "c"]) contest.start(who);
  const first = await contest.until(leads);
  const killedMs = systemClock.now();
  contest.signal(first.who, "SIGKILL");
  const second = await contest.until((told) => leads(told) && told.who !== first.who);
  expect(tokenOf(second)).toBe(tokenOf(first) + 1);
  // The last renewal was at most a retry period (and a request) before; nobody may be sooner than the lease after it.
  expect(second.atMs - killedMs).toBeGreaterThan(3000 - 400 - 500);
});

test("a leader that stood still finds out that it leads no longer, and never leads beside its successor", async () => {
  contest = new Contest("stopped");
  for (const who of ["a", "b"]) contest.start(who);
  const first = await contest.until(leads);
  contest.signal(first.who, "SIGSTOP");
  const second = await contest.until((told) => leads(told) && told.who !== first.who);
  const since = contest.told.length;
  contest.signal(first.who, "SIGCONT");
  const ended = await contest.until(({ who, what }) => who === first.who && what === "ends", since);
  expect(ended.atMs).toBeGreaterThan(second.atMs);
  // It contends again and does not disturb the one who leads: that one ends only when it is told to.
  contest.signal(second.who, "SIGTERM");
  const third = await contest.until((told) => leads(told) && told.who === first.who, since);
  const over = contest.told.find(({ who, what }) => who === second.who && what === "ends");
  expect(over?.atMs).toBeLessThanOrEqual(third.atMs);
  expect(tokenOf(third)).toBe(tokenOf(second) + 1);
});

test("a leader that is told to end gives the lease back: its successor need not wait for it to run out", async () => {
  contest = new Contest("released");
  for (const who of ["a", "b"]) contest.start(who);
  const first = await contest.until(leads);
  const toldMs = systemClock.now();
  contest.signal(first.who, "SIGTERM");
  const second = await contest.until((told) => leads(told) && told.who !== first.who);
  expect(second.atMs - toldMs).toBeLessThan(2500);
  const { atMs } = await contest.until(({ who, what }) => who === first.who && what === "ends");
  expect(atMs).toBeLessThanOrEqual(second.atMs);
});
