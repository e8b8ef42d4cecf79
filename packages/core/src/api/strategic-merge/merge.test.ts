import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../base/deep.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

const pod = (spec: object, metadata?: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  ...(metadata && { metadata }),
  spec,
});
const containers = (...list: object[]) => pod({ containers: list });
const deployment = (spec: object) => ({ apiVersion: "apps/v1", kind: "Deployment", spec });
const service = (spec: object) => ({ apiVersion: "v1", kind: "Service", spec });
const node = (spec: object) => ({ apiVersion: "v1", kind: "Node", spec });
const labelled = (labels: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { labels } });
const finalized = (finalizers: string[]) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { finalizers } });
const budget = (selector: object) => ({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", spec: { selector } });
const named = (...names: string[]) => names.map((name) => ({ name }));
const env = (...names: string[]) => containers({ name: "a", env: named(...names) });

describe("objects", () => {
  for (const [fact, original, patch, expected] of [
    ["an empty patch changes nothing", pod({ nodeName: "a" }), {}, pod({ nodeName: "a" })],
    ["a field is added", pod({}), { spec: { nodeName: "a" } }, pod({ nodeName: "a" })],
    ["a field is changed", pod({ nodeName: "a" }), { spec: { nodeName: "b" } }, pod({ nodeName: "b" })],
    ["null deletes a field", pod({ nodeName: "a" }), { spec: { nodeName: null } }, pod({})],
    ["null deletes a whole object", pod({ a: 1 }), { spec: null }, { apiVersion: "v1", kind: "Pod" }],
    ["null for what is not there is nothing", pod({}), { spec: { nodeName: null } }, pod({})],
    ["a map merges", labelled({ a: "1" }), { metadata: { labels: { b: "2" } } }, labelled({ a: "1", b: "2" })],
    [
      "null deletes an entry",
      labelled({ a: "1", b: "2" }),
      { metadata: { labels: { a: null } } },
      labelled({ b: "2" }),
    ],
    ["nulls of a new object are dropped", pod({}), { spec: { dnsConfig: { options: null } } }, pod({ dnsConfig: {} })],
    ["another type replaces", pod({ dnsPolicy: {} }), { spec: { dnsPolicy: "x" } }, pod({ dnsPolicy: "x" })],
    [
      "$patch replace replaces an object",
      labelled({ a: "1" }),
      { metadata: { labels: { $patch: "replace", b: "2" } } },
      labelled({ b: "2" }),
    ],
    [
      "$patch delete empties an object",
      labelled({ a: "1" }),
      { metadata: { labels: { $patch: "delete" } } },
      labelled({}),
    ],
    [
      "$patch replace for what is not there is nothing",
      pod({}),
      { spec: { dnsConfig: { $patch: "replace", a: 1 } } },
      pod({}),
    ],
    ["$patch at the top replaces all", pod({ a: 1 }), { $patch: "replace", kind: "Pod" }, { kind: "Pod" }],
    [
      "a field whose strategy is replace is replaced",
      budget({ matchLabels: { a: "1" } }),
      { spec: { selector: { matchLabels: { b: "2" } } } },
      budget({ matchLabels: { b: "2" } }),
    ],
    [
      "a selector without that strategy merges",
      deployment({ selector: { matchLabels: { a: "1" } } }),
      { spec: { selector: { matchLabels: { b: "2" } } } },
      deployment({ selector: { matchLabels: { a: "1", b: "2" } } }),
    ],
    [
      "an undefined value is no value",
      pod({ nodeName: "a" }),
      { spec: { nodeName: undefined } },
      pod({ nodeName: "a" }),
    ],
  ] as const) {
    test(fact, () => expect(applyStrategicMerge(deepFreeze(original), deepFreeze(patch))).toEqual(expected));
  }
});

describe("retained keys", () => {
  const rolling = deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } });
  const volumes = (volume: object) => pod({ volumes: [volume] });
  for (const [fact, original, patch, expected] of [
    [
      "other keys go",
      rolling,
      { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
      deployment({ strategy: { type: "Recreate" } }),
    ],
    [
      "named keys merge",
      rolling,
      { spec: { strategy: { $retainKeys: ["rollingUpdate"], rollingUpdate: { maxUnavailable: 2 } } } },
      deployment({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 2 } } }),
    ],
    [
      "named keys need not be there",
      rolling,
      { spec: { strategy: { $retainKeys: ["type", "other"] } } },
      deployment({ strategy: { type: "RollingUpdate" } }),
    ],
    [
      "a key deleted by null need not be named",
      rolling,
      { spec: { strategy: { $retainKeys: ["type"], rollingUpdate: null } } },
      deployment({ strategy: { type: "RollingUpdate" } }),
    ],
    [
      "they work in elements of a list",
      volumes({ name: "v", emptyDir: {} }),
      { spec: { volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }] } },
      volumes({ name: "v", hostPath: { path: "/" } }),
    ],
    [
      "they leave no trace in a new object",
      deployment({}),
      { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
      deployment({ strategy: { type: "Recreate" } }),
    ],
  ] as const) {
    test(fact, () => expect(applyStrategicMerge(deepFreeze(original), deepFreeze(patch))).toEqual(expected));
  }
});

describe("lists of objects", () => {
  const a = { name: "a", image: "1" };
  const b = { name: "b", image: "2" };
  const side = { name: "side" };
  for (const [fact, original, patch, expected] of [
    [
      "an element merges by key",
      containers(a, b),
      { spec: { containers: [{ name: "b", image: "3" }] } },
      containers(a, { name: "b", image: "3" }),
    ],
    ["a new element goes first", containers(a), { spec: { containers: [b] } }, containers(b, a)],
    [
      "the patch's order wins among its own",
      containers(a, b),
      { spec: { containers: named("b", "a") } },
      containers(b, a),
    ],
    ["a missing list is added", pod({}), { spec: { containers: [a] } }, containers(a)],
    ["null deletes the list", containers(a), { spec: { containers: null } }, pod({})],
    ["an empty list deletes nothing", containers(a), { spec: { containers: [] } }, containers(a)],
    [
      "$patch delete deletes an element",
      containers(a, b),
      { spec: { containers: [{ name: "a", $patch: "delete" }] } },
      containers(b),
    ],
    [
      "deleting what is not there is nothing",
      containers(a),
      { spec: { containers: [{ name: "x", $patch: "delete" }] } },
      containers(a),
    ],
    [
      "$patch replace replaces the list",
      containers(a),
      { spec: { containers: [{ $patch: "replace" }, b] } },
      containers(b),
    ],
    [
      "$patch replace alone empties the list",
      containers(a),
      { spec: { containers: [{ $patch: "replace" }] } },
      containers(),
    ],
    [
      "directives vanish from a new list",
      pod({}),
      { spec: { containers: [a, { name: "b", $patch: "delete" }] } },
      containers(a),
    ],
    [
      "lists nest",
      env("x", "y"),
      { spec: { containers: [{ name: "a", env: [{ name: "y", value: "1" }] }] } },
      containers({ name: "a", env: [{ name: "x" }, { name: "y", value: "1" }] }),
    ],
    [
      "null in an element deletes its field",
      containers(a),
      { spec: { containers: [{ name: "a", image: null }] } },
      containers({ name: "a" }),
    ],
    [
      "service ports merge by port alone",
      service({ ports: [{ port: 53, protocol: "UDP" }] }),
      { spec: { ports: [{ port: 53, protocol: "TCP" }] } },
      service({ ports: [{ port: 53, protocol: "TCP" }] }),
    ],
    [
      "container ports merge by number",
      containers({ name: "a", ports: [{ containerPort: 80 }] }),
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 81 }] }] } },
      containers({ name: "a", ports: [{ containerPort: 81 }, { containerPort: 80 }] }),
    ],
    [
      "an atomic list is replaced",
      pod({ tolerations: [{ key: "a" }] }),
      { spec: { tolerations: [{ key: "b" }] } },
      pod({ tolerations: [{ key: "b" }] }),
    ],
    [
      "a list of texts without strategy is replaced",
      containers({ name: "a", args: ["x"] }),
      { spec: { containers: [{ name: "a", args: ["y"] }] } },
      containers({ name: "a", args: ["y"] }),
    ],
    [
      "$setElementOrder orders",
      containers(a, b),
      { spec: { "$setElementOrder/containers": named("b", "a") } },
      containers(b, a),
    ],
    [
      "$setElementOrder orders what it adds",
      containers(a),
      { spec: { "$setElementOrder/containers": named("a", "b"), containers: [b] } },
      containers(a, b),
    ],
    [
      "what it does not mention keeps its place before its successor",
      containers(side, a),
      { spec: { "$setElementOrder/containers": named("b", "a"), containers: [b] } },
      containers(b, side, a),
    ],
    [
      "what replaces another stays behind the unmentioned",
      containers(side, a),
      { spec: { "$setElementOrder/containers": named("b"), containers: [b, { name: "a", $patch: "delete" }] } },
      containers(side, b),
    ],
    [
      "an order for a list that is not there is nothing",
      pod({}),
      { spec: { "$setElementOrder/containers": named("a") } },
      pod({}),
    ],
    [
      "an order leaves no trace in a new object",
      { apiVersion: "v1", kind: "Pod" },
      { spec: { "$setElementOrder/containers": named("a"), containers: [a] } },
      containers(a),
    ],
    [
      "the order of an empty list is nothing",
      containers(),
      { spec: { "$setElementOrder/containers": named("a") } },
      containers(),
    ],
  ] as const) {
    test(fact, () => expect(applyStrategicMerge(deepFreeze(original), deepFreeze(patch))).toEqual(expected));
  }
});

describe("lists of scalars that merge", () => {
  const meta = (patch: object) => ({ metadata: patch });
  for (const [fact, original, patch, expected] of [
    ["new ones are added in front", finalized(["a"]), meta({ finalizers: ["b"] }), finalized(["b", "a"])],
    ["known ones stay single", finalized(["a", "b"]), meta({ finalizers: ["b"] }), finalized(["a", "b"])],
    [
      "a parallel list deletes",
      finalized(["a", "b", "c"]),
      meta({ "$deleteFromPrimitiveList/finalizers": ["a", "c"] }),
      finalized(["b"]),
    ],
    [
      "deleting what is not there is nothing",
      finalized(["a"]),
      meta({ "$deleteFromPrimitiveList/finalizers": ["x"] }),
      finalized(["a"]),
    ],
    [
      "deleting from no list is nothing",
      labelled({}),
      meta({ "$deleteFromPrimitiveList/finalizers": ["x"] }),
      labelled({}),
    ],
    [
      "one patch adds, deletes and orders",
      finalized(["a", "b"]),
      meta({
        finalizers: ["c"],
        "$deleteFromPrimitiveList/finalizers": ["a"],
        "$setElementOrder/finalizers": ["c", "b"],
      }),
      finalized(["c", "b"]),
    ],
    [
      "an order puts them right",
      finalized(["a", "b", "c"]),
      meta({ "$setElementOrder/finalizers": ["c", "a"] }),
      finalized(["b", "c", "a"]),
    ],
    [
      "pod ranges of a node merge too",
      node({ podCIDRs: ["10.0.0.0/24"] }),
      { spec: { podCIDRs: ["fd00::/64"] } },
      node({ podCIDRs: ["fd00::/64", "10.0.0.0/24"] }),
    ],
  ] as const) {
    test(fact, () => expect(applyStrategicMerge(deepFreeze(original), deepFreeze(patch))).toEqual(expected));
  }
});

describe("refused", () => {
  const one = containers({ name: "a", args: ["x"] });
  for (const [fact, original, patch, message, reason] of [
    ["an unknown directive", one, { spec: { $patch: "merge" } }, 'spec: unknown patch type: "merge"', "Invalid"],
    [
      "an unknown directive in an element",
      one,
      { spec: { containers: [{ $patch: "odd" }] } },
      "spec.containers: unknown patch type",
      "Invalid",
    ],
    [
      "merging a list by directive",
      one,
      { spec: { containers: [{ $patch: "merge" }] } },
      "spec.containers: merging lists",
      "Invalid",
    ],
    [
      "an element without its key",
      one,
      { spec: { containers: [{ image: "a" }] } },
      "spec.containers: an element does not contain declared merge key: name",
      "Invalid",
    ],
    [
      "deleting without a key",
      one,
      { spec: { containers: [{ $patch: "delete" }] } },
      "spec.containers: an element does not contain declared merge key: name",
      "Invalid",
    ],
    [
      "mixed elements",
      one,
      { spec: { containers: ["a"] } },
      "spec.containers: list element types are not identical",
      "Invalid",
    ],
    [
      "lists of lists",
      one,
      { spec: { containers: [["a"]] } },
      "spec.containers: lists of lists are not supported",
      "Invalid",
    ],
    [
      "a field the schema has not",
      pod({ odd: { a: 1 } }),
      { spec: { odd: { b: 1 } } },
      "spec.odd: unable to find api field in io.k8s.api.core.v1.PodSpec",
      "Invalid",
    ],
    [
      "setting what is not retained",
      deployment({ strategy: {} }),
      { spec: { strategy: { $retainKeys: [], type: "a" } } },
      "spec.strategy.type: invalid patch format: set but not in $retainKeys",
      "BadRequest",
    ],
    [
      "retained keys that are no list",
      deployment({ strategy: {} }),
      { spec: { strategy: { $retainKeys: "type" } } },
      "spec.strategy: invalid patch format of $retainKeys",
      "BadRequest",
    ],
    [
      "a parallel list of nothing",
      one,
      { spec: { $deleteFromPrimitiveList: ["a"] } },
      "spec: invalid patch format: $deleteFromPrimitiveList does not name a list",
      "BadRequest",
    ],
    [
      "an order of nothing",
      one,
      { spec: { $setElementOrder: ["a"] } },
      "spec: invalid patch format: $setElementOrder does not name a list",
      "BadRequest",
    ],
    [
      "an order that is no list",
      one,
      { spec: { "$setElementOrder/containers": "a" } },
      "spec.containers: $setElementOrder must be a list",
      "Invalid",
    ],
    [
      "an order that contradicts the patch",
      one,
      { spec: { "$setElementOrder/containers": named("a", "b"), containers: named("b", "a") } },
      "spec.containers: the order of the patch does not match",
      "Invalid",
    ],
    [
      "an order that lacks an element",
      one,
      { spec: { "$setElementOrder/containers": named("a"), containers: named("b") } },
      "spec.containers: the order of the patch does not match",
      "Invalid",
    ],
    [
      "an order for what is no list",
      pod({ containers: "a" }),
      { spec: { "$setElementOrder/containers": named("a") } },
      "spec.containers: $setElementOrder speaks of a list",
      "Invalid",
    ],
    [
      "a custom kind",
      { apiVersion: "example.com/v1", kind: "Widget" },
      {},
      "not supported for example.com/v1 Widget",
      "UnsupportedMediaType",
    ],
    [
      "an object that does not say what it is",
      {},
      {},
      "not supported for an object without apiVersion and kind",
      "UnsupportedMediaType",
    ],
    ["a patch that is no object", one, [], "the patch must be a JSON object", "BadRequest"],
  ] as const) {
    test(fact, () => {
      const apply = () => applyStrategicMerge(original, patch);
      expect(apply).toThrow(message);
      expect(apply).toThrow(expect.objectContaining({ name: "StrategicMergeError", reason, retry: "never" }));
    });
  }
});

describe("sharing", () => {
  const original = deepFreeze(
    pod({ containers: named("a", "b"), nodeName: "n", tolerations: [{ key: "t" }] }, { name: "p" }),
  );

  test("a patch that changes nothing returns the object itself", () => {
    const patch = {
      metadata: { name: "p" },
      spec: { nodeName: "n", containers: named("b"), "$setElementOrder/containers": named("b") },
    };
    expect(applyStrategicMerge(original, patch)).toBe(original);
  });
  test("what the patch does not touch is shared", () => {
    const patched = applyStrategicMerge(original, { spec: { containers: [{ name: "b", image: "i" }] } });
    const { metadata, spec } = patched as typeof original;
    expect(metadata).toBe(original.metadata);
    expect(spec).toHaveProperty("tolerations", (original.spec as { tolerations: unknown }).tolerations);
    expect(patched).toEqual(
      pod({ ...original.spec, containers: [{ name: "a" }, { name: "b", image: "i" }] }, { name: "p" }),
    );
  });
  test("a key named __proto__ is a key, and nothing is polluted", () => {
    const patch: object = JSON.parse(
      '{"metadata":{"labels":{"__proto__":{"polluted":"yes"}}},"__proto__":{"polluted":"yes"}}',
    );
    const patched = applyStrategicMerge(labelled({ a: "1" }), patch);
    expect(Object.hasOwn(patched, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});
