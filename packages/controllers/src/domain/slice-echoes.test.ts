import type { discoveryv1 } from "@kubeloop/core/api";
import { type Action, type ActionResult, type Change, Outcome, plan } from "@kubeloop/core/contract";
import { endpointSlices, pods } from "@kubeloop/core/resources";
import { newPod, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { sliceActions } from "./endpoint-slices.ts";
import { SliceEchoes } from "./slice-echoes.ts";

const mine = { "kubernetes.io/service-name": "web", "endpointslice.kubernetes.io/managed-by": "me" };
const slice = (generation: number, labels: object = mine, uid = "a") =>
  ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "shop", name: uid, uid, generation, labels },
    addressType: "IPv4",
  }) as discoveryv1.EndpointSlice;

const added = (object: discoveryv1.EndpointSlice): Change => ({
  type: "add",
  resource: endpointSlices,
  object,
  isInitial: false,
});
const updated = (object: discoveryv1.EndpointSlice, before = slice(1)): Change => ({
  type: "update",
  resource: endpointSlices,
  before,
  object,
});
const deleted = (object: discoveryv1.EndpointSlice): Change => ({ type: "delete", resource: endpointSlices, object });

const edit = (before: discoveryv1.EndpointSlice) =>
  sliceActions({
    create: [],
    update: [{ before, after: { ...before, ports: [{ port: 1 }] } }],
    remove: [],
  })[0] as Action;
const removal = (object: discoveryv1.EndpointSlice) =>
  sliceActions({ create: [], update: [], remove: [object] })[0] as Action;
const outcome = (...results: readonly (readonly [Action, ActionResult])[]) =>
  new Outcome(plan("", [results.map(([action]) => action)]), new Map(results));
const done = (value: unknown): ActionResult => ({ status: "done", value });

/** A controller that has written the slice at this generation. */
function wrote(generation: number) {
  const echoes = new SliceEchoes("me");
  echoes.begin("shop/web");
  echoes.end("shop/web", outcome([edit(slice(generation - 1)), done(slice(generation))]));
  return echoes;
}

describe("a change is somebody else's", () => {
  for (const [what, change, expected] of [
    ["if the slice is newer than what was written", updated(slice(3)), ["shop/web"]],
    ["if the slice was never written", added(slice(1, mine, "b")), ["shop/web"]],
    ["if the slice is deleted", deleted(slice(2)), ["shop/web"]],
    [
      "if another manager takes it",
      updated(slice(2, { ...mine, "endpointslice.kubernetes.io/managed-by": "you" })),
      ["shop/web"],
    ],
    [
      "if it is given to another Service: both are meant",
      updated(slice(2, { ...mine, "kubernetes.io/service-name": "api" })),
      ["shop/web", "shop/api"],
    ],
    ["if it comes from another manager", updated(slice(2), slice(1, {})), ["shop/web"]],
    ["and not if it is what was written", updated(slice(2)), []],
    ["and not if it is what was written before that", updated(slice(1)), []],
    ["and not if only its annotations changed", updated(slice(2), slice(2)), []],
    ["and not if another manager's slice changes", updated(slice(9, {}), slice(8, {})), []],
    ["and not if the slice names no Service", added(slice(1, { "endpointslice.kubernetes.io/managed-by": "me" })), []],
    [
      "and not of another resource",
      { type: "add", resource: pods, object: stored(newPod("shop/p")), isInitial: false },
      [],
    ],
  ] as const) {
    test(what, () => expect(wrote(2).absorb(change as Change)).toEqual(expected));
  }
});

test.each<[string, ActionResult]>([
  ["is seen once", done(undefined)],
  ["that finds the slice gone is seen once, too", { status: "tolerated", error: new Error("not found") }],
])("a delete of its own %s", (_what, result) => {
  const echoes = new SliceEchoes("me");
  echoes.begin("shop/web");
  echoes.end("shop/web", outcome([removal(slice(2)), result]));
  expect(echoes.absorb(deleted(slice(2)))).toEqual([]);
  expect(echoes.absorb(deleted(slice(2)))).toEqual(["shop/web"]);
});

describe("while a plan is carried out, changes wait for its answers:", () => {
  const ended = (change: Change, result: ActionResult) => {
    const echoes = new SliceEchoes("me");
    echoes.begin("shop/web");
    expect(echoes.absorb(change)).toEqual([]);
    return echoes.end("shop/web", outcome([edit(slice(1)), result]));
  };
  const lost: ActionResult = { status: "failed", error: new Error("lost"), isUnknown: true };
  for (const [what, change, result, expected] of [
    ["its own are explained", updated(slice(2)), done(slice(2)), false],
    ["a newer one is not", updated(slice(3)), done(slice(2)), true],
    ["another slice is not", added(slice(1, mine, "b")), done(slice(2)), true],
    ["one whose answer was lost is not", updated(slice(2)), lost, true],
  ] as const) {
    test(what, () => expect(ended(change, result)).toBe(expected));
  }
});

test("what is forgotten is somebody else's", () => {
  const echoes = wrote(2);
  echoes.forget("shop/web");
  expect(echoes.absorb(updated(slice(2)))).toEqual(["shop/web"]);
});
