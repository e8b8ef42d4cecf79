import { type KubernetesObject, keyOf } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { pods, replicaSets } from "@kubeloop/core/resources";
import { newPod, newReplicaSet, ownedBy, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { adoptable } from "./adoptable.ts";
import { childrenOf, orphansFor, podsByController } from "./by-controller.ts";

const labels = { app: "web" };
const web = stored(newReplicaSet("shop/web", { spec: { selector: { matchLabels: labels } } }));
const api = stored(newReplicaSet("shop/api", { spec: { selector: { matchLabels: { app: "api" } } } }));
const all = [
  ownedBy(web, newPod("shop/web-1")),
  ownedBy(web, newPod("shop/web-2")),
  ownedBy(api, newPod("shop/api-1")),
  newPod("shop/orphan", { metadata: { labels } }),
  newPod("bank/orphan", { metadata: { labels } }),
];
const isIn = (key: string, ...values: readonly string[]) => ({ key, operator: "In", values });
const snapshot = plainSnapshot([
  [pods, all],
  [replicaSets, [web, api]],
]);

test("children are found by their controller's uid", () => {
  expect(childrenOf(snapshot, podsByController, web).map(keyOf)).toEqual(["shop/web-1", "shop/web-2"]);
});

test("an owner without uid has no children", () => {
  expect(childrenOf(snapshot, podsByController, newReplicaSet("shop/new"))).toEqual([]);
});

test.each([
  ["with a label that its selector requires", { matchLabels: labels }, ["shop/orphan"]],
  [
    "with one of the labels that it requires",
    { matchExpressions: [isIn("app", "api", "web", "web")] },
    ["shop/orphan"],
  ],
  ["and none with other labels", { matchLabels: { app: "api" } }, []],
  ["all of them, if it requires no label", { matchExpressions: [{ key: "app", operator: "Exists" }] }, ["shop/orphan"]],
  ["and none without a selector", undefined, []],
])("orphans are those of the owner's namespace, %s", (_name, selector, keys) => {
  expect(orphansFor(snapshot, podsByController, web, selector).map(keyOf)).toEqual(keys);
});

test("other orphans are not even looked at", () => {
  const values = all.map((pod) => podsByController.valuesOf(pod));
  expect(values.slice(3)).toEqual([
    ["orphan shop ", "orphan shop app=web"],
    ["orphan bank ", "orphan bank app=web"],
  ]);
});

const watch = adoptable(pods, replicaSets, ({ spec }) => spec?.selector);
const woken = (object: KubernetesObject, sets: readonly KubernetesObject[] = [web, api]) =>
  watch.keysOf(
    { type: "add", object, isInitial: false, resource: pods } as Change,
    plainSnapshot([[replicaSets, sets]]),
  );
const orphan = newPod("shop/p", { metadata: { labels } });

test.each([
  ["the owners in its namespace whose selector matches", orphan, [web, api], ["shop/web"]],
  ["nobody in other namespaces", newPod("bank/p", { metadata: { labels } }), [web, api], []],
  ["nobody, if it has a controller", ownedBy(api, orphan), [web, api], []],
  [
    "nobody with an empty selector",
    orphan,
    [newReplicaSet("shop/all", { spec: { selector: { matchLabels: undefined } } })],
    [],
  ],
  ["nobody without selector", orphan, [newReplicaSet("shop/none", { spec: { selector: undefined } })], []],
])("an orphan wakes %s", (_name, pod, sets, keys) => expect(woken(pod, sets)).toEqual(keys));

test("an orphan that changes its labels wakes the owners of both", () => {
  const after = newPod("shop/p", { metadata: { labels: { app: "api" } } });
  const change = { type: "update", before: orphan, object: after, resource: pods } as Change;
  expect(watch.keysOf(change, snapshot)).toEqual(["shop/web", "shop/api"]);
});

test("an orphan that is gone wakes nobody", () => {
  expect(watch.when?.({ type: "delete", object: orphan, resource: pods }, snapshot)).toBe(false);
});
