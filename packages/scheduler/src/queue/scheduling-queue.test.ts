import type { Pod } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { node, pod } from "../cluster.fixture.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import { type QueuedPod, type QueueOptions, SchedulingQueue } from "./scheduling-queue.ts";

const fit = { rejectingPlugins: new Set(["NodeResourcesFit"]) };
const error = { rejectingPlugins: new Set<string>() };
const newNode: ClusterEvent = { on: "node", change: "add", before: undefined, after: node("n") };
const otherEvent: ClusterEvent = { on: "node", change: "labels", before: node("n"), after: node("n") };

class Clocked {
  nowMs = 10_000;
  readonly queue: SchedulingQueue;

  constructor(options: Partial<QueueOptions> = {}) {
    this.queue = new SchedulingQueue({ now: () => this.nowMs, ...options });
  }

  pop(): QueuedPod {
    const popped = this.queue.pop();
    if (popped === undefined) throw new Error("the queue has nothing to pop");
    return popped;
  }

  fail(waiting: Pod, why: { readonly rejectingPlugins: ReadonlySet<string> }): void {
    this.queue.failed(this.pop(), waiting, why);
  }
}

const nameOf = (queued: QueuedPod | undefined) => queued?.podInfo.pod.metadata.name;

test("higher priority comes first, then whoever came first", () => {
  const clocked = new Clocked();
  for (const [name, priority] of [
    ["a", 1],
    ["b", 5],
    ["c", 5],
  ] as const) {
    clocked.nowMs++;
    clocked.queue.add(pod(name, { priority }));
  }
  expect([1, 2, 3, 4].map(() => nameOf(clocked.queue.pop()))).toEqual(["b", "c", "a", undefined]);
});

test("a refused pod waits until an event may help it", () => {
  const clocked = new Clocked();
  clocked.queue.add(pod("p"));
  clocked.fail(pod("p"), fit);
  expect(clocked.queue.sizes).toEqual({ active: 0, backoff: 0, unschedulable: 1, gated: 0 });
  clocked.queue.wake(otherEvent);
  expect(clocked.queue.sizes.unschedulable).toBe(1);
  clocked.queue.wake(newNode);
  expect(clocked.queue.sizes).toEqual({ active: 0, backoff: 1, unschedulable: 0, gated: 0 });
});

test("an idle queue hands out a woken pod before its backoff is over", () => {
  const clocked = new Clocked();
  clocked.queue.add(pod("p"));
  clocked.fail(pod("p"), fit);
  clocked.queue.wake(newNode);
  expect(nameOf(clocked.queue.pop())).toBe("p");
});

test("but not a pod that failed by an error", () => {
  const clocked = new Clocked();
  clocked.queue.add(pod("p"));
  clocked.fail(pod("p"), error);
  expect(clocked.queue.sizes.backoff).toBe(1);
  expect(clocked.queue.pop()).toBeUndefined();
});

test("backoff doubles up to ten seconds, and ends when the whole second after it has begun", () => {
  const clocked = new Clocked();
  clocked.nowMs = 49_670;
  clocked.queue.add(pod("p"));
  const retriedAt: number[] = [];
  for (let round = 0; round < 6; round++) {
    clocked.fail(pod("p"), error);
    do clocked.nowMs = Math.floor(clocked.nowMs / 1000) * 1000 + 1000;
    while (!clocked.queue.flushBackoff());
    retriedAt.push(clocked.nowMs);
  }
  expect(retriedAt).toEqual([51_000, 54_000, 59_000, 68_000, 79_000, 90_000]);
});

test("a rejection ends the count of errors in a row", () => {
  const clocked = new Clocked();
  clocked.queue.add(pod("p"));
  for (let round = 0; round < 3; round++) {
    clocked.fail(pod("p"), error);
    clocked.queue.activate("uid-of-p");
  }
  clocked.fail(pod("p"), fit);
  clocked.queue.activate("uid-of-p");
  expect(clocked.pop()).toMatchObject({ consecutiveErrors: 0, rejections: 1, attempts: 5 });
});

test("within one second of expiry, priority decides", () => {
  const clocked = new Clocked();
  for (const [name, priority] of [
    ["low", 1],
    ["high", 9],
  ] as const)
    clocked.queue.add(pod(name, { priority }));
  const high = clocked.pop();
  const low = clocked.pop();
  clocked.queue.failed(low, low.podInfo.pod, fit);
  clocked.nowMs += 300;
  clocked.queue.failed(high, high.podInfo.pod, fit);
  clocked.queue.wake(newNode);
  expect([nameOf(clocked.queue.pop()), nameOf(clocked.queue.pop())]).toEqual(["high", "low"]);
});

test.each([
  ["an event that may help", newNode, { backoff: 1, unschedulable: 0 }],
  ["an event that cannot help", otherEvent, { backoff: 0, unschedulable: 1 }],
] as const)("%s while the pod is in flight is looked at when it comes back", (_, event, expected) => {
  const clocked = new Clocked();
  clocked.queue.wake(newNode);
  clocked.queue.add(pod("p"));
  const popped = clocked.pop();
  clocked.queue.wake(event);
  clocked.queue.failed(popped, popped.podInfo.pod, fit);
  expect(clocked.queue.sizes).toMatchObject(expected);
});

test("of several pods in flight, each sees the events since it was popped", () => {
  const clocked = new Clocked();
  for (const name of ["first", "second"]) {
    clocked.nowMs++;
    clocked.queue.add(pod(name));
  }
  const first = clocked.pop();
  clocked.queue.wake(newNode);
  const second = clocked.pop();
  clocked.queue.failed(first, first.podInfo.pod, fit);
  expect(clocked.queue.sizes).toMatchObject({ backoff: 1, unschedulable: 0 });
  clocked.queue.failed(second, second.podInfo.pod, fit);
  expect(clocked.queue.sizes).toMatchObject({ backoff: 1, unschedulable: 1 });
});

test("an event is seen also if the events before it were forgotten while the pod was in flight", () => {
  const clocked = new Clocked();
  for (const name of ["first", "second"]) {
    clocked.nowMs++;
    clocked.queue.add(pod(name));
  }
  clocked.pop();
  clocked.queue.wake(otherEvent);
  const second = clocked.pop();
  clocked.queue.done("uid-of-first");
  clocked.queue.wake(newNode);
  clocked.queue.failed(second, second.podInfo.pod, fit);
  expect(clocked.queue.sizes).toMatchObject({ backoff: 1, unschedulable: 0 });
});

test("a gated pod waits for its last gate, and nothing else wakes it", () => {
  const gates = (...names: readonly string[]) =>
    pod("p", { spec: { schedulingGates: names.map((name) => ({ name })) } });
  const clocked = new Clocked();
  clocked.queue.add(gates("a", "b"));
  clocked.queue.wake(newNode);
  clocked.queue.update(gates("a", "b"), gates("b"));
  expect(clocked.queue.sizes).toMatchObject({ active: 0, gated: 1 });
  clocked.queue.update(gates("b"), gates());
  expect(clocked.queue.sizes).toMatchObject({ active: 1, gated: 0 });
});

test("a pod that is held back goes on when it is activated", () => {
  let isHeld = true;
  const clocked = new Clocked({ gateOf: () => (isHeld ? "DefaultPreemption" : undefined) });
  clocked.queue.add(pod("p"));
  clocked.queue.activate("uid-of-p");
  expect(clocked.queue.sizes).toMatchObject({ active: 0, gated: 1 });
  isHeld = false;
  clocked.queue.activate("uid-of-p");
  expect(clocked.queue.sizes).toMatchObject({ active: 1, gated: 0 });
});

test("a pod is tried again without an event after five minutes", () => {
  const clocked = new Clocked();
  clocked.queue.add(pod("p"));
  clocked.fail(pod("p"), fit);
  clocked.nowMs += 300_000;
  clocked.queue.flushUnschedulable();
  expect(clocked.queue.sizes).toMatchObject({ active: 0, unschedulable: 1 });
  clocked.nowMs++;
  clocked.queue.flushUnschedulable();
  expect(clocked.queue.sizes).toMatchObject({ active: 1, unschedulable: 0 });
});

test("an update replaces the pod where it is; a deleted pod is nowhere", () => {
  const clocked = new Clocked();
  clocked.queue.add(pod("p"));
  clocked.queue.update(pod("p"), pod("p", { labels: { new: "label" } }));
  expect(clocked.pop().podInfo.pod.metadata.labels).toEqual({ new: "label" });
  clocked.queue.done("uid-of-p");
  clocked.queue.add(pod("p"));
  clocked.queue.delete("uid-of-p");
  expect(clocked.queue.pop()).toBeUndefined();
});
