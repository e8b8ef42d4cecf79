import { ApiServer } from "@kubeloop/apiserver";
import { type Log, type LogFields, noLog, systemClock, systemRandom, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { serviceAccounts } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { newManagerPart } from "./manager.ts";
import { SharedInformers } from "./shared-informers.ts";

const system = { clock: systemClock, random: systemRandom };

test("the manager reads from the caches of the process, and they hold the very objects that the server stores", async () => {
  await using server = await ApiServer.open({ log: noLog });
  const tools = { ...system, client: clientOf(server.transport), log: noLog };
  const informers = new SharedInformers(tools);
  const manager = await newManagerPart({ ...tools, informers, flags: ["--leader-elect=false"] });
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
  const tools = { ...system, client: clientOf(server.transport), log };
  const informers = new SharedInformers({ ...tools, log: noLog });
  const flags = ["--leader-elect=false", "--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/16", "--root-ca-file="];
  const manager = await newManagerPart({ ...tools, informers, flags });
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

describe("its flags", () => {
  const make = async (flags: readonly string[]) => {
    await using server = await ApiServer.open({ log: noLog });
    const tools = { ...system, client: clientOf(server.transport), log: noLog };
    return await newManagerPart({ ...tools, informers: new SharedInformers(tools), flags });
  };

  test.each([
    [["--controllers=ttl-controller"], ["ttl-controller"]],
    [["--controllers=ttl,deployment"], ["deployment-controller", "ttl-controller"]],
  ])("%j runs %j", async (flags, names) => {
    expect((await make(flags)).controllers.toSorted()).toEqual(names);
  });

  test("leave out a controller of all that are written", async () => {
    const all = (await make(["--controllers=*"])).controllers;
    const { controllers } = await make(["--controllers=*,-ttl-controller"]);
    expect(controllers).toEqual(all.filter((name) => name !== "ttl-controller"));
    expect(all.length).toBeGreaterThan(controllers.length);
  });

  test.each([
    [["--colour"], "unknown flag: --colour"],
    [["--concurrent-deployment-syncs=x"], "invalid argument"],
    [["--controllers=colour"], '"colour" is not in the list of known controllers'],
  ])("%j are refused in upstream's words", async (flags, words) => {
    const refused = expect(make(flags)).rejects;
    await refused.toMatchObject({ reason: "Invalid", message: expect.stringContaining(words) });
  });
});
