import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { semanticDerivative, semanticEqual } from "./semantic-equality.ts";

const pod = (spec: object, rest: object = {}) => ({ apiVersion: "v1", kind: "Pod", spec, ...rest });
const container = (fields: object) => pod({ containers: [{ name: "a", ...fields }] });
const custom = (spec: unknown) => ({ apiVersion: "example.com/v1", kind: "Widget", spec });
const secret = (fields: object) => ({ apiVersion: "v1", kind: "Secret", ...fields });
const limits = (cpu: unknown) => container({ resources: { limits: { cpu } } });
const created = (time: unknown) => pod({}, { metadata: { creationTimestamp: time } });
const port = (fields: object) => ({ apiVersion: "v1", kind: "Service", spec: { ports: [fields] } });
const lease = (renewTime: string) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", spec: { renewTime } });
const revision = (data: unknown) => ({ apiVersion: "apps/v1", kind: "ControllerRevision", data });

describe("equal", () => {
  for (const [fact, a, b] of [
    ["quantities by value", limits("1000m"), limits("1")],
    ["a quantity as text and as number", limits("1"), limits(1)],
    ["times by instant", created("2024-01-01T01:00:00+01:00"), created("2024-01-01T00:00:00Z")],
    ["micro times by instant", lease("2024-01-01T00:00:00.000000Z"), lease("2024-01-01T00:00:00Z")],
    ["null and absent", created(null), created(undefined)],
    ["an empty list and an absent one", container({ env: [] }), container({})],
    ["an empty map and an absent one", pod({ nodeSelector: {} }), pod({})],
    ["a map of nulls and an absent one", pod({ nodeSelector: { a: null } }), pod({})],
    ["empty bytes and absent ones", { apiVersion: "v1", kind: "Secret", data: {} }, secret({})],
    ["a struct held by value and its absence", pod({}, { status: {} }), pod({})],
    ["an empty struct inside one held by value", container({ resources: {} }), container({})],
    [
      "what is all empty inside a struct held by value",
      container({ resources: { limits: {}, claims: [] } }),
      container({}),
    ],
    ["zero where Go prints zero", port({ port: 0 }), port({})],
    ["keys in another order", { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }],
    ["an empty list without a schema", custom({ list: [] }), custom({})],
    ["null without a schema", custom({ a: null }), custom({})],
    ["the same nonsense for a quantity", limits("lots"), limits("lots")],
  ] as const) {
    test(fact, () => {
      expect(semanticEqual(a, b)).toBe(true);
      expect(semanticEqual(b, a)).toBe(true);
    });
  }
});

describe("different", () => {
  for (const [fact, a, b] of [
    ["other quantities", limits("1001m"), limits("1")],
    ["nonsense for a quantity", limits("lots"), limits("many")],
    ["other instants", created("2024-01-01T00:00:01Z"), created("2024-01-01T00:00:00Z")],
    ["a struct held by pointer and its absence", pod({ securityContext: {} }), pod({})],
    [
      "a chosen volume type and none",
      pod({ volumes: [{ name: "a", emptyDir: {} }] }),
      pod({ volumes: [{ name: "a" }] }),
    ],
    ["false and absent where both mean something", pod({ automountServiceAccountToken: false }), pod({})],
    ["a map's empty entry and none", pod({ nodeSelector: { a: "" } }), pod({ nodeSelector: {} })],
    ["a secret's empty entry and none", secret({ data: { a: "" } }), secret({ data: {} })],
    ["80 and the text 80", port({ targetPort: 80 }), port({ targetPort: "80" })],
    ["lists in another order", container({ args: ["a", "b"] }), container({ args: ["b", "a"] })],
    ["a longer list", container({ args: ["a"] }), container({ args: ["a", "b"] })],
    ["null and absent inside any JSON", revision({ a: null }), revision({})],
    ["text that only looks like a quantity", container({ image: "1000m" }), container({ image: "1" })],
    ["an empty object without a schema", custom({ a: {} }), custom({})],
    ["a list and an object", custom([]), custom({})],
    ["an inherited key and none", JSON.parse('{"__proto__":{"a":1}}'), {}],
  ] as const) {
    test(fact, () => {
      expect(semanticEqual(a, b)).toBe(false);
      expect(semanticEqual(b, a)).toBe(false);
    });
  }
});

describe("derivative", () => {
  for (const [fact, wanted, actual, expected] of [
    ["asks for nothing when empty", {}, pod({ containers: [] }), true],
    ["is satisfied by more fields", pod({ nodeName: "n" }), pod({ nodeName: "n", hostNetwork: true }), true],
    ["is not satisfied by another value", pod({ nodeName: "n" }), pod({ nodeName: "m" }), false],
    ["is not satisfied by absence", pod({ nodeName: "n" }), pod({}), false],
    ["an empty text asks for nothing", pod({ nodeName: "" }), pod({ nodeName: "m" }), true],
    ["false asks for false", pod({ hostNetwork: false }), pod({ hostNetwork: true }), false],
    ["an empty list asks for nothing", container({ args: [] }), container({ args: ["a"] }), true],
    ["a list asks for a beginning", container({ args: ["a"] }), container({ args: ["a", "b"] }), true],
    ["a list asks for no less", container({ args: ["a", "b"] }), container({ args: ["a"] }), false],
    ["a map asks for its entries", pod({ nodeSelector: { a: "1" } }), pod({ nodeSelector: { a: "1", b: "2" } }), true],
    ["quantities by value", limits("1"), limits("1000m"), true],
    ["an empty struct asks for nothing", pod({ securityContext: {} }), pod({}), true],
    ["null asks for nothing", pod({ nodeName: null }), pod({ nodeName: "m" }), true],
    ["an object is not a text", custom({ a: { b: 1 } }), custom({ a: "b" }), false],
  ] as const) {
    test(fact, () => expect(semanticDerivative(wanted, actual)).toBe(expected));
  }
});

describe("for any value", () => {
  const quantity = fc.constantFrom("1", "1000m", "1k", "1Ki", "1e3", "0", "0.001");
  const env = fc.array(fc.record({ name: fc.string(), value: fc.string() }, { requiredKeys: ["name"] }));
  const anyPod = fc
    .record(
      {
        resources: fc.record({ limits: fc.dictionary(fc.string(), quantity) }),
        env: fc.option(env),
        args: fc.array(fc.string()),
      },
      { requiredKeys: [] },
    )
    .map((fields) => container(fields));
  const anything = fc.oneof(anyPod, fc.jsonValue().map(custom));

  test("equality is reflexive, also for a copy", () => {
    fc.assert(fc.property(anything, (a) => semanticEqual(a, structuredClone(a)) && semanticDerivative(a, a)));
  });
  test("equality is symmetric", () => {
    fc.assert(fc.property(anything, anything, (a, b) => semanticEqual(a, b) === semanticEqual(b, a)));
  });
  test("equality is transitive", () => {
    fc.assert(
      fc.property(
        anyPod,
        anyPod,
        anyPod,
        (a, b, c) => !semanticEqual(a, b) || !semanticEqual(b, c) || semanticEqual(a, c),
      ),
    );
  });
  test("the order of keys is irrelevant", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, held]) => [key, reversed(held)]),
      );
    };
    fc.assert(fc.property(anything, (a) => semanticEqual(a, reversed(a))));
  });
  test("equal objects ask the same of each other", () => {
    fc.assert(fc.property(anyPod, anyPod, (a, b) => !semanticEqual(a, b) || semanticDerivative(a, b)));
  });
});
