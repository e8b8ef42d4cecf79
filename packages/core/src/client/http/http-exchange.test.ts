import { describe, expect, test } from "vitest";
import { TransportError } from "../../api/transport.ts";
import { type HttpExchange, mayRepeat } from "./http-exchange.ts";

const failure = (reason: string, wasSent: "no" | "maybe") => new TransportError("it failed", { reason, wasSent });
const lost = failure("ConnectionLost", "maybe");
const neverSent = failure("ConnectionLost", "no");
const bytes = Buffer.from("x");
const stream = (async function* () {
  yield bytes;
})();

describe("what is sent once more without asking anybody, when a kept connection was dead", () => {
  const facts: readonly (readonly [string, string, HttpExchange["body"], unknown, boolean])[] = [
    ["a get", "GET", undefined, lost, true],
    ["a head", "HEAD", undefined, lost, true],
    ["a post that the server has not seen", "POST", bytes, neverSent, true],
    ["not a post that it may have seen", "POST", bytes, lost, false],
    ["not a delete that it may have seen", "DELETE", undefined, lost, false],
    ["not what was read from a stream", "POST", stream, neverSent, false],
    ["not a get with such a body", "GET", stream, lost, false],
    ["not what met silence", "GET", undefined, failure("Silent", "maybe"), false],
    ["not what was never connected", "GET", undefined, failure("ConnectFailed", "no"), false],
    ["not what somebody aborted", "GET", undefined, new Error("enough"), false],
  ];
  for (const [name, method, body, error, expected] of facts) {
    test(name, () => expect(mayRepeat({ method, path: "/", headers: {}, body }, error)).toBe(expected));
  }
});
