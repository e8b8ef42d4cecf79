import type { KubernetesObject } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import type { Draft } from "../kind-rules.ts";
import { keepAllButStatus, keepDescription, keepMetadata } from "./status-metadata.ts";

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

test("whether it is being deleted is kept with the rest of metadata, but not with its description alone", () => {
  const isKept = { deletionTimestamp: "2020-01-01T00:00:00Z" };
  const sent = () => ({ deletionTimestamp: "2030-01-01T00:00:00Z" });
  const after = (keep: typeof keepMetadata, old: object) => {
    const metadata = sent();
    keep(metadata, old);
    return metadata;
  };
  expect(after(keepMetadata, {})).toEqual({});
  expect(after(keepMetadata, isKept)).toEqual(isKept);
  expect(after(keepDescription, isKept)).toEqual(sent());
});
