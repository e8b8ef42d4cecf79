import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import {
  newAlreadyExists,
  newConflict,
  newForbidden,
  newInternalError,
  newNotFound,
  newTooManyRequests,
  TransportError,
} from "../api/index.ts";
import { KubeloopError, TimeoutError } from "../base/index.ts";
import {
  type Action,
  type ActionResult,
  create,
  createSubresource,
  patch,
  recordEvent,
  remove,
  removeCollection,
} from "../contract/index.ts";
import { expectedAfter, isAnswerLost } from "./expected-writes.ts";
import {
  cacheOf,
  deletionTimestamp,
  done,
  failed,
  generated,
  lost,
  lostAnswer,
  lostGenerated,
  pod,
  removed,
  written,
} from "./own-writes.fixture.ts";
import type { ScopedCache } from "./settle-writes.ts";
import type { Expected } from "./sightings.ts";

const place = { group: "", resource: "pods" };

describe("whether an answer was lost", () => {
  for (const [name, error, expected] of [
    ["a connection that broke may have carried it", lostAnswer, true],
    [
      "one that was never made did not",
      new TransportError("refused", { reason: "ConnectionRefused", wasSent: "no" }),
      false,
    ],
    ["time that ran out says nothing", new TimeoutError("create", 5), true],
    ["a server that fails may have stored it", newInternalError(new Error("etcd")), true],
    ["a conflict stored nothing", newConflict(place, "a", { detail: "" }), false],
    ["a refusal stored nothing", newForbidden(place, "a", { detail: "" }), false],
    ["too many requests stored nothing", newTooManyRequests("busy", { retryAfterSeconds: 1 }), false],
    ["what was never sent stored nothing", new KubeloopError("no", { reason: "Undeclared" }), false],
  ] as const) {
    test(name, () => expect(isAnswerLost(error)).toBe(expected));
  }
});

describe("what must be seen after", () => {
  const nothing = cacheOf([]);
  const holding = cacheOf([pod("a")]);
  const named = create(pods, pod("a"));
  for (const [name, action, result, cache, expected] of [
    ["a create: the version it got", named, done(pod("a", { resourceVersion: "9" })), nothing, [written("9")]],
    [
      "a create under a name of the server's: that name",
      generated(),
      done(pod("a", { resourceVersion: "9" })),
      nothing,
      [written("9")],
    ],
    [
      "a patch: the version it left",
      patch(pods, "shop/a", { type: "merge", body: {} }),
      done(pod("a", { resourceVersion: "9" })),
      holding,
      [written("9")],
    ],
    [
      "a delete answered with a Status: that it is gone",
      remove(pods, "shop/a"),
      done({ kind: "Status", details: { uid: "uid-a" } }),
      holding,
      [removed()],
    ],
    [
      "a delete answered with the object as it was: that it is gone, as of when",
      remove(pods, "shop/a"),
      done(pod("a", { resourceVersion: "9" })),
      holding,
      [removed({ version: "9" })],
    ],
    [
      "a delete that finalizers hold up: that it is marked",
      remove(pods, "shop/a"),
      done(pod("a", { resourceVersion: "9", deletionTimestamp, finalizers: ["x/y"] })),
      holding,
      [removed({ removal: "marked", version: "9" })],
    ],
    [
      "a delete of a namespace, whose spec has the finalizers: the same",
      remove(pods, "shop/a"),
      done({ ...pod("a", { resourceVersion: "9", deletionTimestamp }), spec: { finalizers: ["kubernetes"] } }),
      holding,
      [removed({ removal: "marked", version: "9" })],
    ],
    [
      "a delete with a grace period: the same",
      remove(pods, "shop/a"),
      done(pod("a", { resourceVersion: "9", deletionTimestamp, deletionGracePeriodSeconds: 30 })),
      holding,
      [removed({ removal: "marked", version: "9" })],
    ],
    [
      "the end of a grace period: that it is gone, although it is answered as it was",
      remove(pods, "shop/a", { gracePeriodSeconds: 0 }),
      done(pod("a", { resourceVersion: "9", deletionTimestamp, deletionGracePeriodSeconds: 30 })),
      holding,
      [removed({ version: "9" })],
    ],
    [
      "a delete that leaves open which: one or the other",
      remove(pods, "shop/a"),
      done(pod("a", { resourceVersion: "9", deletionTimestamp })),
      holding,
      [removed({ removal: "gone or marked", version: "9" })],
    ],
    [
      "a delete of what the cache had not seen: as of when",
      remove(pods, "shop/a"),
      done(pod("a", { resourceVersion: "9" })),
      nothing,
      [removed({ version: "9", wasCached: false })],
    ],
    [
      "a delete of what the cache had not seen, of one version only: not before that",
      remove(pods, "shop/a", { preconditions: { resourceVersion: "8" } }),
      done({ kind: "Status", details: { uid: "uid-a" } }),
      nothing,
      [removed({ version: "8", wasCached: false })],
    ],
    [
      "a patch that takes the last finalizer of what is deleted: that it is gone",
      patch(pods, "shop/a", { type: "merge", body: {} }),
      done(pod("a", { deletionTimestamp, deletionGracePeriodSeconds: 0 })),
      holding,
      [removed({ version: "5" })],
    ],
    [
      "a patch of what is deleted and held by others: the version it left",
      patch(pods, "shop/a", { type: "merge", body: {} }),
      done(pod("a", { resourceVersion: "9", deletionTimestamp, finalizers: ["x/y"] })),
      holding,
      [written("9")],
    ],
    [
      "an eviction: that it is gone or marked",
      createSubresource(pods, "shop/a", "eviction", { body: {} }),
      done({ kind: "Status" }),
      holding,
      [removed({ removal: "gone or marked" })],
    ],
    [
      "an answer without a version: what is there",
      createSubresource(pods, "shop/a", "binding", { body: {} }),
      done({ kind: "Status" }),
      holding,
      [lost],
    ],
    [
      "a delete of what is gone already: that the cache lets go",
      remove(pods, "shop/a"),
      failed(newNotFound(place, "a")),
      holding,
      [removed({ removal: "found gone" })],
    ],
    [
      "a patch of what is gone: the same",
      patch(pods, "shop/a", { type: "merge", body: {} }),
      failed(newNotFound(place, "a")),
      holding,
      [removed({ removal: "found gone" })],
    ],
    ["a create of what is there already: what is there", named, failed(newAlreadyExists(place, "a")), nothing, [lost]],
    [
      "a conflict: nothing, nothing was written",
      patch(pods, "shop/a", { type: "merge", body: {} }),
      failed(newConflict(place, "a", { detail: "" })),
      holding,
      [],
    ],
    ["a refusal: nothing", named, failed(newForbidden(place, "a", { detail: "" })), nothing, []],
    ["a lost create: whatever is there under its name", named, failed(lostAnswer), nothing, [lost]],
    [
      "a lost create under a name of the server's: whatever its owner has with its labels",
      generated({ labels: { app: "web" } }),
      failed(lostAnswer),
      nothing,
      [lostGenerated({ labels: { app: "web" } })],
    ],
    [
      "a delete of many: that what the cache has of them is gone",
      removeCollection(pods, { namespace: "shop" }),
      done(undefined),
      holding,
      [removed({ removal: "gone or marked" })],
    ],
    [
      "a delete of many elsewhere: nothing",
      removeCollection(pods, { namespace: "other" }),
      done(undefined),
      holding,
      [],
    ],
    ["what was skipped: nothing", named, { status: "skipped" }, nothing, []],
    [
      "an event: nothing",
      recordEvent(pod("a"), { type: "Normal", reason: "R", message: "" }),
      done(undefined),
      nothing,
      [],
    ],
  ] as [string, Action, ActionResult, ScopedCache, Expected[]][]) {
    test(name, () => expect(expectedAfter(action, result, cache)).toEqual(expected));
  }
});
