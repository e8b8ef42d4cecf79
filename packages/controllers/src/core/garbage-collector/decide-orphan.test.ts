import { defineResource, type KubernetesObject } from "@kubeloop/core/api";
import { actionsOf, type Decision, type Plan } from "@kubeloop/core/contract";
import { configMaps } from "@kubeloop/core/resources";
import { Answers, answered, finishDecision, plainSnapshot, unanswered } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { Collector, named, referenceTo, served } from "./collector.fixture.ts";
import { decideOrphan } from "./decide-orphan.ts";
import { observeOwner } from "./observe.ts";

const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });
const owner = named("v1", "ConfigMap", "shop/owner", {
  uid: "owner",
  deletionTimestamp: "2030-01-01T00:00:00Z",
  finalizers: ["x/y", "orphan"],
});
const other = named("v1", "ConfigMap", "shop/other", { uid: "other" });
const pod = named("v1", "Pod", "shop/pod", { owners: [owner, other] });
const widget = named("example.com/v1", "Widget", "shop/widget", { resourceVersion: "9", owners: [owner, other] });

function decided(found: KubernetesObject | undefined | Error, isWidgetServed = true): Plan {
  const collector = new Collector().show(owner, other, pod);
  collector.graph.absorb({ type: "add", resource: widgets, object: widget, isInitial: false });
  const all = isWidgetServed ? { ...served, resources: [...served.resources, widgets] } : served;
  const observed = observeOwner("owner", {
    snapshot: plainSnapshot([], { served: all }),
    model: collector.graph,
    nowMs: 0,
  });
  if (observed === undefined) throw new Error("the graph lacks the owner");
  const answers = new Answers();
  const decide = (): Decision =>
    finishDecision(decideOrphan(observed, { nowMs: 0, answer: (each) => answers.answer(each) }));
  const first = decide();
  if (first.kind !== "ask") throw new Error("nothing was asked");
  expect(first.questions.map(({ id }) => id)).toEqual(["get metadata of /v1/configmaps shop/owner"]);
  for (const question of first.questions)
    answers.give(question, found instanceof Error ? unanswered(found) : answered(found));
  const decision = decide();
  if (decision.kind !== "plan") throw new Error("no plan");
  return decision;
}

const releasesPod = {
  type: "patch",
  key: "shop/pod",
  patch: { type: "strategic", body: { metadata: { ownerReferences: [{ $patch: "delete", uid: "owner" }] } } },
  preconditions: { uid: "shop/pod" },
  tolerates: ["NotFound"],
};
const releasesWidget = {
  type: "patch",
  key: "shop/widget",
  patch: { type: "merge", body: { metadata: { ownerReferences: [referenceTo(other)] } } },
  preconditions: { uid: "shop/widget", resourceVersion: "9" },
};

test("dependents let go of it first, then it loses its finalizer", () => {
  const plan = decided(owner);
  expect(plan.steps).toMatchObject([
    [releasesPod, releasesWidget],
    [{ type: "edit", resource: configMaps, patch: { metadata: { finalizers: ["x/y"] } }, isLocked: true }],
  ]);
});

test("if it has no such finalizer any more, it is left alone", () => {
  const plan = decided({ ...owner, metadata: { ...owner.metadata, finalizers: ["x/y"] } });
  expect(plan.steps).toMatchObject([[releasesPod, releasesWidget]]);
});

test("if it is gone, or another has its name, its dependents let go of it all the same", () => {
  for (const found of [undefined, { ...owner, metadata: { ...owner.metadata, uid: "new" } }]) {
    expect(decided(found).steps).toMatchObject([[releasesPod, releasesWidget]]);
  }
});

test("if a dependent's kind is not served, the others let go of it, and it is tried again", () => {
  const plan = decided(owner, false);
  expect(actionsOf(plan)).toMatchObject([releasesPod]);
  expect(plan.unfinished?.message).toBe("unable to get REST mapping for example.com/v1/Widget.");
});

test("if it cannot be read, it is tried again", () => {
  expect(decided(new Error("the server is down"))).toMatchObject({
    steps: [],
    unfinished: { message: "the server is down" },
  });
});
