import { namespaces, serviceAccounts } from "@kubeloop/core/resources";
import { newNamespace, newObject, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newObserve } from "./observe.ts";

const shop = stored(newNamespace("shop"));
const accounts = (...keys: readonly string[]) => keys.map((key) => stored(newObject(serviceAccounts, key)));
const missing = (key: string, existing: readonly string[]) => {
  const snapshot = plainSnapshot([
    [namespaces, [shop]],
    [serviceAccounts, accounts(...existing)],
  ]);
  return newObserve(["default", "managed"])(key, { snapshot, model: undefined, nowMs: 0 })?.missing;
};

test.each([
  ["a key without a namespace is nothing to look at", "bank", ["bank/default"], undefined],
  ["without accounts all are missing, in the order of the settings", "shop", [], ["default", "managed"]],
  ["one that is there is not missing", "shop", ["shop/default"], ["managed"]],
  ["the order is kept when the first is there", "shop", ["shop/managed"], ["default"]],
  ["with all of them none is missing", "shop", ["shop/default", "shop/managed"], []],
  ["accounts of another namespace do not count", "shop", ["bank/default", "bank/managed"], ["default", "managed"]],
  ["accounts of another name do not count", "shop", ["shop/other"], ["default", "managed"]],
])("%s", (_fact, key, existing, expected) => expect(missing(key, existing)).toEqual(expected));

test("it gives the namespace as it is cached", () => {
  const snapshot = plainSnapshot([
    [namespaces, [shop]],
    [serviceAccounts, []],
  ]);
  expect(newObserve([])("shop", { snapshot, model: undefined, nowMs: 0 })?.namespace).toBe(shop);
});
