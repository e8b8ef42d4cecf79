// A client of the last run goes on with the next one: same port, same authority, same token, versions above those of the last. What it knows of
// the past has expired, so it lists again, and its cache is the new server's.
import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isResourceExpired } from "@kubeloop/core/api";
import { childSignal, deferred, systemClock } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { SharedInformerFactory } from "@kubeloop/core/informer";
import { secrets } from "@kubeloop/core/resources";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { up } from "./up.ts";
import { parseUpOptions } from "./up-options.ts";

let folder: string;
let life: AbortController;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-restart-"));
  life = new AbortController();
});
afterEach(async () => {
  life.abort();
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  readonly port: number;
  stop(): Promise<void>;
}

async function start(port: number): Promise<Run> {
  const stop = childSignal(life.signal);
  const ready = deferred<{ server: string }>();
  const print = (line: string) => {
    const told = JSON.parse(line) as { event?: string; server: string };
    if (told.event === "ready") ready.resolve(told);
  };
  const complain = (text: string) => ready.reject(new Error(text));
  const world = { folder, clock: systemClock, host: new EventEmitter(), print, complain };
  const ended = up(parseUpOptions(["--json", `--port=${port}`]), world, stop.signal);
  const { server } = await Promise.race([ready.promise, ended.then(() => expect.fail("ended"))]);
  return {
    port: Number(new URL(server).port),
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

const openOwnClient = async (): Promise<Client & AsyncDisposable> =>
  openClient(await loadClusterConfig({ path: join(folder, ".kubeloop/kubeconfig") }, life.signal));
const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name } }) as const;

describe("a client of the last run", () => {
  test("is told that its versions have expired, by watches and by lists", async () => {
    const first = await start(0);
    await using client = await openOwnClient();
    const stored = client.resource(secrets).in("default");
    const { metadata } = await stored.create(secret("a"), life.signal);
    const resourceVersion = metadata.resourceVersion ?? "";
    await first.stop();

    const second = await start(first.port);
    const watched = await stored.watch({ resourceVersion }, life.signal).batches().next();
    const expired = { kind: "Status", code: 410, reason: "Expired" };
    expect(watched.value).toMatchObject([{ type: "ERROR", object: expired }]);
    const exact = stored.list({ resourceVersion, resourceVersionMatch: "Exact" }, life.signal).toArray();
    await expect(exact).rejects.toSatisfy(isResourceExpired);
    // Not older than the past is what there is now, as after a compaction.
    expect(
      (await stored.list({ resourceVersion, resourceVersionMatch: "NotOlderThan" }, life.signal).toArray()).items,
    ).toEqual([]);
    const { metadata: again } = await stored.create(secret("a"), life.signal);
    expect(Number(again.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
    await second.stop();
  });

  test("has an informer whose cache becomes the new server's", async () => {
    const first = await start(0);
    await using client = await openOwnClient();
    const stored = client.resource(secrets).in("default");
    const factory = new SharedInformerFactory(client, { namespace: "default" });
    const { informer, lister } = factory.core.v1.secrets;
    const told: string[] = [];
    const waiting = new Map<string, () => void>();
    const tell = (what: string) => {
      told.push(what);
      waiting.get(what)?.();
    };
    const heard = (what: string) => {
      const telling = deferred();
      waiting.set(what, () => telling.resolve());
      if (told.includes(what)) telling.resolve();
      return telling.promise;
    };
    informer.addEventHandler({
      onAdd: ({ metadata }) => tell(`+ ${metadata.name}`),
      onDelete: (gone) => tell(`- ${"key" in gone ? gone.key : gone.metadata.name}`),
    });
    const stop = childSignal(life.signal);
    const running = factory.run(stop.signal);
    await factory.waitForCacheSync(life.signal);
    await stored.create(secret("a"), life.signal);
    await heard("+ a");
    await first.stop();

    const second = await start(first.port);
    await stored.create(secret("b"), life.signal);
    await Promise.all([heard("+ b"), heard("- default/a")]);
    await stored.create(secret("c"), life.signal);
    await heard("+ c");
    expect(
      lister
        .namespace("default")
        .list()
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(["b", "c"]);
    stop.abort();
    await running;
    await second.stop();
  });
});
