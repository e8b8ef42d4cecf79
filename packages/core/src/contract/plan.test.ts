import { describe, expect, test } from "vitest";
import { jobs, namespaces, pods } from "../api/generated/resources.ts";
import type { batchv1, corev1 } from "../api/index.ts";
import { isCovered, statusVerbs, subresourceVerbs, verbs } from "./access.ts";
import {
  type Action,
  apply,
  callPort,
  create,
  createSubresource,
  mergePatch,
  patchStatus,
  printAction,
  recordEvent,
  remove,
  removeCollection,
  removeObject,
  update,
} from "./actions.ts";
import { Outcome } from "./outcome.ts";
import { actionsOf, nothing, plan, slowStart } from "./plan.ts";
import { definePort } from "./ports.ts";
import {
  Answers,
  answered,
  askPort,
  liveGet,
  liveGetMetadata,
  liveGetSubresource,
  liveList,
  unanswered,
} from "./questions.ts";

const pod: corev1.Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name: "web", uid: "u1" },
  spec: { containers: [] },
};
const job: batchv1.Job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { namespace: "shop", name: "pi" },
  spec: { template: { spec: { containers: [] } } },
};
const { name: _, ...nameless } = pod.metadata;
const generated: corev1.Pod = { ...pod, metadata: { ...nameless, generateName: "web-" } };
const signer = definePort<{ readonly csr: string }, string>("signer");

describe("an action in words", () => {
  for (const [action, words] of [
    [create(pods, pod), "create pods shop/web"],
    [create(pods, generated), "create pods shop/web-*"],
    [update(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }), "update namespaces shop"],
    [mergePatch(jobs, "shop/pi", {}), "patch jobs.batch shop/pi"],
    [patchStatus(jobs, "shop/pi", {}), "patch jobs.batch/status shop/pi"],
    [apply(jobs, { metadata: { name: "pi", namespace: "shop" } }), "apply jobs.batch shop/pi"],
    [remove(pods, "shop/web"), "delete pods shop/web"],
    [removeCollection(pods, { namespace: "shop" }), "deletecollection pods in shop"],
    [createSubresource(pods, "shop/web", "eviction", { body: {} }), "create pods/eviction shop/web"],
    [
      recordEvent(job, { type: "Warning", reason: "FailedCreate", message: "quota" }),
      "event Warning FailedCreate on Job shop/pi",
    ],
    [callPort(signer, { csr: "c" }), "port signer"],
  ] as const) {
    test(words, () => expect(printAction(action as Action)).toBe(words));
  }
});

describe("a plan", () => {
  test("leaves out steps without actions", () => {
    const kept = remove(pods, "shop/web");
    expect(plan("x", [[], [kept], []]).steps).toEqual([[kept]]);
    expect(actionsOf(nothing("in balance"))).toEqual([]);
  });

  for (const [count, first, sizes] of [
    [0, 1, []],
    [1, 1, [1]],
    [2, 1, [1, 1]],
    [10, 1, [1, 2, 4, 3]],
    [500, 1, [1, 2, 4, 8, 16, 32, 64, 128, 245]],
    [7, 2, [2, 4, 1]],
  ] as const) {
    test(`starts slowly: ${count} from ${first} as ${sizes.join(", ") || "nothing"}`, () => {
      const actions = Array.from({ length: count }, (_, i) => remove(pods, `shop/${i}`));
      const steps = slowStart(actions, first);
      expect(steps.map((step) => step.length)).toEqual(sizes);
      expect(steps.flat()).toEqual(actions);
    });
  }

  test("deletes the very object that was seen", () => {
    const action = removeObject(pods, pod, {
      propagationPolicy: "Background",
      preconditions: { resourceVersion: "7" },
    });
    expect(action).toMatchObject({
      key: "shop/web",
      options: { preconditions: { uid: "u1", resourceVersion: "7" }, propagationPolicy: "Background" },
    });
  });
});

describe("an outcome", () => {
  const first = create(pods, pod);
  const second = remove(pods, "shop/a", { tolerates: ["NotFound"] });
  const third = remove(pods, "shop/b");
  const never = remove(pods, "shop/c");
  const outcome = new Outcome([
    [first, { status: "done", value: pod }],
    [second, { status: "tolerated", error: new Error("not there") }],
    [third, { status: "failed", error: new Error("refused") }],
  ]);

  test("gives what the server answered", () => expect(outcome.valueOf(first)?.spec).toBe(pod.spec));
  test("counts what failed as it may as done", () =>
    expect([first, second].every((a) => outcome.isDone(a))).toBe(true));
  test("says why something failed", () => expect(outcome.failureOf(third)?.message).toBe("refused"));
  test("calls skipped what never ran", () => expect(outcome.resultOf(never).status).toBe("skipped"));
  test("has the one failure as its error", () => expect(outcome.error?.message).toBe("refused"));
  test("has no error when nothing failed", () => expect(new Outcome().error).toBeUndefined());
  test("counts several failures", () => {
    const all = new Outcome([first, third].map((action) => [action, { status: "failed", error: new Error("no") }]));
    expect(all.error?.message).toBe("2 actions failed, first: no");
  });
});

describe("questions", () => {
  const answers = new Answers()
    .give(liveGet(pods, "shop/web"), answered(pod))
    .give(liveGet(jobs, "shop/pi"), answered(undefined))
    .give(askPort(signer, { csr: "c" }), unanswered(new Error("no signer")));

  test("are the same when they ask the same", () =>
    expect(answers.answer(liveGet(pods, "shop/web"))).toEqual({ ok: true, value: pod }));
  test("tell absent from unasked", () => {
    expect(answers.answer(liveGet(jobs, "shop/pi"))).toEqual({ ok: true, value: undefined });
    expect(answers.answer(liveGet(jobs, "shop/other"))).toBeUndefined();
  });
  test("tell a failure from an answer", () =>
    expect(answers.answer(askPort(signer, { csr: "c" }))).toMatchObject({ ok: false }));

  const distinct = [
    liveGet(pods, "shop/web"),
    liveGetMetadata(pods, "shop/web"),
    liveGetSubresource(pods, "shop/web", "status"),
    liveGet(jobs, "shop/web"),
    liveList(pods),
    liveList(pods, { namespace: "shop" }),
    liveList(pods, { labelSelector: "shop" }),
    liveList(pods, { fieldSelector: "metadata.name=shop" }),
    askPort(signer, { csr: "c" }),
    askPort(signer, { csr: "d" }),
  ];
  test("are other ones when anything differs", () =>
    expect(new Set(distinct.map(({ id }) => id)).size).toBe(distinct.length));
});

describe("what a controller may do", () => {
  const allowed = [
    verbs(pods, "create", "delete"),
    statusVerbs(jobs, "patch"),
    subresourceVerbs(pods, "eviction", "create"),
  ];
  for (const [action, isAllowed] of [
    [create(pods, pod), true],
    [remove(pods, "shop/web"), true],
    [mergePatch(pods, "shop/web", {}), false],
    [patchStatus(jobs, "shop/pi", {}), true],
    [mergePatch(jobs, "shop/pi", {}), false],
    [createSubresource(pods, "shop/web", "eviction", { body: {} }), true],
    [createSubresource(pods, "shop/web", "binding", { body: {} }), false],
    [recordEvent(job, { type: "Normal", reason: "R", message: "m" }), true],
  ] as const) {
    test(`${printAction(action as Action)}: ${isAllowed ? "yes" : "no"}`, () =>
      expect(isCovered(action as Action, allowed)).toBe(isAllowed));
  }
});
