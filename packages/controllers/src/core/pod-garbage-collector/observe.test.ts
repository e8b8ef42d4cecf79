import { type corev1, keyOf } from "@kubeloop/core/api";
import { liveGet, plan } from "@kubeloop/core/contract";
import { nodes, pods } from "@kubeloop/core/resources";
import {
  Answers,
  answered,
  newNode,
  newPod,
  outcomeOf,
  plainSnapshot,
  stored,
  unanswered,
} from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { absorb, learn, SeenNodes } from "./model.ts";
import { observe } from "./observe.ts";

const pod = (name: string, nodeName = "", phase: string | undefined = "Running", metadata: object = {}): corev1.Pod =>
  stored(newPod(`shop/${name}`, { metadata, spec: { nodeName }, status: phase === undefined ? {} : { phase } }));
const here = stored(newNode("here"));
const nowMs = 1_000_000;

function modelOf(...some: readonly corev1.Pod[]): SeenNodes {
  const model = new SeenNodes();
  for (const object of some) absorb(model, { type: "add", resource: pods, object, isInitial: true });
  return model;
}
function observed(some: readonly corev1.Pod[], model = modelOf(...some)) {
  const snapshot = plainSnapshot([
    [pods, some],
    [nodes, [here]],
  ]);
  return observe("", { snapshot, model, nowMs });
}

describe("a pod has ended", () => {
  for (const [phase, hasEnded] of [
    ["Succeeded", true],
    ["Failed", true],
    ["Pending", false],
    ["Running", false],
    ["Unknown", false],
    ["", false],
  ] as const) {
    test(`${hasEnded ? "if" : "not if"} its phase is "${phase}"`, () =>
      expect(observed([pod("a", "", phase)]).ended).toHaveLength(hasEnded ? 1 : 0));
  }
  test("not if it has no status", () => {
    const { status: _none, ...bare } = pod("a");
    expect(observed([bare as corev1.Pod]).ended).toEqual([]);
  });
});

test("pods that are being deleted are seen with their nodes", () => {
  const deletion = { deletionTimestamp: "2024-05-01T12:00:00Z" };
  const some = [
    pod("a", "here", "Running", deletion),
    pod("b", "gone", "Running", deletion),
    pod("c", "", "Running", deletion),
    pod("d", "here"),
  ];
  const seen = observed(some).terminating.map((each) => [keyOf(each.pod), each.node]);
  expect(seen).toEqual([
    ["shop/a", here],
    ["shop/b", undefined],
    ["shop/c", undefined],
  ]);
});

describe("a node is missing", () => {
  const far = pod("a", "gone");
  test("when a pod names it and nobody has it", () =>
    expect(observed([far, pod("b", "here"), pod("c")]).missing).toEqual([
      { name: "gone", sinceMs: nowMs, pods: [far] },
    ]));

  test("since a sweep first missed it", () => {
    const model = modelOf(far);
    model.noteMissing([["gone", 5]]);
    expect(observed([far], model).missing).toMatchObject([{ sinceMs: 5 }]);
  });

  test("no longer when its last pod is gone", () => {
    const model = modelOf(far, pod("b", "gone"));
    absorb(model, { type: "delete", resource: pods, object: far });
    expect(observed([pod("b", "gone")], model).missing).toHaveLength(1);
    absorb(model, { type: "delete", resource: pods, object: pod("b", "gone") });
    expect([...model.named()]).toEqual([]);
  });

  test("when a pod is bound to it", () => {
    const model = modelOf(pod("a"));
    absorb(model, { type: "update", resource: pods, before: pod("a"), object: far });
    expect([...model.named()]).toEqual(["gone"]);
  });

  test("once, however often its pods change", () => {
    const model = modelOf(far);
    absorb(model, { type: "update", resource: pods, before: far, object: far });
    absorb(model, { type: "delete", resource: pods, object: far });
    expect([...model.named()]).toEqual([]);
  });

  test("and nodes themselves name none", () => {
    const model = modelOf();
    absorb(model, { type: "add", resource: nodes, object: here, isInitial: true });
    expect([...model.named()]).toEqual([]);
  });
});

describe("the quarantine of a node", () => {
  const question = liveGet(nodes, "gone");
  const sinceAfter = (answers: Answers) => {
    const model = modelOf(pod("a", "gone"));
    const seen = { ended: [], terminating: [], missing: [{ name: "gone", sinceMs: 5, pods: [] }] };
    const outcome = outcomeOf(plan("done", []));
    learn(model, seen, { nowMs, answer: (asked) => answers.answer(asked), outcome });
    return model.missingSince("gone");
  };
  for (const [name, answers, expected] of [
    ["begins when it is first missed, and goes on", new Answers(), 5],
    ["is over when the server does not have it", new Answers().give(question, answered(undefined)), 5],
    ["begins anew when the server has it", new Answers().give(question, answered(here)), nowMs],
    ["begins anew when the server does not say", new Answers().give(question, unanswered(new Error("down"))), nowMs],
  ] as const) {
    test(name, () => expect(sinceAfter(answers)).toBe(expected));
  }

  test("is forgotten when the node is there", () => {
    const model = modelOf();
    model.noteMissing([["gone", 5]]);
    const outcome = outcomeOf(plan("done", []));
    learn(model, { ended: [], terminating: [], missing: [] }, { nowMs, answer: () => undefined, outcome });
    expect(model.missingSince("gone")).toBeUndefined();
  });
});
