import { configMaps, namespaces } from "@kubeloop/core/resources";
import { newConfigMap, newNamespace, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { observe } from "./observe.ts";

const shop = stored(newNamespace("shop"));
const bank = stored(newNamespace("bank"));
const published = stored(newConfigMap("shop/kube-root-ca.crt"));
const other = stored(newConfigMap("bank/other"));
const snapshot = plainSnapshot([
  [namespaces, [shop, bank]],
  [configMaps, [published, other]],
]);

test.each([
  ["a key without a namespace is nothing to look at", "none", undefined],
  ["it sees the namespace and its ConfigMap", "shop", { namespace: shop, published }],
  ["ConfigMaps of another name or namespace do not count", "bank", { namespace: bank, published: undefined }],
])("%s", (_fact, key, expected) => {
  expect(observe(key, { snapshot, model: undefined, nowMs: 0 })).toEqual(expected);
});
