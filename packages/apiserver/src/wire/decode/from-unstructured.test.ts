import { type ObjectSchema, schemaOfKind } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { fromUnstructured } from "./from-unstructured.ts";

const schema = schemaOfKind({ apiVersion: "apps/v1", kind: "Deployment" }) as ObjectSchema;
const read = (value: unknown) => fromUnstructured(value, schema);
const inContainer = (fields: object) => ({ spec: { template: { spec: { containers: [fields] } } } });

describe("refused", () => {
  for (const [what, value, words] of [
    ["a list for the whole", [], "cannot restore struct from: slice"],
    ["a text for an object", { spec: "x" }, "cannot restore struct from: string"],
    ["an object for a list", { spec: { template: { spec: { containers: {} } } } }, "cannot restore slice from map"],
    ["a truth for a list", { metadata: { finalizers: true } }, "cannot restore slice from bool"],
    ["a fraction for a map", { metadata: { labels: 1.5 } }, "cannot restore map from float64"],
    ["a whole number for a text", { metadata: { labels: { a: 5 } } }, "cannot convert int64 to string"],
    ["a fraction for a text", { metadata: { labels: { a: 0.5 } } }, "unrecognized type: string"],
    ["a number for a text with a name", inContainer({ imagePullPolicy: 1 }), "cannot convert int64 to v1.PullPolicy"],
    ["a text for a number", { spec: { replicas: "1" } }, "unrecognized type: int32"],
    ["a fraction for a whole number", { spec: { replicas: 1.5 } }, "cannot convert float64 to int32"],
    ["a number for a truth", { spec: { paused: 1 } }, "unrecognized type: bool"],
    [
      "a number for a time",
      { metadata: { creationTimestamp: 5 } },
      "json: cannot unmarshal number into Go value of type string",
    ],
    [
      "a truth for a port",
      inContainer({ livenessProbe: { tcpSocket: { port: true } } }),
      "json: cannot unmarshal bool into Go value of type int32",
    ],
    // The struct's order and not the value's.
    ["the first of two", { spec: { paused: 1, replicas: "x" } }, "unrecognized type: int32"],
  ] as const) {
    test(what, () => expect(() => read(value)).toThrow(words));
  }
});

test("too large a number flows over", () => {
  expect(read({ spec: { replicas: 3_000_000_000 } })).toEqual({ spec: { replicas: -1_294_967_296 } });
});

test("what fits, and what nobody knows, stays as it is", () => {
  const value = { spec: { replicas: 1, odd: [1], paused: null } };
  expect(read(value)).toEqual(value);
});
