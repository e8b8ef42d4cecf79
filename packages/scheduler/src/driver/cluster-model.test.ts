import type { Pod } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { node, pod } from "../cluster.fixture.ts";
import { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { ClusterModel } from "./cluster-model.ts";

const fit = { rejectingPlugins: new Set(["NodeResourcesFit"]) };

/** A model of a cluster with one node, and its queue. */
function newModel() {
  let nowMs = 0;
  const queue = new SchedulingQueue({ now: () => nowMs++ });
  const model = new ClusterModel({ queue, isOurs: ({ spec }) => spec.schedulerName !== "other" });
  model.nodeAdded(node("n"));
  /** Lets the pod fail, so that it waits for an event. */
  const refuse = (waiting: Pod) => {
    model.podAdded(waiting);
    const popped = queue.pop();
    if (popped !== undefined) queue.failed(popped, waiting, fit);
  };
  const popped = () => queue.pop()?.podInfo.pod.metadata.name;
  return { model, queue, refuse, popped, onNode: () => model.snapshot.get("n")?.podCount };
}

test("an assumed pod counts at once, and only once when it is seen bound", () => {
  const { model, onNode } = newModel();
  model.podAdded(pod("p"));
  model.assume(pod("p"), "n");
  expect([onNode(), model.isAssumed("uid-of-p")]).toEqual([1, true]);
  model.podUpdated(pod("p"), pod("p", { on: "n" }));
  expect([onNode(), model.isAssumed("uid-of-p")]).toEqual([1, false]);
});

test("a pod that is forgotten frees its place and wakes who waits for one", () => {
  const { model, refuse, popped, onNode } = newModel();
  refuse(pod("waiting"));
  model.assume(pod("p"), "n");
  expect(popped()).toBeUndefined();
  model.forget("uid-of-p");
  expect([onNode(), popped()]).toEqual([0, "waiting"]);
});

test("an update of an assumed pod does not put it back into the queue", () => {
  const { model, popped } = newModel();
  model.assume(pod("p"), "n");
  model.podUpdated(pod("p"), pod("p", { labels: { new: "label" } }));
  expect(popped()).toBeUndefined();
});

test("an assumed pod that is deleted frees its place", () => {
  const { model, onNode } = newModel();
  model.assume(pod("p"), "n");
  model.podDeleted(pod("p"));
  expect([onNode(), model.isAssumed("uid-of-p")]).toEqual([0, false]);
});

test("a pod that somebody else binds leaves the queue", () => {
  const { model, popped, onNode } = newModel();
  model.podAdded(pod("p"));
  model.podUpdated(pod("p"), pod("p", { on: "n" }));
  expect([onNode(), popped()]).toEqual([1, undefined]);
});

test("a pod that has ended is gone, and wakes who waits for its place", () => {
  const { model, refuse, popped, onNode } = newModel();
  const running = pod("p", { on: "n" });
  model.podAdded(running);
  refuse(pod("waiting"));
  const ended = { ...running, status: { phase: "Succeeded" } } as const;
  model.podUpdated(running, ended);
  expect([onNode(), popped()]).toEqual([0, "waiting"]);
  model.podDeleted(ended);
  expect(onNode()).toBe(0);
});

test("a pod of another scheduler counts when it is bound, and is never queued", () => {
  const { model, popped, onNode } = newModel();
  const facts = { spec: { schedulerName: "other" } };
  model.podAdded(pod("p", facts));
  expect(popped()).toBeUndefined();
  model.podUpdated(pod("p", facts), pod("p", { ...facts, on: "n" }));
  expect(onNode()).toBe(1);
});

test.each([
  ["deleted", 5, 5, "waiting"],
  ["deleted", 5, 6, undefined],
  ["cleared", 5, 5, "waiting"],
] as const)(
  "a nomination that is %s, of priority %i, wakes a pod of priority %i: %s",
  (how, priority, other, expected) => {
    const { model, refuse, popped } = newModel();
    const nominated = pod("nominated", {
      priority,
      nominatedNodeName: "n",
      spec: { schedulingGates: [{ name: "g" }] },
    });
    model.podAdded(nominated);
    refuse(pod("waiting", { priority: other }));
    if (how === "deleted") model.podDeleted(nominated);
    else model.podUpdated(nominated, { ...nominated, status: {} });
    expect(popped()).toBe(expected);
    expect([...model.nominator.on("n")]).toEqual([]);
  },
);

test("a nomination of ours is kept while the status does not say it yet", () => {
  const { model } = newModel();
  model.podAdded(pod("p"));
  const queued = pod("p");
  model.nominator.nominate({ pod: queued, uid: "uid-of-p" } as never, "n");
  model.podUpdated(queued, pod("p", { labels: { new: "label" } }));
  expect([...model.nominator.on("n")].map((each) => each.pod.metadata.labels)).toEqual([{ new: "label" }]);
});

test("a pod that was replaced by another of the same name is two pods", () => {
  const { model, onNode } = newModel();
  const before = pod("p", { on: "n" });
  model.podAdded(before);
  model.podUpdated(before, pod("p", { on: "n", metadata: { name: "p", namespace: "default", uid: "another" } }));
  expect(onNode()).toBe(1);
});
