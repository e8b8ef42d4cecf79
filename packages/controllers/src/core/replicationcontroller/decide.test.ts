// The rules of ReplicaSets, for ReplicationControllers: that each of them comes through the conversion. The rules have their tables there.
import type { corev1 } from "@kubeloop/core/api";
import { actionsOf, type Decision, liveGet, printAction } from "@kubeloop/core/contract";
import { pods, replicationControllers } from "@kubeloop/core/resources";
import {
  Answers,
  answered,
  newObject,
  newPod,
  type Overrides,
  ownedBy,
  plainSnapshot,
  stored,
} from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newDecide } from "../../apps/replicaset/decide.ts";
import { replicationControllerKind as kind } from "./convert.ts";
import { observe } from "./observe.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [] } };
const deletionTimestamp = "2030-01-01T00:00:00Z";
const newController = (spec: Partial<corev1.ReplicationControllerSpec> = {}, metadata: object = {}) =>
  stored(
    newObject(replicationControllers, "shop/web", {
      metadata: { uid: "web", ...metadata },
      spec: { replicas: 2, selector: labels, template, ...spec },
    }),
  );
const active = newController();
const podOf = (name: string, overrides: Overrides<corev1.Pod> = {}) =>
  stored(
    ownedBy(
      active,
      newPod(`shop/${name}`, { metadata: { labels, ...overrides.metadata }, ...withoutMetadata(overrides) }),
    ),
  );
const withoutMetadata = ({ metadata: _metadata, ...rest }: Overrides<corev1.Pod>) => rest;
const [one, two, three] = [podOf("one"), podOf("two"), podOf("three")];
const ready = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
const failed = podOf("failed", { status: { phase: "Failed" } });
const leaving = podOf("leaving", { metadata: { labels, deletionTimestamp } });
const lost = podOf("lost", { metadata: { labels: { app: "other" } } });
const orphan = stored(newPod("shop/orphan", { metadata: { labels } }));
const stranger = stored(newPod("shop/stranger", { metadata: { labels: { app: "other" } } }));
const question = liveGet(replicationControllers, "shop/web");
const itself = new Answers().give(question, answered(active));

function decided(
  controller: corev1.ReplicationController,
  its: readonly corev1.Pod[],
  answers = new Answers(),
  burst = 500,
): Decision<unknown> {
  const snapshot = plainSnapshot([
    [replicationControllers, [controller]],
    [pods, its],
  ]);
  const seen = observe("shop/web", { snapshot, model: undefined, nowMs: 0 });
  if (seen === undefined) throw new Error("nothing was seen");
  const context = { nowMs: 0, answer: ((q) => answers.answer(q)) as Answers["answer"] };
  return newDecide({ kind, burst, usesDeletionCost: true })(seen, context);
}
function said(decision: Decision<unknown>): readonly string[] {
  if (decision.kind === "ask") return decision.questions.map(({ id }) => `ask ${id}`);
  const failure = decision.unfinished === undefined ? [] : [`unfinished: ${decision.unfinished.message}`];
  return [...actionsOf(decision).map(printAction), ...failure];
}
const creations = (count: number) => Array.from({ length: count }, () => expect.stringMatching(/^create pods shop\//));

test.each<[string, Decision<unknown>, readonly unknown[]]>([
  ["has what it wants and is left alone", decided(active, [one, two]), []],
  ["creates what is missing", decided(active, [one]), creations(1)],
  ["creates all where there are none", decided(active, []), creations(2)],
  [
    "creates one where it does not say how many",
    decided(newController({ replicas: undefined as never }), []),
    creations(1),
  ],
  ["creates no more than its burst", decided(newController({ replicas: 9 }), [], undefined, 3), creations(3)],
  [
    "deletes no more than its burst",
    decided(newController({ replicas: 0 }), [one, two, three], undefined, 2),
    [expect.stringContaining("delete pods"), expect.stringContaining("delete pods")],
  ],
  [
    "deletes the one that is not ready",
    decided(active, [podOf("a", ready), podOf("b"), podOf("c", ready)]),
    ["delete pods shop/b"],
  ],
  ["does not count a pod that has failed", decided(active, [one, failed]), creations(1)],
  ["does not count a pod that is being deleted", decided(active, [one, leaving]), creations(1)],
  ["asks before it adopts", decided(active, [one, orphan]), [`ask ${question.id}`]],
  ["adopts a pod that matches", decided(active, [one, orphan], itself), ["edit pods shop/orphan"]],
  ["does not adopt a pod that does not match", decided(active, [one, two, stranger]), []],
  [
    "adopts one too many, and deletes one",
    decided(active, [podOf("a", ready), podOf("b", ready), orphan], itself),
    ["edit pods shop/orphan", "delete pods shop/orphan"],
  ],
  [
    "does not adopt when it is gone",
    decided(active, [one, orphan], new Answers().give(question, answered(undefined))),
    ["unfinished: cannot adopt: ReplicationController shop/web is gone"],
  ],
  [
    "does not adopt when it has just been deleted",
    decided(active, [one, orphan], new Answers().give(question, answered(newController({}, { deletionTimestamp })))),
    [`unfinished: cannot adopt: ReplicationController shop/web has just been deleted at ${deletionTimestamp}`],
  ],
  ["releases a pod that does not match any more", decided(active, [one, two, lost]), ["edit pods shop/lost"]],
  [
    "touches no pod when it is being deleted",
    decided(newController({}, { deletionTimestamp }), [orphan, one, lost]),
    [],
  ],
  [
    "does nothing without a selector",
    decided(newController({ selector: undefined as never }), [one, orphan, lost]),
    [],
  ],
  [
    "creates nothing from a template without labels",
    decided(newController({ template: { spec: { containers: [] } } }), []),
    ["unfinished: unable to create pods, no labels"],
  ],
])("a ReplicationController %s", (_fact, decision, expected) => expect(said(decision)).toEqual(expected));

describe("a pod that it makes", () => {
  const decision = decided(active, [one]);
  const [action] = decision.kind === "plan" ? actionsOf(decision) : [];
  test("is named after it, and controlled by it", () => {
    expect(action?.type === "create" && action.object.metadata).toMatchObject({
      generateName: "web-",
      labels,
      ownerReferences: [{ apiVersion: "v1", kind: "ReplicationController", name: "web", uid: "web", controller: true }],
    });
  });
  test("may come too late for its namespace", () => expect(action?.tolerates).toEqual(["NamespaceTerminating"]));
});
