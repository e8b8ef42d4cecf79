import { keyOf, type metav1 } from "@kubeloop/core/api";
import { pods } from "@kubeloop/core/resources";
import { newPod, plainSnapshot } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { podsByLabel, podsMatching, requiredPairs } from "./by-label.ts";

const labelled = (key: string, labels: Readonly<Record<string, string>>) => newPod(key, { metadata: { labels } });
const all = [
  labelled("shop/a", { app: "web", tier: "front" }),
  labelled("shop/b", { app: "web", tier: "back" }),
  labelled("shop/c", { app: "api", tier: "back" }),
  labelled("shop/d", {}),
  labelled("bank/e", { app: "web", tier: "front" }),
];

/** Also tells which pods were looked at: those of a value of the index, or all. */
function matching(selector: metav1.LabelSelector | undefined) {
  const looked: string[] = [];
  const snapshot = plainSnapshot([[pods, all]]);
  const watched: typeof snapshot = {
    ...snapshot,
    get: snapshot.get.bind(snapshot),
    list: (resource, options) => {
      looked.push("all");
      return snapshot.list(resource, options);
    },
    byIndex: (index, value) => {
      looked.push(value);
      return snapshot.byIndex(index, value);
    },
  };
  return { keys: podsMatching(watched, "shop", selector).map(keyOf), looked };
}

const expression = (key: string, operator: string, ...values: readonly string[]) => ({ key, operator, values });

describe("pods that a selector matches", () => {
  test.each<[string, metav1.LabelSelector | undefined, readonly string[], readonly string[]]>([
    ["one label", { matchLabels: { app: "web" } }, ["shop/a", "shop/b"], ["shop app=web"]],
    ["the first of two, in order", { matchLabels: { tier: "back", app: "web" } }, ["shop/b"], ["shop app=web"]],
    [
      "any of the values",
      { matchExpressions: [expression("app", "In", "api", "web", "api")] },
      ["shop/c", "shop/a", "shop/b"],
      ["shop app=api", "shop app=web"],
    ],
    [
      "a label, and what else is required",
      { matchLabels: { app: "web" }, matchExpressions: [expression("tier", "NotIn", "front")] },
      ["shop/b"],
      ["shop app=web"],
    ],
    [
      "all pods, where no label is required",
      { matchExpressions: [expression("app", "DoesNotExist")] },
      ["shop/d"],
      ["all"],
    ],
    ["all pods, where nothing is required", {}, ["shop/a", "shop/b", "shop/c", "shop/d"], ["all"]],
    ["a label that no pod has", { matchLabels: { app: "none" } }, [], ["shop app=none"]],
  ])("are looked for by %s", (_, selector, keys, looked) => expect(matching(selector)).toEqual({ keys, looked }));

  test.each<[string, metav1.LabelSelector | undefined]>([
    ["absent", undefined],
    ["malformed", { matchExpressions: [expression("app", "Like", "web")] }],
  ])("are none for one that is %s", (_, selector) => expect(matching(selector).keys).toEqual([]));
});

test("a pod is found by each of its labels, in its namespace", () => {
  expect(all.map((pod) => podsByLabel.valuesOf(pod))).toEqual([
    ["shop app=web", "shop tier=front"],
    ["shop app=web", "shop tier=back"],
    ["shop app=api", "shop tier=back"],
    [],
    ["bank app=web", "bank tier=front"],
  ]);
});

test("a selector without a positive requirement requires no pair", () => {
  expect(
    requiredPairs({ matchExpressions: [expression("app", "NotIn", "web"), expression("x", "Exists")] }),
  ).toBeUndefined();
});
