import { ApiServer } from "@kubeloop/apiserver";
import type { Transport } from "@kubeloop/core/api";
import { type Log, type LogFields, noLog, systemClock, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { endpoints, serviceAccounts } from "@kubeloop/core/resources";
import { expect, test, vi } from "vitest";
import { newManagerOfUp } from "./run-manager.ts";
import { SharedInformers } from "./shared-informers.ts";

test("the manager reads from the caches of the process, and they hold the very objects that the server stores", async () => {
  await using server = await ApiServer.open({ log: noLog });
  const parts = { server, clock: systemClock, log: noLog };
  const informers = new SharedInformers(parts);
  const manager = await newManagerOfUp({ ...parts, informers, caFile: "" });
  expect(informers.objects.has(serviceAccounts)).toBe(false);
  const stop = new AbortController();
  const scope = new TaskScope(stop.signal);
  const caching = new AbortController();
  void scope.spawn(() => informers.run(caching.signal));
  const managing = scope.spawn((each) => manager.run(each));
  // Made by one of its controllers.
  const key = "default/default";
  await expect.poll(() => informers.objects.has(serviceAccounts), { timeout: 60_000 }).toBe(true);
  const { lister } = informers.objects.of(serviceAccounts);
  await expect.poll(() => lister.get(key), { timeout: 60_000 }).toBeDefined();
  const stored = await clientOf(server.transport).resource(serviceAccounts).in("default").get("default", stop.signal);
  expect(lister.get(key)).toBe(stored);
  stop.abort();
  await Promise.allSettled([managing]);
  caching.abort();
  await scope.join();
});

test("every controller that it names has started", async () => {
  await using server = await ApiServer.open({ log: noLog });
  const lines: [message: string, fields: LogFields | undefined][] = [];
  const keep = (message: string, fields?: LogFields) => void lines.push([message, fields]);
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep, with: () => log };
  const parts = { server, clock: systemClock, log };
  const informers = new SharedInformers({ ...parts, log: noLog });
  const manager = await newManagerOfUp({ ...parts, informers, caFile: "" });
  const scope = new TaskScope(new AbortController().signal);
  void scope.spawn((each) => informers.run(each));
  void scope.spawn((each) => manager.run(each));
  const started = () =>
    lines.filter(([message]) => message === "Started controller").map(([, fields]) => fields?.["controller"]);
  await expect.poll(() => started().toSorted(), { timeout: 60_000 }).toEqual(manager.controllers.toSorted());
  expect(manager.controllers.length).toBeGreaterThan(15);
  scope.abort();
  await scope.join();
});

test("what the server warns the process's own parts of is not written to stderr", async () => {
  using written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await using server = await ApiServer.open({ log: noLog });
  // A text of its own, because the default log drops repeated lines.
  const transport: Transport = async (request, signal) => {
    const answer = await server.transport(request, signal);
    return { ...answer, headers: { ...answer.headers, warning: '299 - "of the caches of up"' } };
  };
  const informers = new SharedInformers({ server: { transport }, clock: systemClock, log: noLog });
  const { informer } = informers.metadata.forResource(endpoints);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await informer.whenSynced(stop.signal);
  stop.abort();
  await running;
  expect(written.mock.calls).toEqual([]);
});
