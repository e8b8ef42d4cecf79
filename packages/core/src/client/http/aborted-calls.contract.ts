// Thousands of aborted calls of each kind leave nothing behind: no connection beyond those the pool keeps, no timer but a
// connection's ping, no listener on the signal they were made under.
import { getEventListeners } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { childSignal, type Deferred, deferred, FakeClock } from "../../base/index.ts";
import { HttpTransport } from "./http-transport.ts";
import { bytesOf, configFor, get, LocalServer, settled, watch } from "./local-servers.fixture.ts";

const atOnce = 50;
/** Node's HTTP/2 servers take more than a thousand resets of streams on one connection for an attack. */
const callsPerConnection = 800;

const kinds = [
  ["HTTP/1.1", "plain", "1.1"],
  ["HTTP/2", "plain-h2", "2"],
] as const;

/** Who waits for a request to arrive, by its path. */
const arrivals = new Map<string, Deferred<void>>();
let asked = 0;

/** Answers nothing, a head and some of the body, or everything, as the path says. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  response.on("error", () => {});
  const url = request.url ?? "";
  if (url.startsWith("/whole")) response.end("whole");
  else if (url.startsWith("/mute")) arrivals.get(url)?.resolve();
  else response.write("some");
}

type Send = ReturnType<HttpTransport["as"]>;
interface Call {
  readonly signal: AbortSignal;
  abort(): void;
}

const abortions: Readonly<Record<string, (send: Send, call: Call) => Promise<void>>> = {
  async "before they are sent"(send, { signal, abort }) {
    const sending = send(get("/mute"), signal);
    abort();
    await sending;
  },
  async "while they wait for the answer"(send, { signal, abort }) {
    const path = `/mute/${asked++}`;
    const arrival = deferred();
    arrivals.set(path, arrival);
    const sending = send(get(path), signal);
    void arrival.promise.then(abort);
    await sending.finally(() => arrivals.delete(path));
  },
  async "while the body is read"(send, { signal, abort }) {
    const reader = bytesOf(await send(get("/body"), signal))[Symbol.asyncIterator]();
    await reader.next();
    const reading = reader.next();
    abort();
    await reading;
  },
  async "with a watch open"(send, { signal, abort }) {
    const reader = bytesOf(await send(watch(), signal))[Symbol.asyncIterator]();
    await reader.next();
    const reading = reader.next();
    abort();
    await reading;
  },
};

/** `calls` of each kind. */
export function defineAbortedHttpCalls(calls: number): void {
  describe.each(kinds)(`${calls} calls over %s leave nothing behind when aborted`, (_name, speaks, version) => {
    for (const [when, abortCall] of Object.entries(abortions)) {
      test(when, async () => {
        await using server = await LocalServer.start({ speaks, answer });
        const clock = new FakeClock();
        await using transport = new HttpTransport(configFor(server), { clock, version });
        const send = transport.as();
        const root = new AbortController();
        const reason = new Error("aborted by the test");
        const runOne = async () => {
          using call = childSignal(root.signal);
          const outcome = await abortCall(send, { signal: call.signal, abort: () => call.abort(reason) }).catch(
            (error: unknown) => error,
          );
          if (outcome !== reason) throw new Error("not aborted", { cause: outcome });
          if (getEventListeners(call.signal, "abort").length > 0) throw new Error("listens to a call that has ended");
        };
        for (let made = 0; made < calls; made += atOnce) {
          if (version === "2" && made % callsPerConnection === 0) await server.sayGoodbye();
          await Promise.all(Array.from({ length: atOnce }, runOne));
        }

        expect(getEventListeners(root.signal, "abort")).toEqual([]);
        await settled(() => clock.pending().every(({ name }) => name === "HTTP/2 ping"));
        // What was broken off is closed; what is left serves the next call.
        const whole = await send(get("/whole"), root.signal);
        for await (const chunk of bytesOf(whole)) expect(String(chunk)).toBe("whole");
        const kept = version === "2" ? 1 : atOnce;
        await settled(() => server.sockets.size <= kept);
        await settled(() => clock.pending().length === 0);
        expect(getEventListeners(root.signal, "abort")).toEqual([]);
        await transport[Symbol.asyncDispose]();
        await server.untilEmpty();
      });
    }
  });
}
