import { describe, expect, test } from "vitest";
import {
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newForbidden,
  newInternalError,
  newInvalid,
  newNotFound,
  newServiceUnavailable,
  newTimeout,
  newTooManyRequests,
  newUnauthorized,
  StatusError,
  TransportError,
} from "../api/index.ts";
import { KubeloopError, TimeoutError } from "../base/index.ts";
import { type AfterFailure, type Attempted, decideAfterFailure, defaultWritePolicy } from "./write-decision.ts";

const place = { group: "", resource: "events" };
const forbidden = newForbidden(place, "e", { detail: "no" });
const terminating = new StatusError({
  ...forbidden.status,
  details: { causes: [{ reason: "NamespaceTerminating", message: "namespace baz is being terminated" }] },
});
const lost = (wasSent: "no" | "maybe") => new TransportError("lost", { reason: "ConnectionReset", wasSent });
const busy = newTooManyRequests("busy", { retryAfterSeconds: 30 });

const words = (after: AfterFailure): string => {
  switch (after.next) {
    case "again":
      return `${after.verb} at once`;
    case "rename":
      return "create under another name";
    case "retry":
      return `again in ${after.delayMs} ms${after.mayExist ? ", may exist" : ""}`;
    default:
      return `drop: ${after.why}${after.isUnexpected ? "" : ", quietly"}`;
  }
};
const decide = (attempted: Partial<Attempted>) =>
  words(
    decideAfterFailure(
      { verb: "create", tries: 1, mayExist: false, error: new Error(), isStopping: false, chance: 0.5, ...attempted },
      defaultWritePolicy,
    ),
  );

describe("after a write that failed", () => {
  test.each<[string, Partial<Attempted>, string]>([
    ["what the server has forgotten is made anew", { verb: "patch", error: newNotFound(place, "e") }, "create at once"],
    ["a namespace that is not there is final", { error: newNotFound(place, "e") }, "drop: refused"],
    [
      "what exists, an answer having been lost, is ours and is changed",
      { error: newAlreadyExists(place, "e"), mayExist: true },
      "patch at once",
    ],
    ["what exists otherwise is another's", { error: newAlreadyExists(place, "e") }, "create under another name"],
    ["a namespace that is going away is no news", { error: terminating }, "drop: refused, quietly"],
    ["what is forbidden is final", { error: forbidden }, "drop: refused"],
    [
      "what is invalid is final",
      { error: newInvalid({ group: "", kind: "Event" }, "e", { faults: [] }) },
      "drop: refused",
    ],
    ["a bad request is final", { error: newBadRequest("no") }, "drop: refused"],
    ["who is not known is refused for good", { error: newUnauthorized("no") }, "drop: refused"],
    [
      "what cannot be sent is final",
      { error: new KubeloopError("no", { reason: "X", retry: "never" }) },
      "drop: refused",
    ],
    ["a server that is busy is asked again when it says", { error: busy }, "again in 30000 ms"],
    [
      "a conflict is tried again",
      { verb: "patch", error: newConflict(place, "e", { detail: "x" }) },
      "again in 10000 ms",
    ],
    [
      "a broken server may have made it",
      { error: newInternalError(new Error("broken")) },
      "again in 10000 ms, may exist",
    ],
    [
      "a server that is away is asked again",
      { verb: "patch", error: newServiceUnavailable("away") },
      "again in 10000 ms",
    ],
    ["a server out of time may have made it", { error: newTimeout("slow") }, "again in 10000 ms, may exist"],
    ["a lost answer may have been a good one", { error: lost("maybe") }, "again in 10000 ms, may exist"],
    ["what was never sent was never made", { error: lost("no") }, "again in 10000 ms"],
    ["what may exist may still exist", { error: lost("no"), mayExist: true }, "again in 10000 ms, may exist"],
    [
      "no answer in time may have been a good one",
      { error: new TimeoutError("it", 1) },
      "again in 10000 ms, may exist",
    ],
    ["whatever else happens is tried again", { error: new Error("weird") }, "again in 10000 ms, may exist"],
    ["the first wait is a random part", { verb: "patch", error: lost("no"), tries: 0 }, "again in 5000 ms"],
    ["the eleventh try is not the last", { verb: "patch", error: lost("no"), tries: 10 }, "again in 10000 ms"],
    ["the twelfth is", { error: lost("no"), tries: 11 }, "drop: unreachable"],
    ["who stops does not wait", { error: lost("no"), isStopping: true }, "drop: stopped"],
    [
      "who stops still does what needs no waiting",
      { verb: "patch", error: newNotFound(place, "e"), isStopping: true },
      "create at once",
    ],
    [
      "the last try is not followed by another kind",
      { verb: "patch", error: newNotFound(place, "e"), tries: 11 },
      "drop: refused",
    ],
  ])("%s", (_, attempted, expected) => {
    expect(decide(attempted)).toBe(expected);
  });
});
