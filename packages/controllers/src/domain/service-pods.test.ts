import type { corev1 } from "@kubeloop/core/api";
import type { Change, Index, Snapshot } from "@kubeloop/core/contract";
import { pods, services } from "@kubeloop/core/resources";
import { newPod, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { podsOfService, selectorOfService, servicesOfPod, servicesOfPods } from "./service-pods.ts";

type Labels = Readonly<Record<string, string>>;

const service = (key: string, selector: Labels | undefined): corev1.Service => {
  const [namespace = "", name = ""] = key.split("/");
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace, name },
    spec: selector === undefined ? {} : { selector },
  };
};
const pod = (labels: Labels, more: Partial<corev1.PodStatus> = {}, metadata: object = {}): corev1.Pod =>
  stored(newPod("shop/p", { metadata: { labels, ...metadata }, status: { phase: "Running", ...more } }));

const all = [
  service("shop/web", { app: "web" }),
  service("shop/front", { app: "web", tier: "front" }),
  service("shop/none", undefined),
  service("shop/empty", {}),
  service("bank/web", { app: "web" }),
];
const snapshot = plainSnapshot([[services, all]]);
const names = (labels: Labels) => servicesOfPod(snapshot, pod(labels)).map(({ metadata }) => metadata.name);

describe("a pod is selected by", () => {
  for (const [what, labels, expected] of [
    ["the Service whose selector it has", { app: "web" }, ["web"]],
    ["all whose selectors it has, whatever else it has", { app: "web", tier: "front", x: "y" }, ["web", "front"]],
    ["none of which it has only a part", { tier: "front" }, []],
    ["none with another value", { app: "other" }, []],
    ["none if it has no labels", {}, []],
  ] as const) {
    test(what, () => expect(names(labels).toSorted()).toEqual(expected.toSorted()));
  }
});

test("a Service without a selector, or with an empty one, selects nothing", () => {
  expect([selectorOfService(service("shop/a", undefined)), selectorOfService(service("shop/a", {}))]).toEqual([
    undefined,
    undefined,
  ]);
  const one = plainSnapshot([[pods, [pod({ app: "web" })]]]);
  expect(podsOfService(one, service("shop/a", {}))).toEqual([]);
});

test("the pods of a Service are those of its namespace that it selects", () => {
  const mine = pod({ app: "web" });
  const other = stored(newPod("shop/q", { metadata: { labels: { app: "other" } } }));
  const far = stored(newPod("bank/p", { metadata: { labels: { app: "web" } } }));
  expect(podsOfService(plainSnapshot([[pods, [mine, other, far]]]), service("shop/web", { app: "web" }))).toEqual([
    mine,
  ]);
});

describe("a change of a pod wakes", () => {
  const ready = (status: "True" | "False") => ({ conditions: [{ type: "Ready", status }] });
  const before = pod({ app: "web", tier: "front" }, { ...ready("False"), podIPs: [{ ip: "10.0.0.1" }] });
  const changed = (labels: Labels, status: object, metadata: object = {}) =>
    pod(labels, { ...ready("False"), podIPs: [{ ip: "10.0.0.1" }], ...status }, { ...metadata, resourceVersion: "9" });
  const same = { app: "web", tier: "front" };
  const both = ["shop/front", "shop/web"];
  const update = (object: corev1.Pod, from = before): Change<corev1.Pod> => ({
    type: "update",
    resource: pods,
    before: from,
    object,
  });
  const watch = servicesOfPods({ afterMs: 0 });
  const woken = (change: Change<corev1.Pod>) =>
    watch.when?.(change as never, snapshot) === false
      ? []
      : [...new Set(watch.keysOf(change as never, snapshot))].toSorted();
  const deleted = { deletionTimestamp: "2024-01-01T00:00:00Z" };
  for (const [what, change, expected] of [
    ["its Services when it is added", { type: "add", resource: pods, object: before, isInitial: false }, both],
    ["its Services when it is deleted", { type: "delete", resource: pods, object: before }, both],
    ["nobody when nothing has changed that they say", update(changed(same, { phase: "Pending" })), []],
    ["its Services when it becomes ready", update(changed(same, ready("True"))), both],
    ["its Services when it gets another address", update(changed(same, { podIPs: [{ ip: "10.0.0.2" }] })), both],
    [
      "its Services when it gets a second address",
      update(changed(same, { podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] })),
      both,
    ],
    ["its Services when it ends", update(changed(same, { phase: "Failed" })), both],
    ["its Services when it is being deleted", update(changed(same, {}, deleted)), both],
    [
      "its Services with every update while it is being deleted",
      update(changed(same, {}, deleted), pod(same, { ...ready("False"), podIPs: [{ ip: "10.0.0.1" }] }, deleted)),
      both,
    ],
    ["only the Service that it left, if only its labels changed", update(changed({ app: "web" }, {})), ["shop/front"]],
    ["only the Service that it came to", update(changed(same, {}), changed({ app: "web" }, {})), ["shop/front"]],
    ["those before and after, if more changed", update(changed({ app: "web" }, ready("True"))), both],
  ] as const) {
    test(what, () => expect(woken(change as Change<corev1.Pod>)).toEqual(expected));
  }

  test("with the delay that many changes share", () => {
    expect(servicesOfPods({ afterMs: 700 }).afterMs).toBe(700);
  });
});

test("what a pod costs does not grow with other Services: each of its labels is looked up once", () => {
  const looked: (readonly [string, string])[] = [];
  const counting: Snapshot = {
    ...snapshot,
    list: () => expect.fail("lists"),
    byIndex: (index: Index, value: string) => {
      looked.push([index.name, value]);
      return snapshot.byIndex(index, value) as never;
    },
  };
  servicesOfPod(counting, pod({ app: "web", tier: "front" }));
  expect(looked).toEqual([
    ["selector", "shop app=web"],
    ["selector", "shop tier=front"],
  ]);
});
