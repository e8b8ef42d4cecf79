// What all controllers share: how often caches are resynced, what they hold, and how old the mapper's knowledge may be.
import { ApiServer } from "@kubeloop/apiserver";
import type { corev1, Transport } from "@kubeloop/core/api";
import { FakeClock, noLog, type Random, seededRandom } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { InformerName } from "@kubeloop/core/informer";
import { configMaps } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { parseOptions } from "../options/index.ts";
import { RootClientBuilder } from "./client-builder.ts";
import { complete } from "./config.ts";
import { createControllerContext } from "./controller-context.ts";

const signal = new AbortController().signal;
const hourMs = 3_600_000;

async function withContext(
  body: (parts: {
    readonly clock: FakeClock;
    readonly context: Awaited<ReturnType<typeof createControllerContext>>;
    readonly paths: string[];
  }) => Promise<void>,
  { args = [], random = seededRandom(1) }: { readonly args?: readonly string[]; readonly random?: Random } = {},
) {
  const clock = new FakeClock();
  await using server = await ApiServer.open({ clock, random: seededRandom("server") });
  const paths: string[] = [];
  const transport: Transport = (request, each) => {
    paths.push(request.path);
    return server.transport(request, each);
  };
  const client = clientOf(transport, { clock });
  const config = complete({ options: parseOptions(args), client, log: noLog, clock, random });
  const rootClientBuilder = new RootClientBuilder(client, { qps: 20, burst: 30 });
  const parts = { rootClientBuilder, clientBuilder: rootClientBuilder, addTask: () => {}, drainMs: () => 0 };
  const ending = new AbortController();
  const isControllerEnabled = () => true;
  const context = await createControllerContext(config, { ...parts, isControllerEnabled }, ending.signal);
  try {
    await body({ clock, context, paths });
  } finally {
    ending.abort(new Error("the test is over"));
    context.informerName?.[Symbol.dispose]();
  }
}

test.each([
  ["12 hours at least", [], 0, 12],
  ["up to 24 hours, by chance", [], 0.5, 18],
  ["the flag's period", ["--min-resync-period=1h"], 0.5, 1.5],
] as const)("the resync period of an informer factory is %s", async (_fact, args, chance, hours) => {
  const random: Random = { ...seededRandom(1), next: () => chance };
  await withContext(
    async ({ context }) => {
      expect(context.resyncPeriodMs()).toBe(hours * hourMs);
      const { informer, lister } = context.informerFactory.core.v1.configMaps;
      let resyncs = 0;
      informer.addEventHandler({
        onUpdate: () => {
          resyncs++;
        },
      });
      const ending = new AbortController();
      const running = context.informerFactory.run(ending.signal);
      const clock = context.clock as FakeClock;
      await context.informerFactory.waitForCacheSync(signal);
      const objects = lister.list().length;
      expect(objects).toBeGreaterThan(0);
      await clock.advance(hours * hourMs - 60_000);
      expect(resyncs).toBe(0);
      await clock.advance(120_000);
      expect(resyncs).toBe(objects);
      ending.abort(new Error("the test is over"));
      await running;
    },
    { args, random },
  );
});

test("the name of its informers is free again when it is given back", async () => {
  for (let times = 0; times < 2; times++) {
    await withContext(async () => expect(() => new InformerName("kube-controller-manager")).toThrow("is taken"));
  }
  expect(() => new InformerName("kube-controller-manager").release()).not.toThrow();
});

test("each factory has a period of its own", async () => {
  await withContext(async ({ context }) => {
    expect(context.resyncPeriodMs()).not.toBe(context.resyncPeriodMs());
  });
});

test("caches hold no managed fields", async () => {
  await withContext(async ({ context }) => {
    const map: corev1.ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "default" },
    };
    const maps = context.informerClient.resource(configMaps).in("default");
    const created = await maps.create({ ...map, data: { a: "b" } }, signal);
    expect(created.metadata.managedFields).toHaveLength(1);
    const { informer, lister } = context.informerFactory.core.v1.configMaps;
    informer.addEventHandler({});
    const ending = new AbortController();
    const running = context.informerFactory.run(ending.signal);
    await context.informerFactory.waitForCacheSync(signal);
    const cached = lister.namespace("default").get("a");
    expect(cached?.data).toEqual({ a: "b" });
    expect(cached?.metadata).not.toHaveProperty("managedFields");
    ending.abort(new Error("the test is over"));
    await running;
  });
});

test("what the mapper knows is at most half a minute old", async () => {
  await withContext(async ({ clock, context, paths }) => {
    const asks = async () => {
      paths.length = 0;
      await context.restMapper.resourceForKind({ group: "apps", kind: "ReplicaSet" }, signal);
      return paths.length > 0;
    };
    expect(await asks()).toBe(false);
    await clock.advance(29_000);
    expect(await asks()).toBe(false);
    await clock.advance(1000);
    expect(await asks()).toBe(true);
    expect(await asks()).toBe(false);
  });
});
