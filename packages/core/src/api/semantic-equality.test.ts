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
const replicaSet = (spec: object, status: object = {}) => ({ apiVersion: "apps/v1", kind: "ReplicaSet", spec, status });
const claim = (spec: object) => ({ apiVersion: "v1", kind: "PersistentVolumeClaim", spec });
const volumeMount = (fields: object) => container({ volumeMounts: [fields] });
const disk = (azureDisk: object) => pod({ volumes: [{ azureDisk }] });
const memoryVolume = (emptyDir: object) => pod({ volumes: [{ emptyDir }] });
const divisor = (value: unknown) =>
  container({ env: [{ name: "a", valueFrom: { resourceFieldRef: { divisor: value } } }] });
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
    ["false held by value and absent", pod({ hostNetwork: false }), pod({})],
    ["an empty text held by value and absent", pod({ nodeName: "" }), pod({})],
    ["an empty text of a named type and absent", pod({ restartPolicy: "" }), pod({})],
    ["an empty text where another one is the default", port({ protocol: "" }), port({})],
    ["an empty text inside a struct held by value", pod({}, { status: { message: "" } }), pod({})],
    ["an observed generation of 0 and none", replicaSet({}, { observedGeneration: 0 }), replicaSet({})],
    ["a service's node port of 0 and none", port({ nodePort: 0 }), port({})],
    ["a container's host port of 0 and none", container({ ports: [{ hostPort: 0 }] }), container({ ports: [{}] })],
    ["a target port of 0 and none", port({ targetPort: 0 }), port({})],
    ["a mount that is not read-only", volumeMount({ readOnly: false }), volumeMount({})],
    ["a quantity of zero held by value and absent", divisor("0m"), divisor(undefined)],
    ["Go's zero time held by value and absent", created("0001-01-01T00:00:00Z"), created(undefined)],
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
    ["false held by pointer and absent", pod({ automountServiceAccountToken: false }), pod({})],
    ["replicas of 0 and none", replicaSet({ replicas: 0 }), replicaSet({})],
    ["a grace period of 0 and none", pod({ terminationGracePeriodSeconds: 0 }), pod({})],
    ["an empty text held by pointer and absent", claim({ storageClassName: "" }), claim({})],
    ["false held by pointer where it is the default", disk({ readOnly: false }), disk({})],
    ["a quantity of zero held by pointer and absent", memoryVolume({ sizeLimit: "0" }), memoryVolume({})],
    ["an empty text and no target port", port({ targetPort: "" }), port({})],
    ["true and absent", pod({ hostNetwork: true }), pod({})],
    ["nonsense for a time and absent", created("soon"), created(undefined)],
    ["a zero without a schema and absent", custom({ a: 0 }), custom({})],
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
    ["false held by value asks for no more than absence", pod({ hostNetwork: false }), pod({}), true],
    ["zero held by pointer asks for zero", replicaSet({ replicas: 0 }), replicaSet({}), false],
    [
      "what is all zero inside a struct asks for nothing",
      pod({}, { status: { message: "", phase: "" } }),
      pod({}),
      true,
    ],
    ["something inside an absent struct is missing", pod({ securityContext: { runAsUser: 0 } }), pod({}), false],
    ["an empty list asks for nothing", container({ args: [] }), container({ args: ["a"] }), true],
    ["a list asks for a beginning", container({ args: ["a"] }), container({ args: ["a", "b"] }), true],
    ["a list asks for no less", container({ args: ["a", "b"] }), container({ args: ["a"] }), false],
    ["a map asks for its entries", pod({ nodeSelector: { a: "1" } }), pod({ nodeSelector: { a: "1", b: "2" } }), true],
    ["a map asks for its entries of zero", limits("0"), container({ resources: { limits: { memory: "1" } } }), false],
    ["a map asks for its empty texts", pod({ nodeSelector: { a: "" } }), pod({ nodeSelector: { b: "1" } }), false],
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
