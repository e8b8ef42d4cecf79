import { describe, expect, test } from "vitest";
import { FakeClock } from "../base/fake-clock.ts";
import { seededRandom } from "../base/random.ts";
import { type FaultRule, type FaultyTransport, withFaults } from "./faults.ts";
import { type ApiRequest, type ApiResponse, noBody, parseQuery, type Transport, valueResponse } from "./transport.ts";

const get = (url: string, prefers: ApiRequest["prefers"] = "values"): ApiRequest => {
  const [path = "", query = ""] = url.split("?");
  return { method: "GET", path, query: parseQuery(query), headers: {}, body: noBody, prefers };
};

/** A server that counts what it carried out and what was let go of, and answers with a stream when watched. */
function newServer() {
  const seen: string[] = [];
  let disposed = 0;
  const transport: Transport = async (request, signal) => {
    signal.throwIfAborted();
    seen.push(request.path);
    const dispose = async () => {
      disposed++;
    };
    if (request.query.length === 0) return { ...valueResponse(200, { ok: true }), [Symbol.asyncDispose]: dispose };
    const body: ApiResponse["body"] =
      request.prefers === "values" ? { kind: "values", values: count(6) } : { kind: "bytes", bytes: letters() };
    return { status: 200, headers: {}, body, [Symbol.asyncDispose]: dispose };
  };
  return { seen, transport, disposed: () => disposed };
}

async function* count(length: number) {
  for (let i = 0; i < length; i++) yield i;
}

async function* letters() {
  yield new TextEncoder().encode("abcd");
  yield new TextEncoder().encode("efgh");
}

function setUp(rules: readonly FaultRule[], seed = 1) {
  const server = newServer();
  const clock = new FakeClock();
  const faulty = withFaults(server.transport, rules, { clock, random: seededRandom(seed) });
  return { server, clock, faulty, signal: new AbortController().signal };
}

async function readAll(response: ApiResponse): Promise<unknown[]> {
  const items: unknown[] = [];
  if (response.body.kind === "values") for await (const item of response.body.values) items.push(item);
  if (response.body.kind === "bytes") {
    for await (const chunk of response.body.bytes) items.push(new TextDecoder().decode(chunk));
  }
  return items;
}

describe("faults", () => {
  test("a reset before: the server sees nothing", async () => {
    const { server, faulty, signal } = setUp([{ name: "r", fault: { kind: "reset", when: "before" } }]);
    await expect(faulty(get("/api/v1/pods"), signal)).rejects.toMatchObject({
      reason: "ConnectionReset",
      wasSent: "no",
    });
    expect(server.seen).toEqual([]);
  });

  test("a reset after: the server has done it, and its answer is let go of", async () => {
    const { server, faulty, signal } = setUp([{ name: "r", fault: { kind: "reset", when: "after" } }]);
    await expect(faulty(get("/api/v1/pods"), signal)).rejects.toMatchObject({ wasSent: "maybe" });
    expect(server.seen).toEqual(["/api/v1/pods"]);
    expect(server.disposed()).toBe(1);
  });

  test("a status is a Kubernetes Status with Retry-After, as a value or as bytes", async () => {
    const fault = { kind: "status", code: 429, retryAfterSeconds: 2 } as const;
    const { server, faulty, signal } = setUp([{ name: "s", fault }]);
    const response = await faulty(get("/api/v1/pods"), signal);
    expect(response.status).toBe(429);
    expect(response.headers["retry-after"]).toBe("2");
    expect(response.body).toMatchObject({ kind: "value", value: { reason: "TooManyRequests", code: 429 } });
    const [text] = await readAll(await faulty(get("/api/v1/pods", "bytes"), signal));
    expect(JSON.parse(String(text))).toMatchObject({ kind: "Status", details: { retryAfterSeconds: 2 } });
    expect(server.seen).toEqual([]);
  });

  test("silence lasts until the caller gives up", async () => {
    const { server, faulty } = setUp([{ name: "q", fault: { kind: "silence" } }]);
    const controller = new AbortController();
    const answer = faulty(get("/api/v1/pods"), controller.signal);
    controller.abort(new Error("gave up"));
    await expect(answer).rejects.toThrow("gave up");
    expect(server.seen).toEqual(["/api/v1/pods"]);
    expect(server.disposed()).toBe(1);
  });

  test("delays are virtual time, before or after the request is carried out", async () => {
    for (const when of ["before", "after"] as const) {
      const { server, clock, faulty, signal } = setUp([{ name: "d", fault: { kind: "delay", delayMs: 500, when } }]);
      const answer = faulty(get("/api/v1/pods"), signal);
      await clock.advance(499);
      expect(server.seen.length).toBe(when === "before" ? 0 : 1);
      await clock.advance(1);
      expect((await answer).status).toBe(200);
    }
  });

  test("an answer nobody waits for any more is let go of", async () => {
    const { server, clock, faulty } = setUp([{ name: "d", fault: { kind: "delay", delayMs: 500, when: "after" } }]);
    const controller = new AbortController();
    const answer = faulty(get("/api/v1/pods"), controller.signal);
    await clock.advance(1);
    controller.abort(new Error("gave up"));
    await expect(answer).rejects.toThrow("gave up");
    expect(server.disposed()).toBe(1);
  });

  test("a stream of values is cut after so many, with or without an error", async () => {
    const end = setUp([{ name: "c", fault: { kind: "cut", after: 2, how: "end" } }]);
    expect(await readAll(await end.faulty(get("/api/v1/pods?watch=1"), end.signal))).toEqual([0, 1]);
    const reset = setUp([{ name: "c", fault: { kind: "cut", after: 2, how: "reset" } }]);
    const response = await reset.faulty(get("/api/v1/pods?watch=1"), reset.signal);
    await expect(readAll(response)).rejects.toThrow("stream cut");
  });

  test("bytes are cut in the middle of a chunk", async () => {
    const { faulty, signal } = setUp([{ name: "c", fault: { kind: "cut", after: 6, how: "end" } }]);
    expect(await readAll(await faulty(get("/api/v1/pods?watch=1", "bytes"), signal))).toEqual(["abcd", "ef"]);
  });

  test("a cut beyond the end changes nothing", async () => {
    const { faulty, signal } = setUp([{ name: "c", fault: { kind: "cut", after: 99, how: "reset" } }]);
    expect(await readAll(await faulty(get("/api/v1/pods?watch=1"), signal))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("a single value is lost as a whole", async () => {
    const { server, faulty, signal } = setUp([{ name: "c", fault: { kind: "cut", after: 1, how: "end" } }]);
    await expect(faulty(get("/api/v1/pods"), signal)).rejects.toThrow("stream cut");
    expect(server.disposed()).toBe(1);
  });

  test("a stalled stream ends when the response is disposed of", async () => {
    const { faulty, signal } = setUp([{ name: "s", fault: { kind: "stall", after: 1 } }]);
    const response = await faulty(get("/api/v1/pods?watch=1"), signal);
    const all = readAll(response);
    await response[Symbol.asyncDispose]();
    expect(await all).toEqual([0]);
  });

  test("a stalled stream throws the signal's reason", async () => {
    const { faulty } = setUp([{ name: "s", fault: { kind: "stall", after: 1 } }]);
    const controller = new AbortController();
    const all = readAll(await faulty(get("/api/v1/pods?watch=1"), controller.signal));
    controller.abort(new Error("gave up"));
    await expect(all).rejects.toThrow("gave up");
  });
});

describe("rules", () => {
  const reset = { kind: "reset", when: "before" } as const;
  async function hits(faulty: FaultyTransport, urls: readonly string[]): Promise<boolean[]> {
    const results: boolean[] = [];
    for (const url of urls) {
      const request = faulty(get(url), new AbortController().signal);
      results.push(
        await request.then(
          () => false,
          () => true,
        ),
      );
    }
    return results;
  }
  const urls = ["/api/v1/pods", "/api/v1/pods?watch=1", "/api/v1/namespaces/n/pods/p", "/api/v1/nodes", "/healthz"];

  test.each([
    ["no match: everything", {}, [true, true, true, true, true]],
    ["verbs", { match: { verbs: ["watch", "get"] } }, [false, true, true, false, true]],
    ["resources", { match: { resources: ["pods"] } }, [true, true, true, false, false]],
    ["namespaces", { match: { namespaces: ["n"] } }, [false, false, true, false, false]],
    ["path", { match: { path: /nodes$/ } }, [false, false, false, true, false]],
    ["where", { match: { where: (r: ApiRequest) => r.path === "/healthz" } }, [false, false, false, false, true]],
    ["all that is given", { match: { verbs: ["list"], resources: ["pods"] } }, [true, false, false, false, false]],
    ["nth of the matching", { match: { resources: ["pods"] }, nth: [2] }, [false, true, false, false, false]],
    ["at most so often", { maxTimes: 2 }, [true, true, false, false, false]],
    ["never by chance", { probability: 0 }, [false, false, false, false, false]],
  ] as const)("%s", async (_name, rule, expected) => {
    expect(await hits(setUp([{ name: "r", fault: reset, ...rule }]).faulty, urls)).toEqual(expected);
  });

  test("chance repeats from the seed", async () => {
    const rule = { name: "r", fault: reset, probability: 0.5 };
    const many = Array.from({ length: 40 }, () => "/api/v1/pods");
    const first = await hits(setUp([rule], 7).faulty, many);
    expect(await hits(setUp([rule], 7).faulty, many)).toEqual(first);
    expect(await hits(setUp([rule], 8).faulty, many)).not.toEqual(first);
    expect(first.filter((hit) => hit).length).toBeGreaterThan(5);
  });

  test("what was done is told", async () => {
    const { faulty, clock } = setUp([{ name: "one", fault: reset, nth: [1] }]);
    await hits(faulty, ["/a", "/b"]);
    expect(faulty.injected).toEqual([{ atMs: clock.now(), rule: "one", fault: reset, method: "GET", path: "/a" }]);
  });

  test("several rules apply to one request, the first outermost", async () => {
    const { server, clock, faulty, signal } = setUp([
      { name: "late", fault: { kind: "delay", delayMs: 100, when: "before" } },
      { name: "refused", fault: { kind: "status", code: 503 } },
    ]);
    const answer = faulty(get("/api/v1/pods"), signal);
    await clock.advance(100);
    expect((await answer).status).toBe(503);
    expect(server.seen).toEqual([]);
    expect(faulty.injected.map(({ rule }) => rule)).toEqual(["late", "refused"]);
  });

  test("an inactive set of rules lets everything pass and counts nothing", async () => {
    const server = newServer();
    let isActive = false;
    const faulty = withFaults(server.transport, [{ name: "r", fault: reset, nth: [1] }], {
      clock: new FakeClock(),
      random: seededRandom(1),
      isActive: () => isActive,
    });
    expect(await hits(faulty, ["/a"])).toEqual([false]);
    isActive = true;
    expect(await hits(faulty, ["/a", "/b"])).toEqual([true, false]);
  });
});

describe("several rules at once", () => {
  test("the first that fires is outermost: a refusal before a delay is not delayed, one behind it is", async () => {
    const refuse: FaultRule = { name: "refuse", fault: { kind: "status", code: 503 } };
    const delay: FaultRule = { name: "delay", fault: { kind: "delay", delayMs: 1000, when: "before" } };
    const times: number[] = [];
    for (const rules of [
      [refuse, delay],
      [delay, refuse],
    ]) {
      const clock = new FakeClock();
      const faulty = withFaults(newServer().transport, rules, { clock, random: seededRandom(1) });
      expect((await clock.drive(faulty(get("/api/v1/pods"), new AbortController().signal))).status).toBe(503);
      times.push(clock.monotonic());
    }
    expect(times).toEqual([0, 1000]);
  });

  test("a rule without chance does not shift what others draw", async () => {
    const chancy: FaultRule = { name: "chancy", fault: { kind: "status", code: 500 }, probability: 0.5 };
    const certain: FaultRule = {
      name: "certain",
      fault: { kind: "delay", delayMs: 0, when: "before" },
      probability: 1,
    };
    const outcomes: string[] = [];
    for (const rules of [[chancy], [certain, chancy]]) {
      const clock = new FakeClock();
      const faulty = withFaults(newServer().transport, rules, { clock, random: seededRandom(5) });
      const codes: number[] = [];
      for (let i = 0; i < 40; i++) {
        codes.push((await clock.drive(faulty(get("/api/v1/pods"), new AbortController().signal))).status);
      }
      outcomes.push(codes.join());
    }
    expect(outcomes[0]).toContain("500");
    expect(outcomes[0]).toContain("200");
    expect(outcomes[1]).toBe(outcomes[0]);
  });
});
