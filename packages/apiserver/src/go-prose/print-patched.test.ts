import { type KubernetesObject, type ObjectSchema, schemaOfKind } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { toNormalForm } from "../wire/decode/index.ts";
import { printMerged, printOperated } from "./print-patched.ts";

const shown = {
  data: { b: "2", a: "1" },
  metadata: { uid: "u", labels: { z: "1", y: "2" }, name: "m" },
  kind: "ConfigMap",
  apiVersion: "v1",
} as unknown as KubernetesObject;
const before = toNormalForm(shown, schemaOfKind(shown) as ObjectSchema).object as unknown as KubernetesObject;

describe("a merged object", () => {
  for (const [fact, patch, patched, printed] of [
    [
      "what was not touched stands as it is written",
      { data: { a: 5 } },
      { ...before, data: { a: 5 } },
      '{"apiVersion":"v1","data":{"a":5},"kind":"ConfigMap","metadata":{"name":"m","uid":"u","labels":{"y":"2","z":"1"}}}',
    ],
    [
      "what the patch went through is sorted",
      { metadata: { annotations: { b: "1", a: "2" } } },
      { ...before, metadata: { ...before.metadata, annotations: { b: "1", a: "2" } } },
      '{"apiVersion":"v1","data":{"a":"1","b":"2"},"kind":"ConfigMap","metadata":{"annotations":{"a":"2","b":"1"},"labels":{"y":"2","z":"1"},"name":"m","uid":"u"}}',
    ],
    [
      "signs that mean something in a page are escaped",
      { data: { a: "<&>" } },
      { data: { a: "<&>" } },
      '{"data":{"a":"\\u003c\\u0026\\u003e"}}',
    ],
  ] as const) {
    test(fact, () => expect(printMerged(patched, patch, before)).toBe(printed));
  }
});

test("operations sort only the objects on their way", () => {
  const patched = { kind: "K", data: { b: "1", a: "2" }, metadata: { uid: "u", name: "m" } };
  expect(printOperated(patched, [{ op: "add", path: "/metadata/name", value: "m" }])).toBe(
    '{"data":{"b":"1","a":"2"},"kind":"K","metadata":{"name":"m","uid":"u"}}',
  );
});
