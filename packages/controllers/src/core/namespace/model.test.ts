import { newMethodNotSupported, newNotFound } from "@kubeloop/core/api";
import { type Action, type ActionResult, plan, remove, removeCollection } from "@kubeloop/core/contract";
import { configMaps, namespaces, pods } from "@kubeloop/core/resources";
import { newNamespace, outcomeOf, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { absorb, DeletionAttempts, learn } from "./model.ts";

const configMapsName = { group: "", resource: "configmaps" };
const shop = stored(newNamespace("shop"));
const collection = removeCollection(configMaps, { namespace: "shop" });
const [one, other] = ["a", "b"].map((name) => remove(configMaps, `shop/${name}`)) as [Action, Action];
const context = { nowMs: 0, answer: () => undefined };

function learned(actions: readonly Action[], resultOf: (action: Action) => ActionResult | undefined = () => undefined) {
  const model = new DeletionAttempts();
  learn(
    model,
    { name: "shop", attempts: model.of(shop) },
    { ...context, outcome: outcomeOf(plan("x", [actions]), resultOf) },
  );
  return model;
}
const failed: ActionResult = { status: "failed", error: new Error("no") };
const tolerated = (error: Error): ActionResult => ({ status: "tolerated", error });
const done: ActionResult = { status: "done", value: undefined };

describe("what was tried", () => {
  for (const [name, actions, resultOf, isTried, isOneByOne] of [
    ["nothing, at first", [], () => done, false, false],
    ["a collection that was deleted", [collection], () => done, true, false],
    ["not a collection that failed", [collection], () => failed, false, false],
    ["not one that was never sent", [collection], () => ({ status: "skipped" }), false, false],
    [
      "not one that is not found: one by one",
      [collection],
      () => tolerated(newNotFound(configMapsName, "")),
      false,
      true,
    ],
    [
      "not one that is not served: one by one",
      [collection],
      () => tolerated(newMethodNotSupported(configMapsName, "x")),
      false,
      true,
    ],
    ["objects that were deleted one by one", [one, other], () => done, true, false],
    ["objects that were gone", [one, other], () => tolerated(newNotFound(configMapsName, "a")), true, false],
    ["not objects of which one failed", [one, other], (action) => (action === other ? failed : done), false, false],
    ["not objects of which the first failed", [one, other], (action) => (action === one ? failed : done), false, false],
  ] satisfies readonly (readonly [string, readonly Action[], (action: Action) => ActionResult, boolean, boolean])[]) {
    test(name, () => {
      const attempts = learned(actions, resultOf).of(shop);
      expect([attempts.isTried(configMaps), attempts.isOneByOne(configMaps)]).toEqual([isTried, isOneByOne]);
      expect(attempts.isTried(pods)).toBe(false);
    });
  }
});

describe("what was tried is forgotten", () => {
  test("with the namespace", () => {
    const model = learned([collection]);
    absorb(model, { type: "delete", resource: namespaces, object: shop });
    expect([model.size, model.of(shop).isTried(configMaps)]).toEqual([0, false]);
  });

  test("when the namespace is made anew", () => {
    const model = learned([collection]);
    expect(model.of(stored({ ...shop, metadata: { ...shop.metadata, uid: "another" } })).isTried(configMaps)).toBe(
      false,
    );
  });

  test("not when it only changes", () => {
    const model = learned([collection]);
    absorb(model, { type: "update", resource: namespaces, before: shop, object: shop });
    expect(model.of(shop).isTried(configMaps)).toBe(true);
  });
});

test("a namespace in which nothing was deleted takes no memory", () => {
  const model = new DeletionAttempts();
  model.of(shop);
  expect(model.size).toBe(0);
});
