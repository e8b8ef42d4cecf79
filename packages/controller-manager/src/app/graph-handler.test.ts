// The garbage collector as the manager starts it, from its flags, on the embedded server.
import { ApiServer } from "@kubeloop/apiserver";
import type { KubernetesObject, Query, Transport } from "@kubeloop/core/api";
import { FakeClock, MetricsRegistry, noLog, seededRandom, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { configMaps } from "@kubeloop/core/resources";
import { eventually } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { parseOptions } from "../options/index.ts";
import { RootClientBuilder } from "./client-builder.ts";
import { complete } from "./config.ts";
import { createControllerContext } from "./controller-context.ts";
import { controllerDescriptors } from "./controller-descriptors.ts";

const descriptor = controllerDescriptors.find(({ name }) => name === "garbage-collector-controller");

async function started(args: readonly string[]) {
  const clock = new FakeClock();
  const server = await ApiServer.open({ clock, random: seededRandom("server") });
  const client = clientOf(server.transport, { clock });
  const metrics = new MetricsRegistry();
  const config = complete({
    options: parseOptions(args),
    client,
    log: noLog,
    clock,
    random: seededRandom("manager"),
    metrics,
  });
  const tasks: ((signal: AbortSignal) => Promise<void>)[] = [];
  const builder = new RootClientBuilder(client, config.componentConfig.generic);
  const stop = new AbortController();
  const context = await createControllerContext(
    config,
    {
      rootClientBuilder: builder,
      clientBuilder: builder,
      addTask: (_, run) => tasks.push(run),
      isControllerEnabled: () => true,
      drainMs: () => 0,
    },
    stop.signal,
  );
  if (descriptor?.start === undefined) throw new Error("the garbage collector is not written");
  const result = await descriptor.start(context, descriptor);
  const scope = new TaskScope(stop.signal);
  const { informerFactory, metadataInformerFactory } = context;
  const run = () => {
    for (const task of [
      ...tasks,
      (each: AbortSignal) => informerFactory.run(each),
      (each: AbortSignal) => metadataInformerFactory.run(each),
    ]) {
      scope.spawn(task).catch(() => {});
    }
  };
  return {
    ...{ clock, client, metrics, result, run, signal: stop.signal },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await clock.runUntilIdle().catch(() => {});
      await scope.join().catch(() => {});
      context.informerName?.[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function get(handler: Transport | undefined, path: string, query: Query = []) {
  if (handler === undefined) throw new Error("no handler");
  const request = { method: "GET", path, query, headers: {}, body: { kind: "none" }, prefers: "bytes" } as const;
  const { status, headers, body } = await handler(request, new AbortController().signal);
  const bytes: Uint8Array[] = [];
  if (body.kind === "bytes") for await (const chunk of body.bytes) bytes.push(chunk);
  return { status, type: headers["content-type"], text: Buffer.concat(bytes).toString() };
}

test("with --enable-garbage-collector=false it is not started", async () => {
  await using manager = await started(["--enable-garbage-collector=false"]);
  expect(manager.result).toEqual({ isStarted: false });
});

test("it has as many workers as --concurrent-gc-syncs says, collects, and shows its graph", async () => {
  await using manager = await started(["--concurrent-gc-syncs=3"]);
  const { clock, client, metrics, result, run, signal } = manager;
  run();
  const maps = client.resource(configMaps).in("default");
  const create = (name: string, ...ownerReferences: NonNullable<KubernetesObject["metadata"]["ownerReferences"]>) =>
    maps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ownerReferences } }, signal);
  const owner = await create("owner");
  const { uid = "" } = owner.metadata;
  const child = await create("child", { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid });
  const handler = result.isStarted ? result.debugHandler : undefined;
  const edge = `  "${child.metadata.uid}" -> "${uid}";\n`;
  await eventually(clock, async () => (await get(handler, "/graph")).text.includes(edge), {
    what: "the child in the graph",
  });
  const { status, type, text } = await get(handler, "/graph", [["uid", uid]]);
  expect([status, type, text.includes(edge)]).toEqual([200, "text/vnd.graphviz", true]);
  expect((await get(handler, "/graph", [["uid", "nobody"]])).text).toBe("strict digraph full {\n}\n");
  expect((await get(handler, "/")).status).toBe(404);

  await maps.delete("owner", {}, signal);
  const isGone = () =>
    maps.get("child", signal).then(
      () => false,
      () => true,
    );
  await eventually(clock, isGone, { what: "the child to be gone" });
  const printed = metrics.print();
  expect(printed).toMatch(/^workqueue_adds_total\{name="garbage_collector_attempt_to_delete"\} [1-9]/m);
  expect(printed).toMatch(/^garbagecollector_controller_resources_sync_error_total 0$/m);
  // Two queues of three, and one for changes of the graph.
  expect(printed).toMatch(
    /^controller_runtime_max_concurrent_reconciles\{controller="garbage-collector-controller"\} 7$/m,
  );
});
