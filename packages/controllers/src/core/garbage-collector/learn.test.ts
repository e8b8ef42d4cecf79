import { newConflict, StatusError } from "@kubeloop/core/api";
import { type ActionResult, Outcome, plan, remove } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { outcomeOf, plainSnapshot } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { Collector, named, served } from "./collector.fixture.ts";
import type { Findings } from "./decide.ts";
import { learnFromItem, learnFromOwner } from "./learn.ts";
import { observeItem, observeOwner } from "./observe.ts";
import { removeOwners } from "./owner-patches.ts";

const owner = named("v1", "Pod", "shop/owner", { uid: "owner" });
const child = named("v1", "Pod", "shop/child", { uid: "child", owners: [owner] });
const context = { nowMs: 0, answer: () => undefined };

function learn(notes: Findings, result?: ActionResult, key = "owner") {
  const { graph } = new Collector().show(...(key === "owner" ? [owner, child] : [child]));
  const seen = observeItem(key, { snapshot: plainSnapshot([], { served }), model: graph, nowMs: 0 });
  if (seen === undefined) throw new Error("not in the graph");
  const deletion = remove(pods, "shop/owner", { tolerates: ["NotFound"] });
  const outcome = outcomeOf(plan("try", result === undefined ? [] : [[deletion]], { notes }), () => result);
  return { graph, wakes: learnFromItem(graph, seen, { ...context, outcome }) };
}

test("an object that is gone leaves the graph, and its dependents are looked at", () => {
  const { graph, wakes } = learn({ isGone: true });
  expect([graph.get("owner"), wakes]).toEqual([undefined, ["child"]]);
});

test("so does one that was gone when it was to be deleted", () => {
  const { graph, wakes } = learn({}, { status: "tolerated", error: new Error("not found") });
  expect([graph.get("owner"), wakes]).toEqual([undefined, ["child"]]);
});

test("one that was deleted leaves the graph when a watch says so", () => {
  const { graph, wakes } = learn({}, { status: "done", value: undefined });
  expect([graph.get("owner")?.isVirtual, wakes]).toEqual([false, []]);
});

test("absent owners are remembered", () => {
  const identity = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "x", uid: "x" };
  expect(learn({ absentOwners: [identity] }).graph.absentOwners.has(identity)).toBe(true);
});

test("a deletion that was refused as a conflict is remembered with its owners; another failure is not", () => {
  const conflict = newConflict({ group: "", resource: "pods" }, "owner", { detail: "changed" });
  expect(learn({ owners: "[]" }, { status: "failed", error: conflict }).graph.refusedOwnersOf("owner")).toBe("[]");
  const failed = learn({ owners: "[]" }, { status: "failed", error: new Error("down") });
  expect(failed.graph.refusedOwnersOf("owner")).toBeUndefined();
});

test("a virtual node that was seen counts how often", () => {
  expect(learn({ isSeen: true }, undefined, "virtual owner").graph.get("owner")?.looks).toBe(1);
});

test("a server that refuses strategic patches is sent others", () => {
  const { graph } = new Collector().show(owner, child);
  const view = { snapshot: plainSnapshot([], { served }), model: graph, nowMs: 0 };
  const seen = observeOwner("owner", view);
  const node = graph.get("child");
  if (seen === undefined || node === undefined) throw new Error("not in the graph");
  const action = removeOwners(pods, node, { uids: new Set(["owner"]), takesStrategicPatch: () => true });
  const refusal = new StatusError({
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    code: 415,
    reason: "UnsupportedMediaType",
    message: "no",
  });
  const outcome = new Outcome(plan("try", [[action]]), [[action, { status: "failed", error: refusal }]]);
  learnFromOwner(graph, seen, { ...context, outcome });
  expect(graph.takesStrategicPatch(pods)).toBe(false);
});
