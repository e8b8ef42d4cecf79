// Events in virtual time: each lives an hour from when it was last written, and nothing else goes with it.
import { type ApiRequest, noBody } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";

const never = new AbortController().signal;
const events = "/api/v1/namespaces/default/events";
const maps = "/api/v1/namespaces/default/configmaps";
const minuteMs = 60_000;
let clock: FakeClock;
let server: ApiServer;
beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.open({ clock, random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

async function ask(method: string, path: string, value?: object, type = "application/json"): Promise<unknown> {
  const body: ApiRequest["body"] = value === undefined ? noBody : { kind: "value", value };
  const headers = { "content-type": type };
  const response = await server.transport({ method, path, query: [], headers, body, prefers: "values" }, never);
  if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status}`);
  return response.body.kind === "value" ? response.body.value : undefined;
}

const write = (name: string) =>
  ask("POST", events, { metadata: { name }, involvedObject: { namespace: "default" }, reason: "Tested" });
const touch = (name: string) => ask("PATCH", `${events}/${name}`, { count: 2 }, "application/merge-patch+json");

async function namesAt(path: string): Promise<readonly string[]> {
  const { items } = (await ask("GET", path)) as { items: readonly { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

describe("an event", () => {
  test("is there for an hour, and not much longer", async () => {
    await write("a");
    await clock.advance(59 * minuteMs);
    expect(await namesAt(events)).toEqual(["a"]);
    await clock.advance(3 * minuteMs);
    expect(await namesAt(events)).toEqual([]);
  });

  test("that is written again lives on from then", async () => {
    await write("a");
    await write("b");
    await clock.advance(40 * minuteMs);
    await touch("a");
    await clock.advance(30 * minuteMs);
    expect(await namesAt(events)).toEqual(["a"]);
    await clock.advance(32 * minuteMs);
    expect(await namesAt(events)).toEqual([]);
  });

  test("that was deleted and made anew is counted from its second life", async () => {
    await write("a");
    await clock.advance(40 * minuteMs);
    await ask("DELETE", `${events}/a`);
    await write("a");
    await clock.advance(30 * minuteMs);
    expect(await namesAt(events)).toEqual(["a"]);
  });

  test("goes under its other name too, and is seen to go", async () => {
    await write("a");
    const query = [
      ["watch", "1"],
      ["timeoutSeconds", "7200"],
    ] as const;
    const request = { method: "GET", path: events, query, headers: {}, body: noBody, prefers: "values" } as const;
    await using response = await server.transport(request, never);
    if (response.body.kind !== "values") throw new Error("expected a stream");
    const messages = response.body.values[Symbol.asyncIterator]();
    expect((await messages.next()).value).toMatchObject({ type: "ADDED" });
    const gone = messages.next();
    await clock.advance(62 * minuteMs);
    expect((await gone).value).toMatchObject({ type: "DELETED", object: { metadata: { name: "a" } } });
    expect(await namesAt("/apis/events.k8s.io/v1/namespaces/default/events")).toEqual([]);
  });
});

test("nothing else expires, and thousands go at once", async () => {
  await ask("POST", maps, { metadata: { name: "stays" } });
  for (let i = 0; i < 3_000; i++) await write(`e-${i}`);
  await clock.advance(62 * minuteMs);
  expect(await namesAt(events)).toEqual([]);
  expect(await namesAt(maps)).toEqual(["stays"]);
});
