import { describe, expect, test } from "vitest";
import { deepFreeze } from "../base/deep.ts";
import { layOver, withoutAbsent } from "./lay-over.ts";
import { schemaOfKind } from "./schema-table.ts";
import { schemaOfCrd, structuralSchema } from "./structural-schema.ts";

const podSchema = schemaOfKind({ apiVersion: "v1", kind: "Pod" });
const serviceSchema = schemaOfKind({ apiVersion: "v1", kind: "Service" });
const deploymentSchema = schemaOfKind({ apiVersion: "apps/v1", kind: "Deployment" });
const customSchema = structuralSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        routes: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["host"],
          items: { type: "object", properties: { host: { type: "string" }, weight: { type: "integer", default: 1 } } },
        },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        exact: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "string" } },
      },
    },
  },
});

const container = {
  name: "web",
  image: "a",
  imagePullPolicy: "Always",
  terminationMessagePath: "/dev/termination-log",
};
const spec = (fields: object) => ({ spec: fields });

describe("already there, so the stored object comes back", () => {
  for (const [fact, schema, stored, wanted] of [
    [
      "fields that the server has defaulted",
      podSchema,
      spec({ dnsPolicy: "ClusterFirst", nodeName: "n" }),
      spec({ nodeName: "n" }),
    ],
    [
      "an item of a list with keys, without its defaults",
      podSchema,
      spec({ containers: [container] }),
      spec({ containers: [{ name: "web", image: "a" }] }),
    ],
    [
      "an item beside one that somebody injected",
      podSchema,
      spec({ containers: [container, { name: "proxy" }] }),
      spec({ containers: [{ name: "web" }] }),
    ],
    [
      "a port without the protocol that is its default",
      serviceSchema,
      spec({ ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] }),
      spec({ ports: [{ port: 80 }] }),
    ],
    ["an undefined field", podSchema, spec({ nodeName: "n" }), spec({ nodeName: undefined })],
    ["a null for what is absent", podSchema, spec({}), spec({ nodeName: null })],
    [
      "a quantity in another notation",
      podSchema,
      spec({ containers: [{ name: "a", resources: { limits: { cpu: "1" } } }] }),
      spec({ containers: [{ name: "a", resources: { limits: { cpu: "1000m" } } }] }),
    ],
    [
      "an empty text, false and an empty list, which are not stored",
      podSchema,
      spec({}),
      spec({ nodeName: "", hostNetwork: false, tolerations: [], nodeSelector: {} }),
    ],
    [
      "an atomic object without the field that the server defaults",
      podSchema,
      spec({
        containers: [
          {
            name: "a",
            env: [{ name: "IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } }],
          },
        ],
      }),
      spec({
        containers: [{ name: "a", env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }] }],
      }),
    ],
    [
      "an atomic list whose items have defaults",
      podSchema,
      spec({ tolerations: [{ key: "a", operator: "Equal" }] }),
      spec({ tolerations: [{ key: "a" }] }),
    ],
    [
      "a strategy without its defaulted fields",
      deploymentSchema,
      spec({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } } }),
      spec({ strategy: { type: "RollingUpdate" } }),
    ],
    [
      "labels among others",
      podSchema,
      { metadata: { labels: { a: "1", b: "2" } } },
      { metadata: { labels: { a: "1" } } },
    ],
    [
      "a finalizer among others",
      podSchema,
      { metadata: { finalizers: ["x", "y"] } },
      { metadata: { finalizers: ["y"] } },
    ],
    [
      "of a custom kind, an item by its key",
      customSchema,
      spec({
        routes: [
          { host: "a", weight: 1 },
          { host: "b", weight: 1 },
        ],
      }),
      spec({ routes: [{ host: "b" }] }),
    ],
    [
      "of a custom kind without a schema, items of a list of the same length",
      undefined,
      spec({ routes: [{ host: "a", weight: 1 }] }),
      spec({ routes: [{ host: "a" }] }),
    ],
    [
      "a list in which two items have one key, item by item",
      podSchema,
      spec({
        containers: [
          {
            name: "a",
            env: [
              { name: "X", value: "1" },
              { name: "X", value: "2" },
            ],
          },
        ],
      }),
      spec({
        containers: [
          {
            name: "a",
            env: [
              { name: "X", value: "1" },
              { name: "X", value: "2" },
            ],
          },
        ],
      }),
    ],
  ] as const) {
    test(fact, () => {
      const held = deepFreeze(structuredClone(stored));
      expect(layOver(held, deepFreeze(wanted), schema)).toBe(held);
    });
  }
});

describe("changed", () => {
  for (const [fact, schema, stored, wanted, expected] of [
    [
      "a field, and its neighbours stay",
      podSchema,
      spec({ nodeName: "m", dnsPolicy: "Default" }),
      spec({ nodeName: "n" }),
      spec({ nodeName: "n", dnsPolicy: "Default" }),
    ],
    [
      "a null removes",
      podSchema,
      spec({ nodeName: "m", dnsPolicy: "Default" }),
      spec({ nodeName: null }),
      spec({ dnsPolicy: "Default" }),
    ],
    [
      "an item keeps its defaults",
      podSchema,
      spec({ containers: [container] }),
      spec({ containers: [{ name: "web", image: "b" }] }),
      spec({ containers: [{ ...container, image: "b" }] }),
    ],
    [
      "a new item follows, and order stays",
      podSchema,
      spec({ containers: [{ name: "b" }, { name: "a" }] }),
      spec({ containers: [{ name: "a", image: "1" }, { name: "c" }] }),
      spec({ containers: [{ name: "b" }, { name: "a", image: "1" }, { name: "c" }] }),
    ],
    [
      "one port number with two protocols is two items",
      serviceSchema,
      spec({ ports: [{ port: 53, protocol: "TCP" }] }),
      spec({ ports: [{ port: 53, protocol: "UDP" }] }),
      spec({
        ports: [
          { port: 53, protocol: "TCP" },
          { port: 53, protocol: "UDP" },
        ],
      }),
    ],
    [
      "an atomic map is replaced",
      serviceSchema,
      spec({ selector: { app: "web", tier: "gold" } }),
      spec({ selector: { app: "web" } }),
      spec({ selector: { app: "web" } }),
    ],
    [
      "an atomic object with a map in it is replaced",
      deploymentSchema,
      spec({ selector: { matchLabels: { a: "1", b: "2" } } }),
      spec({ selector: { matchLabels: { a: "1" } } }),
      spec({ selector: { matchLabels: { a: "1" } } }),
    ],
    [
      "another strategy drops the fields of the first",
      deploymentSchema,
      spec({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } }),
      spec({ strategy: { type: "Recreate" } }),
      spec({ strategy: { type: "Recreate" } }),
    ],
    [
      "another volume source drops the first",
      podSchema,
      spec({ volumes: [{ name: "v", emptyDir: {} }] }),
      spec({ volumes: [{ name: "v", configMap: { name: "c" } }] }),
      spec({ volumes: [{ name: "v", configMap: { name: "c" } }] }),
    ],
    [
      "an empty entry of a map is an entry",
      podSchema,
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { b: "" } } },
      { metadata: { labels: { a: "1", b: "" } } },
    ],
    [
      "a set gets what is missing",
      customSchema,
      spec({ tags: ["a"] }),
      spec({ tags: ["b", "a", "b"] }),
      spec({ tags: ["a", "b"] }),
    ],
    [
      "an atomic map of a custom kind",
      customSchema,
      spec({ exact: { a: "1", b: "2" } }),
      spec({ exact: { a: "1" } }),
      spec({ exact: { a: "1" } }),
    ],
    [
      "a list without keys is taken whole",
      undefined,
      spec({ routes: [{ host: "a", weight: 1 }] }),
      spec({ routes: [{ host: "b" }] }),
      spec({ routes: [{ host: "b" }] }),
    ],
    [
      "a zero over something else",
      podSchema,
      spec({ hostNetwork: true }),
      spec({ hostNetwork: false }),
      spec({ hostNetwork: false }),
    ],
    ["a zero where zero means something", deploymentSchema, spec({}), spec({ replicas: 0 }), spec({ replicas: 0 })],
    ["another type", undefined, spec({ a: "1" }), spec({ a: { b: 1, c: null } }), spec({ a: { b: 1 } })],
  ] as const) {
    test(fact, () => {
      const laid = layOver(deepFreeze(stored), deepFreeze(wanted), schema);
      expect(laid).toEqual(expected);
      expect(layOver(deepFreeze(laid), deepFreeze(wanted), schema)).toBe(laid);
    });
  }
});

test("what is created has no nulls and no undefined", () => {
  expect(withoutAbsent({ a: null, b: undefined, c: [{ d: null, e: 1 }] })).toStrictEqual({ c: [{ e: 1 }] });
});

test("the schema of a definition is that of the version", () => {
  const version = (name: string, storage: boolean, type: string) => ({
    name,
    storage,
    served: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec: { type } } } },
  });
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.x.io" },
    spec: {
      group: "x.io",
      names: { kind: "Foo", plural: "foos" },
      scope: "Namespaced",
      versions: [version("v1alpha1", false, "string"), version("v1", true, "integer")],
    },
  } as const;
  const specOf = (name?: string) => schemaOfCrd(crd, name)?.fields.get("spec")?.schema;
  expect(specOf()).toEqual({ type: "scalar", scalar: "integer" });
  expect(specOf("v1alpha1")).toEqual({ type: "scalar", scalar: "string" });
  expect(specOf("v9")).toBeUndefined();
});
