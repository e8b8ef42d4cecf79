import { describe, expect, test } from "vitest";
import { jobs, namespaces, pods } from "../api/generated/resources.ts";
import type { batchv1, corev1 } from "../api/index.ts";
import { editVerb, isCovered, statusVerbs, subresourceVerbs, verbs } from "./access.ts";
import { type Action, printAction } from "./actions.ts";
import { editObject, editStatus } from "./edits.ts";
import { Outcome } from "./outcome.ts";
import { actionsOf, inOrder, nothing, plan, slowStart } from "./plan.ts";
import { definePort } from "./ports.ts";
import { Answers, answered, askPort, liveGet, liveGetSubresource, liveList, unanswered } from "./questions.ts";
import {
  apply,
  callPort,
  create,
  createSubresource,
  patch,
  recordEvent,
  remove,
  removeCollection,
  removeObject,
  update,
} from "./writes.ts";

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
    [patch(jobs, "shop/pi", { type: "merge", body: {} }), "patch jobs.batch shop/pi"],
    [editObject(jobs, job, { ...job, spec: { ...job.spec, suspend: true } }), "edit jobs.batch shop/pi"],
    [editStatus(jobs, job, { ...job, status: { active: 1 } }), "edit jobs.batch/status shop/pi"],
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

  test("leaves out edits that change nothing", () => {
    const kept = remove(pods, "shop/web");
    expect(plan("x", [[editObject(pods, pod, pod)], [undefined, kept]]).steps).toEqual([[kept]]);
  });

  test("holds chains, whose actions are its own", () => {
    const [first, second, third] = ["a", "b", "c"].map((name) => remove(pods, `shop/${name}`));
    const chained = plan("x", [[inOrder(first, undefined, second), third]]);
    expect(chained.steps).toEqual([[{ type: "chain", actions: [first, second] }, third]]);
    expect(actionsOf(chained)).toEqual([first, second, third]);
    expect([inOrder(undefined, first), inOrder(undefined)]).toEqual([first, undefined]);
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

  test("starts chains slowly, too", () => {
    const chains = ["a", "b", "c"].map((name) => ({
      type: "chain" as const,
      actions: [remove(pods, `shop/${name}`), remove(jobs, `shop/${name}`)],
    }));
    expect(slowStart(chains)).toEqual([[chains[0]], [chains[1], chains[2]]]);
  });

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
  const outcome = new Outcome(plan("x", [[first, second, third]]), [
    [first, { status: "done", value: pod }],
    [second, { status: "tolerated", error: new Error("not there") }],
    [third, { status: "failed", error: new Error("refused") }],
  ]);
  const noted = new Outcome(plan("x", [], { notes: { left: 3 } }));

  test("gives what the server answered", () => expect(outcome.valueOf(first)?.spec).toBe(pod.spec));
  test("counts what failed as it may as done", () =>
    expect([first, second].every((a) => outcome.isDone(a))).toBe(true));
  test("says why something failed", () => expect(outcome.failureOf(third)?.message).toBe("refused"));
  test("calls skipped what never ran", () => expect(outcome.resultOf(never).status).toBe("skipped"));
  test("has the one failure as its error", () => expect(outcome.error?.message).toBe("refused"));
  test("has no error when nothing failed", () => expect(noted.error).toBeUndefined());
  test("has the notes of the plan", () => expect(noted.notes?.left).toBe(3));
  test("finds actions by what they were about", () => {
    expect(outcome.find({ resource: pods, key: "shop/b" })).toEqual([
      { action: third, result: outcome.resultOf(third) },
    ]);
    expect(outcome.find({ type: "delete" }).map(({ action }) => action)).toEqual([second, third]);
    expect(outcome.find({ resource: jobs })).toEqual([]);
    expect([
      outcome.isDoneOn(pods, "shop/a"),
      outcome.isDoneOn(pods, "shop/b"),
      outcome.isDoneOn(jobs, "shop/a"),
    ]).toEqual([true, false, false]);
    expect(outcome.objectOn(pods, "shop/web")).toBe(pod);
    expect(outcome.objectOn(pods, "shop/a")).toBeUndefined();
  });
  test("an object that was deleted, or answered with another kind, is not the object", () => {
    const ended = new Outcome(plan("x", [[first], [third]]), [
      [first, { status: "done", value: pod }],
      [third, { status: "done", value: { kind: "Status", apiVersion: "v1", metadata: {} } }],
    ]);
    expect([ended.objectOn(pods, "shop/web"), ended.objectOn(pods, "shop/b")]).toEqual([pod, undefined]);
    expect([ended.isComplete, ended.isAnyRefused, outcome.isComplete, outcome.isAnyRefused]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test("tells what was refused from what nobody knows", () => {
    const lost = new Outcome(plan("x", [[third]]), [
      [third, { status: "failed", error: new Error("timeout"), isUnknown: true }],
    ]);
    expect([
      outcome.isRefused(third),
      outcome.isRefused(never),
      outcome.isRefused(first),
      lost.isRefused(third),
    ]).toEqual([true, true, false, false]);
  });

  test("a look-up by key costs the same however many actions there were", () => {
    const reads = (count: number) => {
      let seen = 0;
      const actions = Array.from({ length: count }, (_, i) => {
        const action = remove(pods, `shop/${i}`);
        const get = (target: Action, name: string | symbol) => {
          seen++;
          return Reflect.get(target, name);
        };
        return new Proxy<Action>(action, { get });
      });
      const many = new Outcome(plan("x", [actions]));
      for (let i = 0; i < count; i++) many.isDoneOn(pods, `shop/${i}`, { type: "delete" });
      return seen / count;
    };
    expect(reads(2000)).toBeLessThanOrEqual(reads(20) * 1.01);
  });
  test("counts several failures", () => {
    const failed = [first, third].map((action) => [action, { status: "failed", error: new Error("no") }] as const);
    const all = new Outcome(plan("x", [[first, third]]), failed);
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
    liveGet(pods, "shop/web", { metadataOnly: true }),
    liveGetSubresource(pods, "shop/web", "status"),
    liveGet(jobs, "shop/web"),
    liveList(pods),
    liveList(pods, { metadataOnly: true }),
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
  const suspended = { ...job, spec: { ...job.spec, suspend: true } };
  const allowed = [
    verbs(pods, "create", "delete"),
    verbs(jobs, "update"),
    statusVerbs(jobs, "patch", "update"),
    subresourceVerbs("*", "scale", "update"),
    subresourceVerbs(pods, "eviction", "create"),
  ];
  for (const [action, isAllowed] of [
    [create(pods, pod), true],
    [remove(pods, "shop/web"), true],
    [patch(pods, "shop/web", { type: "merge", body: {} }), false],
    [editObject(pods, pod, { ...pod, spec: { containers: [], nodeName: "n" } }), false],
    [editObject(jobs, job, suspended), true],
    [editStatus(jobs, job, { ...job, status: { active: 1 } }), true],
    [patch(jobs, "shop/pi", { type: "merge", body: {} }), false],
    [update(jobs, job, { subresource: "scale" }), true],
    [update(jobs, job, { subresource: "other" }), false],
    [createSubresource(pods, "shop/web", "eviction", { body: {} }), true],
    [createSubresource(pods, "shop/web", "binding", { body: {} }), false],
    [recordEvent(job, { type: "Normal", reason: "R", message: "m" }), true],
  ] as const) {
    test(`${printAction(action as Action)}: ${isAllowed ? "yes" : "no"}`, () =>
      expect(isCovered(action as Action, allowed)).toBe(isAllowed));
  }

  for (const [action, verb] of [
    [editObject(jobs, job, suspended), "update"],
    [editStatus(jobs, job, { ...job, status: { active: 1 } }), "patch"],
    [editObject(pods, pod, { ...pod, spec: { containers: [], nodeName: "n" } }), undefined],
  ] as const) {
    test(`${printAction(action as Action)} is sent as ${verb ?? "nothing"}`, () =>
      expect(action?.type === "edit" && editVerb(action, allowed)).toBe(verb));
  }
});
