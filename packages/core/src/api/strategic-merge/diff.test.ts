import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../base/deep.ts";
import { applyStrategicMerge, createStrategicMerge } from "./strategic-merge.ts";

const pod = (spec: object, metadata?: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  ...(metadata && { metadata }),
  spec,
});
const containers = (...list: object[]) => pod({ containers: list });
const deployment = (strategy: object) => ({ apiVersion: "apps/v1", kind: "Deployment", spec: { strategy } });
const finalized = (...finalizers: string[]) => pod({}, { finalizers });
const budget = (spec: object) => ({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", spec });
const named = (...names: string[]) => names.map((name) => ({ name }));
const volume = (fields: object) => pod({ volumes: [{ name: "v", ...fields }] });

for (const [fact, original, modified, patch] of [
  ["the same needs no patch", containers({ name: "a" }), containers({ name: "a" }), {}],
  ["an added field is its value", pod({}), pod({ nodeName: "n" }), { spec: { nodeName: "n" } }],
  ["a changed field is its value", pod({ nodeName: "m" }), pod({ nodeName: "n" }), { spec: { nodeName: "n" } }],
  ["a removed field is null", pod({ nodeName: "n" }), pod({}), { spec: { nodeName: null } }],
  ["a removed object is null", pod({ dnsConfig: { options: [] } }), pod({}), { spec: { dnsConfig: null } }],
  [
    "an emptied map has nulls",
    pod({}, { labels: { a: "1" } }),
    pod({}, { labels: {} }),
    { metadata: { labels: { a: null } } },
  ],
  ["an added empty map is there", pod({}, {}), pod({}, { labels: {} }), { metadata: { labels: {} } }],
  [
    "another type is its value",
    pod({ dnsConfig: "a" }),
    pod({ dnsConfig: { a: "1" } }),
    { spec: { dnsConfig: { a: "1" } } },
  ],
  [
    "a changed element has its key, and an order",
    containers({ name: "a", image: "1" }),
    containers({ name: "a", image: "2" }),
    { spec: { containers: [{ name: "a", image: "2" }], "$setElementOrder/containers": named("a") } },
  ],
  [
    "an added element comes whole",
    containers({ name: "a" }),
    containers({ name: "a" }, { name: "b", image: "1" }),
    { spec: { containers: [{ name: "b", image: "1" }], "$setElementOrder/containers": named("a", "b") } },
  ],
  [
    "a removed element is a directive",
    containers(...named("a", "b")),
    containers(...named("b")),
    { spec: { containers: [{ name: "a", $patch: "delete" }], "$setElementOrder/containers": named("b") } },
  ],
  [
    "all elements removed need no order",
    containers(...named("b", "a")),
    containers(),
    {
      spec: {
        containers: [
          { name: "a", $patch: "delete" },
          { name: "b", $patch: "delete" },
        ],
      },
    },
  ],
  [
    "elements in another order need only that",
    containers(...named("a", "b")),
    containers(...named("b", "a")),
    { spec: { "$setElementOrder/containers": named("b", "a") } },
  ],
  [
    "a first list comes whole, without order",
    pod({ containers: [] }),
    containers(...named("b", "a")),
    { spec: { containers: named("b", "a") } },
  ],
  [
    "nested lists have their own",
    containers({ name: "a", env: named("x") }),
    containers({ name: "a", env: named("y") }),
    {
      spec: {
        containers: [
          { name: "a", env: [{ name: "y" }, { name: "x", $patch: "delete" }], "$setElementOrder/env": named("y") },
        ],
        "$setElementOrder/containers": named("a"),
      },
    },
  ],
  [
    "an atomic list comes whole",
    pod({ tolerations: [{ key: "a" }] }),
    pod({ tolerations: [{ key: "a" }, { key: "b" }] }),
    { spec: { tolerations: [{ key: "a" }, { key: "b" }] } },
  ],
  [
    "scalars are added, deleted and ordered",
    finalized("a", "b"),
    finalized("c", "b"),
    {
      metadata: {
        finalizers: ["c"],
        "$deleteFromPrimitiveList/finalizers": ["a"],
        "$setElementOrder/finalizers": ["c", "b"],
      },
    },
  ],
  [
    "scalars in another order need only that",
    finalized("a", "b"),
    finalized("b", "a"),
    { metadata: { "$setElementOrder/finalizers": ["b", "a"] } },
  ],
  ["unchanged scalars need nothing, sorted or not", finalized("b", "a"), finalized("b", "a"), {}],
  [
    "a strategy names the keys to retain",
    deployment({ type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } }),
    deployment({ type: "Recreate" }),
    { spec: { strategy: { type: "Recreate", rollingUpdate: null, $retainKeys: ["type"] } } },
  ],
  ["an unchanged strategy names none", deployment({ type: "Recreate" }), deployment({ type: "Recreate" }), {}],
  [
    "a volume names the keys to retain",
    volume({ emptyDir: {} }),
    volume({ hostPath: { path: "/" } }),
    {
      spec: {
        volumes: [{ name: "v", hostPath: { path: "/" }, emptyDir: null, $retainKeys: ["hostPath", "name"] }],
        "$setElementOrder/volumes": named("v"),
      },
    },
  ],
  [
    "a field whose strategy is replace comes whole",
    budget({ selector: { matchLabels: { a: "1", b: "2" } } }),
    budget({ selector: { matchLabels: { a: "1" } } }),
    { spec: { selector: { matchLabels: { a: "1" } } } },
  ],
  [
    "an unchanged one does not come at all",
    budget({ minAvailable: 1, selector: { matchLabels: { a: "1" } } }),
    budget({ minAvailable: 2, selector: { matchLabels: { a: "1" } } }),
    { spec: { minAvailable: 2 } },
  ],
  ["an unknown field that did not change is no matter", pod({ odd: { a: [1] } }), pod({ odd: { a: [1] } }), {}],
] as const) {
  test(fact, () => {
    expect(createStrategicMerge(deepFreeze(original), deepFreeze(modified))).toEqual(patch);
    expect(applyStrategicMerge(original, deepFreeze(patch))).toEqual(modified);
  });
}

describe("refused", () => {
  for (const [fact, original, modified, message] of [
    [
      "an unknown field that changed",
      pod({ odd: { a: 1 } }),
      pod({ odd: { a: 2 } }),
      "spec.odd: unable to find api field",
    ],
    [
      "an element without its key",
      containers({ name: "a" }),
      containers({ image: "a" }),
      "spec.containers: an element does not contain declared merge key: name",
    ],
    [
      "mixed elements",
      containers({ name: "a" }),
      pod({ containers: ["a"] }),
      "spec.containers: list element types are not identical",
    ],
    ["lists of lists", pod({ containers: [["a"]] }), containers(), "spec.containers: lists of lists are not supported"],
    ["a custom kind", {}, { apiVersion: "example.com/v1", kind: "Widget" }, "not supported for example.com/v1 Widget"],
  ] as const) {
    test(fact, () => expect(() => createStrategicMerge(original, modified)).toThrow(message));
  }
});

test("a patch cannot set a field to null, and says so by deleting", () => {
  expect(applyStrategicMerge(pod({}), createStrategicMerge(pod({}), pod({ nodeName: null })))).toEqual(pod({}));
});
