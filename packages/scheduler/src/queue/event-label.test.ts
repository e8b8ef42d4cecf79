import { expect, test } from "vitest";
import { node, pod } from "../cluster.fixture.ts";
import { claim, csiNode } from "../storage.fixture.ts";
import { type ClusterEvent, nodeEvents, podEvents } from "./cluster-event.ts";
import { eventLabel } from "./event-label.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

const bound = pod("p", { on: "n" });
const labelled = { labels: { a: "b" } };

test.each<[string, readonly ClusterEvent[]]>([
  ["UnschedulableTimeout", [{ on: "timeout" }]],
  ["NodeAdd", [{ on: "node", change: "add", before: undefined, after: node("n") }]],
  ["NodeUpdateNodeLabel", nodeEvents(node("n"), node("n", labelled))],
  ["AssignedPodAdd", [{ on: "pod", change: "add", before: undefined, after: bound }]],
  ["AssignedPodDelete", [{ on: "pod", change: "delete", before: bound, after: undefined }]],
  ["AssignedPodUpdatePodLabel", podEvents(bound, pod("p", { on: "n", ...labelled }))],
  ["UnschedulablePodUpdatePodLabel", podEvents(pod("p"), pod("p", labelled))],
  ["UnschedulablePodUpdate", podEvents(pod("p"), pod("p"))],
  ["PersistentVolumeClaimAdd", [{ on: "persistentVolumeClaim", change: "add", before: undefined, after: claim("c") }]],
  [
    "storage.k8s.io/CSINodeUpdate",
    [{ on: "csiNode", change: "update", before: csiNode("n", {}), after: csiNode("n", {}) }],
  ],
])("%s", (label, events) => {
  expect(events.map(eventLabel)).toEqual([label]);
});

test("a pod's way through the queue is counted by place and event", () => {
  const seen: string[] = [];
  let nowMs = 0;
  const queue = new SchedulingQueue({ now: () => nowMs, incoming: (place, event) => seen.push(`${place} ${event}`) });
  const waiting = pod("p");
  const fail = (rejectingPlugins: ReadonlySet<string>) => {
    const popped = queue.pop();
    if (popped !== undefined) queue.failed(popped, waiting, { rejectingPlugins });
  };
  queue.add(waiting);
  fail(new Set(["NodeName"]));
  queue.wake({ on: "node", change: "add", before: undefined, after: node("n") });
  fail(new Set());
  nowMs = 20_000;
  queue.flushBackoff();
  fail(new Set(["NodeName"]));
  nowMs = 400_000;
  queue.flushUnschedulable();
  expect(queue.pop()?.isFlushed).toBe(true);
  expect(seen).toEqual([
    "active UnschedulablePodAdd",
    "unschedulable ScheduleAttemptFailure",
    "backoff NodeAdd",
    "active PopFromBackoffQ",
    "backoff ScheduleAttemptFailure",
    "active BackoffComplete",
    "unschedulable ScheduleAttemptFailure",
    "active UnschedulableTimeout",
  ]);
});
