import { describe, expect, test } from "vitest";
import { describeAnyObject, titleOf } from "./generic.ts";
import { printGoValue } from "./go-value.ts";

describe("the title of a field", () => {
  for (const [field, title] of [
    ["kind", "Kind"],
    ["clusterName", "Cluster Name"],
    ["apiVersion", "API Version"],
    ["uid", "UID"],
    ["ownUid", "Own UID"],
    ["podIPs", "Pod I Ps"],
    ["externalURLs", "External URLs"],
    ["HTTPServer", "HTTPServer"],
    ["aBC", "A BC"],
    ["with-dash", "With - Dash"],
    ["with_under", "with_under"],
    ["web2", "web2"],
    ["", ""],
  ] as const) {
    test(field, () => expect(titleOf(field)).toBe(title));
  }
});

describe("a value as Go prints it", () => {
  for (const [value, text] of [
    [null, "<nil>"],
    ["a b", "a b"],
    [true, "true"],
    [1e21, "1e+21"],
    [1e20, "100000000000000000000"],
    [0.00001, "1e-05"],
    [-2.5e-10, "-2.5e-10"],
    [0.0001, "0.0001"],
    [0, "0"],
    [[1, ["a"], null], "[1 [a] <nil>]"],
    [{ b: 1, a: { c: [] } }, "map[a:map[c:[]] b:1]"],
  ] as const) {
    test(text, () => expect(printGoValue(value)).toBe(text));
  }
});

test("a kind without a description of its own shows all its fields", () => {
  const object = {
    apiVersion: "web.example.com/v1",
    kind: "Website",
    metadata: { name: "a", namespace: "b", labels: { x: "y" }, uid: "u", managedFields: [] },
    spec: { hosts: ["a", { name: "b" }], labels: {}, count: 3, nothing: null },
  };
  expect(describeAnyObject(object, undefined, 0)).toBe(`Name:         a
Namespace:    b
Labels:       x=y
Annotations:  <none>
API Version:  web.example.com/v1
Kind:         Website
Metadata:
  UID:  u
Spec:
  Count:  3
  Hosts:
    a
    Name:  b
  Labels:
  Nothing:  <nil>
`);
});
