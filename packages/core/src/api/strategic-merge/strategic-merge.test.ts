import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../base/deep.ts";
import { applyStrategicMerge, createStrategicMerge, createThreeWayStrategicMerge } from "./strategic-merge.ts";

const pod = (spec: object, metadata?: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  ...(metadata && { metadata }),
  spec,
});
const containers = (...list: object[]) => pod({ containers: list });
const named = (...names: string[]) => names.map((name) => ({ name }));
const deployment = (spec: object) => ({ apiVersion: "apps/v1", kind: "Deployment", spec });
const labels = (entries: object) => pod({}, { labels: entries });
const finalized = (...finalizers: string[]) => pod({}, { finalizers });

describe("three ways", () => {
  for (const [fact, { original, modified, current }, patch, result] of [
    [
      "nothing wanted, nothing sent",
      { original: pod({}), modified: pod({}), current: pod({ nodeName: "n" }) },
      {},
      pod({ nodeName: "n" }),
    ],
    [
      "what is wanted comes",
      { original: pod({}), modified: pod({ nodeName: "n" }), current: pod({}) },
      { spec: { nodeName: "n" } },
      pod({ nodeName: "n" }),
    ],
    [
      "what is there already does not",
      { original: pod({}), modified: pod({ nodeName: "n" }), current: pod({ nodeName: "n" }) },
      {},
      pod({ nodeName: "n" }),
    ],
    [
      "what is no longer wanted goes",
      { original: labels({ a: "1" }), modified: labels({}), current: labels({ a: "1", b: "2" }) },
      { metadata: { labels: { a: null } } },
      labels({ b: "2" }),
    ],
    [
      "what others added stays",
      { original: labels({ a: "1" }), modified: labels({ a: "1" }), current: labels({ a: "1", b: "2" }) },
      {},
      labels({ a: "1", b: "2" }),
    ],
    [
      "without an original nothing goes",
      { original: {}, modified: labels({ b: "2" }), current: labels({ a: "1" }) },
      { metadata: { labels: { b: "2" } } },
      labels({ a: "1", b: "2" }),
    ],
    [
      "an injected element stays",
      {
        original: containers(...named("a")),
        modified: containers({ name: "a", image: "2" }),
        current: containers({ name: "a", image: "1" }, { name: "side" }),
      },
      { spec: { containers: [{ name: "a", image: "2" }], "$setElementOrder/containers": named("a") } },
      containers({ name: "a", image: "2" }, { name: "side" }),
    ],
    [
      "an element that is no longer wanted goes",
      {
        original: containers(...named("a", "b")),
        modified: containers(...named("a")),
        current: containers(...named("a", "b", "side")),
      },
      { spec: { containers: [{ name: "b", $patch: "delete" }], "$setElementOrder/containers": named("a") } },
      containers(...named("a", "side")),
    ],
    [
      "one element goes, another comes",
      {
        original: containers(...named("a")),
        modified: containers(...named("b")),
        current: containers(...named("side", "a")),
      },
      {
        spec: {
          containers: [{ name: "b" }, { name: "a", $patch: "delete" }],
          "$setElementOrder/containers": named("b"),
        },
      },
      containers(...named("side", "b")),
    ],
    [
      "a finalizer goes, a stranger's stays",
      { original: finalized("a", "b"), modified: finalized("b"), current: finalized("a", "b", "c") },
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"], "$setElementOrder/finalizers": ["b"] } },
      finalized("b", "c"),
    ],
    [
      "another strategy takes the defaults of the old one away",
      {
        original: deployment({ strategy: { type: "RollingUpdate" } }),
        modified: deployment({ strategy: { type: "Recreate" } }),
        current: deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } } }),
      },
      { spec: { strategy: { type: "Recreate", $retainKeys: ["type"] } } },
      deployment({ strategy: { type: "Recreate" } }),
    ],
    [
      "a nested deletion meets a nested change",
      {
        original: containers({ name: "a", image: "1", env: named("x") }),
        modified: containers({ name: "a", image: "2", env: [] }),
        current: containers({ name: "a", image: "1", env: named("x", "y") }),
      },
      {
        spec: {
          containers: [{ name: "a", image: "2", env: [{ name: "x", $patch: "delete" }] }],
          "$setElementOrder/containers": named("a"),
        },
      },
      containers({ name: "a", image: "2", env: named("y") }),
    ],
  ] as const) {
    test(fact, () => {
      const input = deepFreeze({ original, modified, current });
      expect(createThreeWayStrategicMerge(input, { overwrite: true })).toEqual(patch);
      expect(applyStrategicMerge(current, deepFreeze(patch))).toEqual(result);
    });
  }
});

describe("three ways with a conflict", () => {
  for (const [fact, { original, modified, current }, path] of [
    [
      "a value changed to two others",
      { original: pod({ nodeName: "a" }), modified: pod({ nodeName: "b" }), current: pod({ nodeName: "c" }) },
      "spec.nodeName",
    ],
    [
      "a value deleted here and changed there",
      { original: pod({ nodeName: "a" }), modified: pod({}), current: pod({ nodeName: "c" }) },
      "spec.nodeName",
    ],
    [
      "a value added twice",
      { original: pod({}), modified: pod({ nodeName: "b" }), current: pod({ nodeName: "c" }) },
      "spec.nodeName",
    ],
    [
      "an element changed to two others",
      {
        original: containers({ name: "a", image: "1" }),
        modified: containers({ name: "a", image: "2" }),
        current: containers({ name: "a", image: "3" }),
      },
      "spec.containers[0].image",
    ],
    [
      "an element deleted here and changed there",
      {
        original: containers({ name: "a", image: "1" }),
        modified: containers(),
        current: containers({ name: "a", image: "2" }),
      },
      "spec.containers[0]",
    ],
    [
      "an atomic list changed to two others",
      {
        original: pod({ tolerations: [] }),
        modified: pod({ tolerations: [{ key: "a" }] }),
        current: pod({ tolerations: [{ key: "b" }] }),
      },
      "spec.tolerations[0].key",
    ],
    [
      "atomic lists of other lengths",
      {
        original: pod({ tolerations: [] }),
        modified: pod({ tolerations: [{ key: "a" }] }),
        current: pod({ tolerations: [{ key: "a" }, {}] }),
      },
      "spec.tolerations",
    ],
    [
      "an object here, its deletion there",
      { original: labels({ a: "1" }), modified: labels({ a: "2" }), current: pod({}, {}) },
      "metadata.labels",
    ],
  ] as const) {
    test(`${fact}: refused unless told to overwrite`, () => {
      const input = { original, modified, current };
      const create = () => createThreeWayStrategicMerge(input);
      expect(create).toThrow(expect.objectContaining({ reason: "Conflict", path }));
      const patch = createThreeWayStrategicMerge(input, { overwrite: true });
      expect(Object.keys(patch).length).toBeGreaterThan(0);
    });
  }
  for (const [fact, { original, modified, current }] of [
    [
      "the same change made twice",
      { original: pod({ nodeName: "a" }), modified: pod({ nodeName: "b" }), current: pod({ nodeName: "b" }) },
    ],
    [
      "changes of different fields",
      { original: pod({}), modified: pod({ nodeName: "b" }), current: pod({ hostNetwork: true }) },
    ],
    [
      "changes of different elements",
      {
        original: containers(...named("a", "b")),
        modified: containers({ name: "a", image: "1" }, { name: "b" }),
        current: containers({ name: "a" }, { name: "b", image: "2" }),
      },
    ],
    [
      "finalizers added on both sides",
      { original: finalized("a"), modified: finalized("a", "b"), current: finalized("a", "c") },
    ],
    [
      "finalizers deleted on both sides",
      { original: finalized("a", "b", "c"), modified: finalized("a", "c"), current: finalized("a", "b") },
    ],
  ] as const) {
    test(`${fact}: no conflict`, () => {
      expect(() => createThreeWayStrategicMerge({ original, modified, current })).not.toThrow();
    });
  }
});

describe("for any pods", () => {
  const word = fc.constantFrom("a", "b", "c", "d");
  const optional = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] });
  const keyed = <T extends object>(key: string, fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc
      .uniqueArray(fc.tuple(word, optional(fields)), { selector: ([name]) => name, maxLength: 4 })
      .map((elements) => elements.map(([name, rest]) => ({ ...rest, [key]: name })));
  const container = {
    image: word,
    args: fc.array(word, { maxLength: 3 }),
    env: keyed("name", { value: word }),
    resources: optional({ limits: fc.dictionary(word, word) }),
  };
  const volumes = keyed("name", { emptyDir: fc.constant({}), hostPath: optional({ path: word, type: word }) });
  const spec = optional({
    containers: keyed("name", container),
    volumes,
    nodeSelector: fc.dictionary(word, word),
    tolerations: fc.array(optional({ key: word, value: word }), { maxLength: 3 }),
    nodeName: word,
  });
  const metadata = optional({
    labels: fc.dictionary(word, word),
    finalizers: fc.uniqueArray(word),
    ownerReferences: keyed("uid", { name: word }),
  });
  const anyPod = fc.tuple(spec, metadata).map(([s, m]) => deepFreeze(pod(s, m)));

  test("the patch from one to another makes the other", () => {
    fc.assert(
      fc.property(anyPod, anyPod, (a, b) => {
        expect(applyStrategicMerge(a, deepFreeze(createStrategicMerge(a, b)))).toEqual(b);
      }),
      { numRuns: 300 },
    );
  });
  test("the patch from an object to itself is empty, and applying it gives the object itself", () => {
    fc.assert(
      fc.property(anyPod, (a) => {
        const patch = createStrategicMerge(a, structuredClone(a));
        expect(patch).toEqual({});
        expect(applyStrategicMerge(a, patch)).toBe(a);
      }),
    );
  });
  test("a patch applied twice is a patch applied once", () => {
    fc.assert(
      fc.property(anyPod, anyPod, (a, b) => {
        const patch = createStrategicMerge(a, b);
        const once = applyStrategicMerge(a, patch);
        expect(applyStrategicMerge(once, patch)).toEqual(once);
      }),
    );
  });
  test("three ways from the original is two ways", () => {
    fc.assert(
      fc.property(anyPod, anyPod, (original, modified) => {
        const patch = createThreeWayStrategicMerge({ original, modified, current: original });
        expect(applyStrategicMerge(original, patch)).toEqual(modified);
      }),
    );
  });
  test("three ways bring all that is wanted: a second time there is nothing left to do", () => {
    fc.assert(
      fc.property(anyPod, anyPod, anyPod, (original, modified, current) => {
        const patch = createThreeWayStrategicMerge({ original, modified, current }, { overwrite: true });
        const after = applyStrategicMerge(current, patch);
        const input = { original: modified, modified, current: after };
        expect(applyStrategicMerge(after, createThreeWayStrategicMerge(input, { overwrite: true }))).toEqual(after);
      }),
    );
  });
});
