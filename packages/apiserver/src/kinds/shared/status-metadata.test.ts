import type { KubernetesObject } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import type { Draft } from "../kind-rules.ts";
import { keepAllButStatus, keepMetadata } from "./status-metadata.ts";

interface Thing extends KubernetesObject {
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly extra?: unknown;
}
const thing = (more: object): Thing => ({ kind: "Thing", apiVersion: "v1", metadata: { name: "a" }, ...more });

test("a write of the status keeps everything else, and takes away what was not there", () => {
  const draft = structuredClone(thing({ spec: 2, status: 2, extra: 2 })) as Draft<Thing>;
  keepAllButStatus(draft, thing({ spec: 1, status: 1 }));
  expect(draft).toEqual(thing({ spec: 1, status: 2 }));
});

test("where metadata is kept too, only what says who writes it is not", () => {
  const metadata = {
    name: "a",
    labels: { a: "2" },
    annotations: { b: "2" },
    finalizers: ["c"],
    managedFields: [{ manager: "me" }],
  };
  keepMetadata(metadata, { name: "a", labels: { a: "1" }, ownerReferences: [] });
  expect(metadata).toEqual({
    name: "a",
    labels: { a: "1" },
    ownerReferences: [],
    managedFields: [{ manager: "me" }],
  });
});
