import { pods } from "@kubeloop/core/resources";
import { plainSnapshot } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { Collector, named, referenceTo, served } from "./collector.fixture.ts";
import { observeItem, observeOwner } from "./observe.ts";

const owner = named("v1", "Pod", "shop/owner", {
  uid: "owner",
  deletionTimestamp: "2030-01-01T00:00:00Z",
  finalizers: ["foregroundDeletion"],
});
const child = named("v1", "Pod", "shop/child", { uid: "child" });
const blocking = {
  ...child,
  metadata: { ...child.metadata, ownerReferences: [referenceTo(owner, { blockOwnerDeletion: true })] },
};
const { graph } = new Collector().show(
  owner,
  blocking,
  named("v1", "Pod", "shop/lost", { uid: "lost", owners: [named("v1", "Pod", "shop/never", { uid: "never" })] }),
);
const view = { snapshot: plainSnapshot([], { served }), model: graph, nowMs: 0 };

test.each([
  ["a uid that the graph does not have", "nobody"],
  ["an object that was virtual and is not any more", "virtual owner"],
])("%s is nothing to look at", (_, key) => expect(observeItem(key, view)).toBeUndefined());

test("before discovery has answered there is nothing to look at", () => {
  expect(observeItem("owner", { ...view, snapshot: plainSnapshot([]) })).toBeUndefined();
});

test("a virtual node is seen under both keys", () => {
  expect([observeItem("virtual never", view)?.node.isVirtual, observeItem("never", view)?.node.isVirtual]).toEqual([
    true,
    true,
  ]);
});

test("an owner is seen with what depends on it", () => {
  expect(observeItem("owner", view)).toMatchObject({ hasDependents: true, isBlocked: true });
  expect(observeItem("owner", view)?.mayBeCircle()).toBe(false);
  expect(observeOwner("owner", view)?.dependents.map(({ identity }) => identity.name)).toEqual(["child"]);
  expect(observeItem("child", view)).toMatchObject({ hasDependents: false, isBlocked: false });
});

test("a dependent that waits for its own dependents may close a circle", () => {
  const circle = new Collector().show(child, {
    ...owner,
    metadata: { ...owner.metadata, ownerReferences: [referenceTo(child)] },
  });
  expect(observeItem("child", { ...view, model: circle.graph })?.mayBeCircle()).toBe(true);
});

test("a kind is served in that very version", () => {
  const observed = observeItem("owner", view);
  expect(observed?.resourceOf({ apiVersion: "v1", kind: "Pod" })).toBe(pods);
  expect(observed?.resourceOf({ apiVersion: "apps/v1beta1", kind: "Deployment" })).toBeUndefined();
});
