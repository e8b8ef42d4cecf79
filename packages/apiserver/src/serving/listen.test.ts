// Faults for who comes over a socket: what the client of another process sees of each; and what is seen of its requests.
import type { ApiRequest, FaultRule } from "@kubeloop/core/api";
import { deferred } from "@kubeloop/core/base";
import { afterEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import type { Listening } from "./listen.ts";

let server: ApiServer;
let listening: Listening;
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

async function open(...faults: FaultRule[]): Promise<void> {
  server = await ApiServer.open();
  listening = await server.listen({ isPlain: true, faults });
}

const maps = "/api/v1/namespaces/default/configmaps";

async function ask(method: string, path: string, value?: object): Promise<number | "cut off"> {
  const body = value === undefined ? {} : { body: JSON.stringify(value) };
  const headers = { "content-type": "application/json" };
  try {
    const response = await fetch(`${listening.url}${path}`, { method, headers, ...body });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return "cut off";
  }
}

describe("a fault rule on a port", () => {
  test("refuses which it should, and no other", async () => {
    await open({ name: "busy", fault: { kind: "status", code: 429 }, match: { verbs: ["list"] }, nth: [2] });
    expect([await ask("GET", maps), await ask("GET", maps), await ask("GET", maps)]).toEqual([200, 429, 200]);
    expect(listening.injected.map(({ rule, path }) => [rule, path])).toEqual([["busy", maps]]);
  });

  test("breaks the connection before the request was carried out", async () => {
    await open({ name: "broken", fault: { kind: "reset", when: "before" }, match: { verbs: ["create"] } });
    expect(await ask("POST", maps, { metadata: { name: "a" } })).toBe("cut off");
    expect(await ask("GET", `${maps}/a`)).toBe(404);
  });

  test("breaks it afterwards: nobody hears the answer, but it was done", async () => {
    await open({ name: "broken", fault: { kind: "reset", when: "after" }, match: { verbs: ["create"] } });
    expect(await ask("POST", maps, { metadata: { name: "a" } })).toBe("cut off");
    expect(await ask("GET", `${maps}/a`)).toBe(200);
  });

  test("cuts a watch in the middle, and the next one goes on", async () => {
    await open({
      name: "cut",
      fault: { kind: "cut", how: "reset", after: 20 },
      match: { verbs: ["watch"] },
      maxTimes: 1,
    });
    await ask("POST", maps, { metadata: { name: "a" } });
    await ask("POST", maps, { metadata: { name: "b" } });
    expect(await ask("GET", `${maps}?watch=1&timeoutSeconds=1`)).toBe("cut off");
    expect(await ask("GET", `${maps}?watch=1&timeoutSeconds=1`)).toBe(200);
  });

  test("is nothing to who asks inside the process", async () => {
    await open({ name: "all", fault: { kind: "status", code: 500 } });
    expect(await ask("GET", maps)).toBe(500);
    const request = { method: "GET", path: maps, query: [], headers: {}, body: { kind: "none" }, prefers: "values" };
    const { status } = await server.transport(request as never, new AbortController().signal);
    expect(status).toBe(200);
  });
});

describe("a port that is none is one sentence", () => {
  for (const port of [-1, 65_536, 1.5, Number.NaN]) {
    test(String(port), async () => {
      server = await ApiServer.open();
      const message = `cannot listen on port ${port}: a port is a whole number from 0 to 65535`;
      await expect(server.listen({ port, isPlain: true })).rejects.toMatchObject({ reason: "Invalid", message });
    });
  }
});

test("each request that comes over the port is seen, and answered when that allows it", async () => {
  server = await ApiServer.open();
  const seen: string[] = [];
  const allowed = deferred();
  const arrived = deferred();
  const onRequest = ({ method, path }: ApiRequest) => {
    seen.push(`${method} ${path}`);
    if (method !== "POST") return;
    arrived.resolve();
    return allowed.promise;
  };
  listening = await server.listen({ isPlain: true, onRequest });
  const made = ask("POST", maps, { metadata: { name: "a" } });
  await arrived.promise;
  expect(await ask("GET", `${maps}/a`)).toBe(404);
  allowed.resolve();
  expect([await made, await ask("GET", `${maps}/a`)]).toEqual([201, 200]);
  expect(seen).toEqual([`POST ${maps}`, `GET ${maps}/a`, `GET ${maps}/a`]);
});
