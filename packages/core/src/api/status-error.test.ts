// The facts file holds the Status objects Kubernetes 1.36 builds, as they go over the wire.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { KubeloopError } from "../base/errors.ts";
import {
  childPath,
  duplicateFault,
  type Fault,
  fieldPath,
  forbiddenFault,
  internalFault,
  invalidFault,
  itemPath,
  notFoundFault,
  notSupportedFault,
  printPath,
  requiredFault,
  tooFewFault,
  tooLongCharactersFault,
  tooLongFault,
  tooManyFault,
  tooShortFault,
  typeInvalidFault,
} from "./field-errors.ts";
import { newGenericServerResponse } from "./generic-status.ts";
import {
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newExpired,
  newForbidden,
  newGenerateNameConflict,
  newGone,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotFound,
  newRequestEntityTooLarge,
  newServerTimeout,
  newServiceUnavailable,
  newStatusError,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnauthorized,
} from "./new-status-error.ts";
import * as status from "./status-error.ts";

interface GenericFact {
  readonly code: number;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly msg: string;
  readonly retry: number;
  readonly unexpected: boolean;
}
interface Facts {
  readonly constructors: readonly [string, object][];
  readonly generic: readonly [GenericFact, object][];
}
const facts: Facts = JSON.parse(readFileSync(new URL("./status.facts.json", import.meta.url), "utf8"));

const pods = { group: "", resource: "pods" };
const deployments = { group: "apps", resource: "deployments" };
const modified = { detail: "the object has been modified" };
const container = itemPath(fieldPath("spec", "containers"), 0);
const image = childPath(container, "image");
const faults: Fault[] = [
  invalidFault(childPath(container, "name"), "A b", "must be small"),
  requiredFault(image),
  requiredFault(image, "needed"),
  duplicateFault(itemPath(childPath(container, "env"), "a"), "v"),
  notSupportedFault(fieldPath("x"), "q", ["a", "b"]),
  notSupportedFault(fieldPath("x"), "q", []),
  forbiddenFault(fieldPath("metadata"), "no"),
  tooLongFault(container, 10),
  tooLongFault(container, 1),
  tooLongCharactersFault(container, 3),
  tooManyFault(container, 5, 3),
  tooManyFault(container, -1, 1),
  tooFewFault(container, 0, 1),
  tooShortFault(container, 2),
  internalFault(container, new Error("boom")),
  typeInvalidFault(container, { a: "<b>" }, "wrong"),
  invalidFault(undefined, 5, "d"),
  invalidFault(container, true, ""),
  invalidFault(container, null, "n"),
  notFoundFault(container, "gone"),
  requiredFault(image),
  invalidFault(container, ["a", "b"], "l"),
];
const kind = { group: "apps", kind: "Deployment" };

const built: Readonly<Record<string, status.StatusError>> = {
  notFound: newNotFound(pods, "x"),
  notFoundApps: newNotFound(deployments, 'a"b'),
  exists: newAlreadyExists(deployments, "x"),
  generate: newGenerateNameConflict(pods, "x-abc", { retryAfterSeconds: 1 }),
  unauthorized: newUnauthorized(""),
  forbidden: newForbidden(deployments, "x", modified),
  forbiddenNoName: newForbidden(deployments, "", modified),
  forbiddenNothing: newForbidden({ group: "", resource: "" }, "", modified),
  conflict: newConflict(deployments, "x", modified),
  applyConflict: newApplyConflict("msg", [{ reason: "FieldManagerConflict", message: "m", field: ".spec" }]),
  gone: newGone("g"),
  expired: newExpired("e"),
  invalid: newInvalid(kind, "x", { faults }),
  invalidOne: newInvalid({ group: "", kind: "Pod" }, "x", { faults: faults.slice(0, 1) }),
  invalidNone: newInvalid(kind, "x", { faults: [] }),
  bad: newBadRequest("b"),
  tooMany: newTooManyRequests("t", { retryAfterSeconds: 3 }),
  tooManyNoRetry: newTooManyRequests("t"),
  unavailable: newServiceUnavailable("u"),
  method: newMethodNotSupported(deployments, "delete"),
  serverTimeout: newServerTimeout(deployments, "list", { retryAfterSeconds: 2 }),
  internal: newInternalError(new Error("the object has been modified")),
  timeout: newTimeout("slow", { retryAfterSeconds: 1 }),
  tooLarge: newRequestEntityTooLarge("limit is 3"),
};

test.each(facts.constructors)("%s has Kubernetes' Status", (name, expected) => {
  expect(built[name]?.status).toEqual(expected);
});

test.each(facts.generic)("an answer without a Status: %j", (given, expected) => {
  const error = newGenericServerResponse({
    code: given.code,
    method: given.verb,
    resource: { group: given.group, resource: given.resource },
    name: given.name,
    serverMessage: given.msg,
    retryAfterSeconds: given.retry,
    isUnexpected: given.unexpected,
  });
  expect(error.status).toEqual(expected);
  expect(status.isUnexpectedServerError(error)).toBe(given.unexpected);
});

describe("predicates", () => {
  const unknownReason = (code: number) => newStatusError({ code, reason: "", message: "" });
  for (const [name, predicate, error] of [
    ["isNotFound", status.isNotFound, newNotFound(pods, "x")],
    ["isNotFound by code", status.isNotFound, unknownReason(404)],
    ["isAlreadyExists", status.isAlreadyExists, newAlreadyExists(pods, "x")],
    ["isConflict", status.isConflict, newConflict(pods, "x", modified)],
    ["isConflict by code", status.isConflict, unknownReason(409)],
    ["isInvalid", status.isInvalid, newInvalid(kind, "x", { faults })],
    ["isGone", status.isGone, newGone("g")],
    ["isExpired", status.isExpired, newExpired("e")],
    ["isResourceExpired", status.isResourceExpired, newExpired("e")],
    ["isResourceExpired for Gone", status.isResourceExpired, newGone("g")],
    ["isNotAcceptable", status.isNotAcceptable, newGenericServerResponse({ code: 406, method: "GET" })],
    ["isUnsupportedMediaType", status.isUnsupportedMediaType, newGenericServerResponse({ code: 415, method: "GET" })],
    ["isMethodNotSupported", status.isMethodNotSupported, newMethodNotSupported(pods, "x")],
    ["isServiceUnavailable", status.isServiceUnavailable, newServiceUnavailable("u")],
    ["isBadRequest", status.isBadRequest, newBadRequest("b")],
    ["isUnauthorized", status.isUnauthorized, newUnauthorized()],
    ["isForbidden", status.isForbidden, newForbidden(pods, "x", modified)],
    ["isTimeout", status.isTimeout, newTimeout("t")],
    ["isServerTimeout", status.isServerTimeout, newServerTimeout(pods, "get", { retryAfterSeconds: 0 })],
    ["isInternalError", status.isInternalError, newInternalError(new Error("x"))],
    ["isTooManyRequests", status.isTooManyRequests, newTooManyRequests("t")],
    [
      "isTooManyRequests by code",
      status.isTooManyRequests,
      newStatusError({ code: 429, reason: "Conflict", message: "" }),
    ],
    ["isRequestEntityTooLarge", status.isRequestEntityTooLarge, newRequestEntityTooLarge("x")],
    [
      "isTooLargeResourceVersion",
      status.isTooLargeResourceVersion,
      newTooLargeResourceVersion("9", "5", { retryAfterSeconds: 1 }),
    ],
    [
      "isTooLargeResourceVersion by words",
      status.isTooLargeResourceVersion,
      newTimeout("Too large resource version: 9"),
    ],
  ] as const) {
    test(name, () => {
      expect(predicate(error)).toBe(true);
      expect(predicate(new KubeloopError("wrapped", { reason: "Sync", cause: error }))).toBe(true);
      expect(predicate(newStatusError({ code: 418, reason: "", message: "" }))).toBe(false);
      expect(predicate(new Error("x"))).toBe(false);
      expect(predicate(undefined)).toBe(false);
    });
  }
  test("a known reason wins over the code", () => {
    expect(status.isConflict(newAlreadyExists(pods, "x"))).toBe(false);
    expect(status.isGone(newExpired("e"))).toBe(false);
  });
  test("a ring of causes ends", () => {
    const ring = new Error("a");
    ring.cause = ring;
    expect(status.isNotFound(ring)).toBe(false);
  });
});

test("how long to wait", () => {
  expect(status.retryAfterMs(newTooManyRequests("t", { retryAfterSeconds: 3 }))).toBe(3000);
  expect(status.retryAfterMs(newServerTimeout(pods, "get", { retryAfterSeconds: 0 }))).toBe(0);
  expect(status.retryAfterMs(newNotFound(pods, "x"))).toBeUndefined();
  expect(status.retryAfterMs(new Error("x"))).toBeUndefined();
});

test("what is refused for what it is need not be tried again", () => {
  expect(newBadRequest("b").retry).toBe("never");
  expect(newConflict(pods, "x", modified).retry).toBe("backoff");
});

test("reads a Status, and nothing else, from JSON", () => {
  const json = { kind: "Status", apiVersion: "v1", metadata: {}, code: 404 };
  expect(status.decodeStatus(json)).toBe(json);
  for (const other of [
    null,
    { kind: "Pod", apiVersion: "v1" },
    { ...json, apiVersion: "v2" },
    { ...json, code: "404" },
    { ...json, details: [] },
    { ...json, details: { causes: {} } },
  ]) {
    expect(status.decodeStatus(other)).toBeUndefined();
  }
});

test("paths", () => {
  expect(printPath(undefined)).toBe("<nil>");
  expect(printPath(itemPath(fieldPath("metadata", "labels"), "app"))).toBe("metadata.labels[app]");
  expect(printPath(childPath(itemPath(fieldPath("a"), 3), "b", "c"))).toBe("a[3].b.c");
});
