import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import type { corev1 } from "../api/index.ts";
import {
  annotationChanged,
  generationChanged,
  isResync,
  labelChanged,
  labelled,
  type Predicate,
  versionChanged,
} from "./predicates.ts";
import type { Change } from "./watches.ts";

type Metadata = corev1.Pod["metadata"];
const pod = (metadata: Metadata): corev1.Pod => ({ apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] } });
const update = (before: Metadata, after: Metadata, cause?: Change["cause"]): Change => ({
  type: "update",
  resource: pods,
  before: pod(before),
  object: pod(after),
  cause,
});
const added = (metadata: Metadata): Change => ({
  type: "add",
  resource: pods,
  object: pod(metadata),
  isInitial: false,
});
const gone = (metadata: Metadata): Change => ({ type: "delete", resource: pods, object: pod(metadata) });

const rows: readonly [fact: string, passes: Predicate, change: Change, expected: boolean][] = [
  ["a new generation counts", generationChanged, update({ generation: 1 }, { generation: 2 }), true],
  ["the same generation does not", generationChanged, update({ generation: 2 }, { generation: 2 }), false],
  ["what has no generation counts", generationChanged, update({}, {}), true],
  ["what is new counts whatever its generation", generationChanged, added({ generation: 1 }), true],
  ["what is gone counts whatever its generation", generationChanged, gone({ generation: 1 }), true],
  ["a resync is no new version", versionChanged, update({ resourceVersion: "2" }, { resourceVersion: "2" }), false],
  ["a new version is one", versionChanged, update({ resourceVersion: "2" }, { resourceVersion: "3" }), true],
  ["a label that changed counts", labelChanged, update({ labels: { a: "1" } }, { labels: { a: "2" } }), true],
  ["a label that came counts", labelChanged, update({}, { labels: { a: "" } }), true],
  [
    "labels in another order are the same",
    labelChanged,
    update({ labels: { a: "1", b: "2" } }, { labels: { b: "2", a: "1" } }),
    false,
  ],
  ["no labels and none are the same", labelChanged, update({}, { labels: {} }), false],
  ["an annotation is no label", labelChanged, update({}, { annotations: { a: "1" } }), false],
  ["an annotation that changed counts", annotationChanged, update({}, { annotations: { a: "1" } }), true],
  ["a label is no annotation", annotationChanged, update({}, { labels: { a: "1" } }), false],
  ["what is new counts for labels", labelChanged, added({}), true],
  ["what is new counts for annotations", annotationChanged, added({}), true],
  ["a resync says that it is one", isResync, update({}, {}, "resync"), true],
  ["a change is no resync", isResync, update({}, {}, "change"), false],
  ["what matches a selector passes", labelled("app=web"), added({ labels: { app: "web" } }), true],
  ["what does not is dropped", labelled("app=web"), added({ labels: { app: "db" } }), false],
  ["what no longer matches passes once more", labelled("app=web"), update({ labels: { app: "web" } }, {}), true],
  ["what begins to match passes", labelled("app=web"), update({}, { labels: { app: "web" } }), true],
  ["what matched neither before nor after is dropped", labelled("app=web"), update({}, {}), false],
  [
    "generations and resyncs together",
    (change) => generationChanged(change) || isResync(change),
    update({ generation: 1 }, { generation: 1 }, "resync"),
    true,
  ],
];

describe("predicates", () => {
  for (const [fact, passes, change, expected] of rows) test(fact, () => expect(passes(change)).toBe(expected));
});
