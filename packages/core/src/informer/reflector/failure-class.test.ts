import { expect, test } from "vitest";
import {
  newBadRequest,
  newConflict,
  newExpired,
  newForbidden,
  newGone,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotFound,
  newServiceUnavailable,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnauthorized,
  TransportError,
} from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import { WatchDecodeError } from "../../client/index.ts";
import { classifyFailure, type FailureClass, StoreFailure } from "./failure-class.ts";

const pods = { group: "", resource: "pods" };
const transport = (reason: string) => new TransportError(reason, { reason, wasSent: "maybe" });
const coded = (code: string) => Object.assign(new Error(code), { code });
const wrapped = (cause: unknown) => new KubeloopError("wrapped", { reason: "Wrapped", cause });

const facts: readonly (readonly [string, unknown, FailureClass])[] = [
  ["410 Expired", newExpired("too old"), "expired"],
  ["410 Gone", newGone("gone"), "expired"],
  ["a version that is not there yet", newTooLargeResourceVersion("9", "5", { retryAfterSeconds: 1 }), "too-large"],
  ["429", newTooManyRequests("busy"), "busy"],
  ["401", newUnauthorized(), "denied"],
  ["403", newForbidden(pods, "", { detail: "no" }), "denied"],
  ["404", newNotFound(pods, ""), "denied"],
  ["400", newBadRequest("sendInitialEvents is forbidden"), "unsupported"],
  ["422", newInvalid({ group: "", kind: "ListOptions" }, "", { faults: [] }), "unsupported"],
  ["405", newMethodNotSupported(pods, "watch"), "unsupported"],
  ["500", newInternalError(new Error("no leader")), "internal"],
  ["503", newServiceUnavailable("starting"), "other"],
  ["504", newTimeout("slow"), "other"],
  ["409", newConflict(pods, "a", { detail: "changed" }), "other"],
  ["a refused connection", transport("ConnectionRefused"), "unreachable"],
  ["a host nobody knows", transport("HostNotFound"), "unreachable"],
  ["any other connection that was not made", transport("ConnectFailed"), "unreachable"],
  ["a connection that was refused to a client of one's own", coded("ECONNREFUSED"), "unreachable"],
  ["a connection that broke", transport("ConnectionLost"), "lost"],
  ["a connection that was reset", transport("ConnectionReset"), "lost"],
  ["a connection on which nothing was heard", transport("Silent"), "lost"],
  ["a connection that was reset under a client of one's own", coded("ECONNRESET"), "lost"],
  ["an event that was cut off", new WatchDecodeError("cut", { reason: "UnexpectedEnd", position: 3 }), "lost"],
  ["an event that cannot be read", new WatchDecodeError("bad", { reason: "Decode", position: 3 }), "other"],
  ["a transport that was closed", transport("Closed"), "other"],
  ["a store that throws", new StoreFailure("store refused the list", new Error("full")), "store"],
  ["a store that throws what a server would", new StoreFailure("transform failed", newExpired("x")), "store"],
  ["anything else", new Error("dummy error"), "other"],
  ["what is no error at all", "text", "other"],
  ["a wrapped answer of the server", wrapped(newExpired("too old")), "expired"],
  ["a wrapped failure of the connection", wrapped(transport("ConnectionRefused")), "unreachable"],
];

test.each(facts)("%s", (_, error, expected) => {
  expect(classifyFailure(error)).toBe(expected);
});

test("a ring of causes has an end", () => {
  const error = new Error("ring");
  error.cause = error;
  expect(classifyFailure(error)).toBe("other");
});
