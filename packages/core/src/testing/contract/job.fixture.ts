// The core of the job controller, written with the contract. A finalizer makes sure that each pod is counted exactly once. Each of these steps
// starts only after the previous one is stored: (1) terminated pods are listed in status.uncountedTerminatedPods, (2) their finalizers are
// removed in parallel, (3) pods whose finalizer was removed are moved to the counters. A pod that is deleted between two steps is either
// counted or still listed; no pod is counted twice.
import { jobs, pods } from "../../api/generated/resources.ts";
import {
  addFinalizer,
  type batchv1,
  controllerOf,
  type corev1,
  fromLabelSelector,
  isConditionTrue,
  isControlledBy,
  keyOf,
  matchesSelector,
  newControllerReference,
  objectKeyOf,
  parseTime,
  printTime,
  removeFinalizer,
  setControllerReference,
} from "../../api/index.ts";
import {
  type Action,
  ask,
  create,
  type DecideContext,
  type Decision,
  defineIndex,
  editObject,
  editStatus,
  itself,
  liveGet,
  mapped,
  newController,
  nothing,
  type Outcome,
  owned,
  type Plan,
  plan,
  queue,
  recordEvent,
  removeObject,
  type Snapshot,
  slowStart,
  statusVerbs,
  unfinished,
  type View,
  verbs,
} from "../../contract/index.ts";
import { isPodActive } from "../../rules/index.ts";

export const tracking = "batch.kubernetes.io/job-tracking";
const maxUncounted = 500;

export interface JobSeen {
  readonly job: batchv1.Job;
  readonly pods: readonly corev1.Pod[];
  /** Pods that match the selector and have no controller. */
  readonly orphans: readonly corev1.Pod[];
}

/** Pods by the uid of their controller. Orphans are indexed by namespace, so that a job reads no orphans of other namespaces. */
export const podsByController = defineIndex("job-controller-uid", pods, (pod) => [
  controllerOf(pod)?.uid ?? `orphan ${pod.metadata.namespace}`,
]);

export function observe(key: string, { snapshot }: View): JobSeen | undefined {
  const job = snapshot.get(jobs, key);
  if (job === undefined) return undefined;
  const selector = fromLabelSelector(job.spec.selector);
  const orphans = snapshot
    .byIndex(podsByController, `orphan ${job.metadata.namespace}`)
    .filter(({ metadata }) => matchesSelector(selector, metadata.labels));
  return { job, pods: snapshot.byIndex(podsByController, job.metadata.uid ?? ""), orphans };
}

export function decide(seen: JobSeen, context: DecideContext): Decision<PodCounts> {
  const { job } = seen;
  const key = keyOf(job);
  if ((job.spec.managedBy ?? "kubernetes.io/job-controller") !== "kubernetes.io/job-controller") {
    return nothing("is managed by someone else");
  }
  if (isFinished(job)) return plan("finished", [seen.pods.filter(isTracked).map(release)]);
  const adoptable = job.metadata.deletionTimestamp === undefined ? seen.orphans.filter((pod) => !isDeleting(pod)) : [];
  const live = context.answer(liveGet(jobs, key));
  if (adoptable.length > 0 && live === undefined) return ask("is the job still there?", liveGet(jobs, key));
  if (live?.ok === false) return unfinished("the job cannot be read", live.error);
  const isStillThere =
    live?.value?.metadata.uid === job.metadata.uid && live?.value?.metadata.deletionTimestamp === undefined;
  const adoptions = isStillThere ? adoptable.map((pod) => adopt(job, pod)) : [];

  const counts = countPods(seen);
  const status = statusAfter(job, counts, context.nowMs);
  const releases = counts.toRelease.map(release);
  const { steps, requeueAfterMs } = manage(seen, counts, context.nowMs);
  const reason = `${counts.active.length} active, ${status.succeeded ?? 0} succeeded, ${status.failed ?? 0} failed`;
  return plan(reason, [adoptions, [writeStatus(job, status)], releases, ...steps], {
    requeueAfterMs,
    notes: counts,
  });
}

/** Counts the pods whose finalizers have been removed, and finishes the job when no pod is left to count. */
export function report(seen: JobSeen, outcome: Outcome<PodCounts>, context: DecideContext): Plan | undefined {
  const { job } = seen;
  if (outcome.notes === undefined) return undefined;
  const stored = outcome.objectOn(jobs, keyOf(job)) ?? job;
  const released = outcome.notes.toRelease.filter((pod) => outcome.isDoneOn(pods, keyOf(pod)));
  const status = settle(seen, stored.status ?? {}, released, context.nowMs);
  const events = [...creationEvents(job, outcome), ...endEvents(job, status)];
  // If the first status write failed, no pod may be counted now. The next reconcile counts them.
  if (outcome.find({ resource: jobs }).some(({ result }) => result.status === "failed")) return plan("told", [events]);
  return plan("counted", [[writeStatus(stored, status)], events]);
}

interface PodCounts {
  readonly active: readonly corev1.Pod[];
  readonly uncountedSucceeded: readonly string[];
  readonly uncountedFailed: readonly string[];
  /** Pods that were listed as uncounted before and have no finalizer any more. */
  readonly settledSucceeded: number;
  readonly settledFailed: number;
  readonly toRelease: readonly corev1.Pod[];
}

function countPods({ job, pods: owned }: JobSeen): PodCounts {
  const named = job.status?.uncountedTerminatedPods ?? {};
  const tracked = new Map(owned.filter(isTracked).map((pod) => [pod.metadata.uid ?? "", pod]));
  const stillNamed = (uids: readonly string[] = []) => uids.filter((uid) => tracked.has(uid));
  const isNamed = (uid: string) => named.succeeded?.includes(uid) === true || named.failed?.includes(uid) === true;
  const room = maxUncounted - stillNamed(named.succeeded).length - stillNamed(named.failed).length;
  const fresh = [...tracked.values()]
    .filter((pod) => isTerminated(pod) && !isNamed(pod.metadata.uid ?? ""))
    .slice(0, room);
  const uidsOf = (phase: (pod: corev1.Pod) => boolean) => fresh.filter(phase).map(({ metadata }) => metadata.uid ?? "");
  const uncountedSucceeded = [...stillNamed(named.succeeded), ...uidsOf(hasSucceeded)];
  const uncountedFailed = [...stillNamed(named.failed), ...uidsOf((pod) => !hasSucceeded(pod))];
  const uncounted = new Set([...uncountedSucceeded, ...uncountedFailed]);
  return {
    active: owned.filter((pod) => isPodActive(pod)),
    uncountedSucceeded,
    uncountedFailed,
    settledSucceeded: (named.succeeded?.length ?? 0) - stillNamed(named.succeeded).length,
    settledFailed: (named.failed?.length ?? 0) - stillNamed(named.failed).length,
    toRelease: [...tracked.values()].filter((pod) => uncounted.has(pod.metadata.uid ?? "")),
  };
}

function statusAfter(job: batchv1.Job, counts: PodCounts, nowMs: number): batchv1.JobStatus {
  const before = job.status ?? {};
  return {
    ...before,
    startTime: before.startTime ?? printTime(nowMs),
    active: counts.active.length,
    succeeded: (before.succeeded ?? 0) + counts.settledSucceeded,
    failed: (before.failed ?? 0) + counts.settledFailed,
    uncountedTerminatedPods: { succeeded: counts.uncountedSucceeded, failed: counts.uncountedFailed },
  };
}

function settle(
  { job, pods: owned }: JobSeen,
  stored: batchv1.JobStatus,
  released: readonly corev1.Pod[],
  nowMs: number,
): batchv1.JobStatus {
  const gone = new Set(released.map(({ metadata }) => metadata.uid ?? ""));
  const named = stored.uncountedTerminatedPods ?? {};
  const count = (uids: readonly string[] = []) => uids.filter((uid) => gone.has(uid)).length;
  const left = (uids: readonly string[] = []) => uids.filter((uid) => !gone.has(uid));
  const succeeded = (stored.succeeded ?? 0) + count(named.succeeded);
  const failed = (stored.failed ?? 0) + count(named.failed);
  const uncounted = { succeeded: left(named.succeeded), failed: left(named.failed) };
  const status = { ...stored, succeeded, failed, uncountedTerminatedPods: uncounted };
  const isAllCounted = uncounted.succeeded.length === 0 && uncounted.failed.length === 0;
  const hasPodsLeft = owned.some((pod) => !isTerminated(pod) || (isTracked(pod) && !gone.has(pod.metadata.uid ?? "")));
  if (!isAllCounted || hasPodsLeft) return status;
  const end = (type: string, reason: string): batchv1.JobStatus => {
    const condition = { type, status: "True", reason, lastTransitionTime: printTime(nowMs) };
    return { ...status, conditions: [...(status.conditions ?? []), condition] };
  };
  if (failed > (job.spec.backoffLimit ?? 6)) return end("Failed", "BackoffLimitExceeded");
  if (succeeded < (job.spec.completions ?? 1)) return status;
  return { ...end("Complete", "CompletionsReached"), completionTime: printTime(nowMs) };
}

/** Returns the steps that create missing pods or delete excess pods. */
function manage(seen: JobSeen, counts: PodCounts, nowMs: number) {
  const { job } = seen;
  const failed = (job.status?.failed ?? 0) + counts.settledFailed + counts.uncountedFailed.length;
  const succeeded = (job.status?.succeeded ?? 0) + counts.settledSucceeded + counts.uncountedSucceeded.length;
  const isOver = failed > (job.spec.backoffLimit ?? 6) || job.spec.suspend === true;
  const isDeleted = job.metadata.deletionTimestamp !== undefined;
  const left = (job.spec.completions ?? 1) - succeeded;
  const wanted = isOver ? 0 : Math.max(0, Math.min(job.spec.parallelism ?? 1, left));
  const excess = counts.active.slice(wanted);
  if (isDeleted) return { steps: [], requeueAfterMs: undefined };
  if (excess.length > 0) {
    return {
      steps: [excess.map((pod) => removeObject(pods, pod, { tolerates: ["NotFound"] }))],
      requeueAfterMs: undefined,
    };
  }
  const waitMs = backoffMs(failed) - (nowMs - lastFailureMs(seen));
  const missing = wanted - counts.active.length;
  if (missing > 0 && failed > 0 && waitMs > 0) return { steps: [], requeueAfterMs: waitMs };
  const creates = Array.from({ length: Math.min(missing, maxUncounted) }, () => create(pods, newPod(job)));
  return { steps: slowStart(creates), requeueAfterMs: undefined };
}

function backoffMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(10_000 * 2 ** (failures - 1), 600_000);
}

function lastFailureMs({ pods: owned }: JobSeen): number {
  const ends = owned.flatMap((pod) =>
    (pod.status?.containerStatuses ?? []).flatMap(({ state }) =>
      state?.terminated?.finishedAt === undefined ? [] : [parseTime(state.terminated.finishedAt)],
    ),
  );
  return Math.max(0, ...ends);
}

function newPod(job: batchv1.Job): corev1.Pod {
  const { template } = job.spec;
  const { name = "", namespace = "" } = job.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels: { ...template.metadata?.labels },
      finalizers: [tracking],
      ownerReferences: [newControllerReference(job)],
    },
    spec: template.spec ?? { containers: [] },
  };
}

function adopt(job: batchv1.Job, pod: corev1.Pod) {
  const adopted = addFinalizer(setControllerReference(pod, job), tracking);
  return editObject(pods, pod, adopted, { tolerates: ["NotFound"] });
}

function release(pod: corev1.Pod) {
  return editObject(pods, pod, removeFinalizer(pod, tracking), { tolerates: ["NotFound"] });
}

function writeStatus(job: batchv1.Job, status: batchv1.JobStatus) {
  return isSameStatus(job.status, status) ? undefined : editStatus(jobs, job, { ...job, status });
}

function creationEvents(job: batchv1.Job, outcome: Outcome): readonly Action[] {
  return outcome.find({ type: "create", resource: pods }).flatMap(({ result }) => {
    if (result.status === "failed") {
      return [
        recordEvent(job, {
          type: "Warning",
          reason: "FailedCreate",
          message: `Error creating: ${result.error.message}`,
        }),
      ];
    }
    if (result.status !== "done") return [];
    const { name } = (result.value as corev1.Pod).metadata;
    return [recordEvent(job, { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${name}` })];
  });
}

function endEvents(job: batchv1.Job, { conditions }: batchv1.JobStatus): readonly Action[] {
  if (isConditionTrue(conditions, "Complete")) {
    return [recordEvent(job, { type: "Normal", reason: "Completed", message: "Job completed" })];
  }
  const failed = conditions?.find(({ type }) => type === "Failed");
  if (failed === undefined) return [];
  return [recordEvent(job, { type: "Warning", reason: failed.reason ?? "", message: "Job has failed" })];
}

const isTracked = (pod: corev1.Pod) => pod.metadata.finalizers?.includes(tracking) === true;
const isDeleting = (pod: corev1.Pod) => pod.metadata.deletionTimestamp !== undefined;
const hasSucceeded = (pod: corev1.Pod) => pod.status?.phase === "Succeeded";
const isTerminated = (pod: corev1.Pod) => hasSucceeded(pod) || pod.status?.phase === "Failed" || isDeleting(pod);
const isFinished = ({ status }: batchv1.Job) =>
  isConditionTrue(status?.conditions, "Complete") || isConditionTrue(status?.conditions, "Failed");

function isSameStatus(left: batchv1.JobStatus | undefined, right: batchv1.JobStatus): boolean {
  return JSON.stringify(normal(left)) === JSON.stringify(normal(right));
}
const normal = (status: batchv1.JobStatus = {}) => ({
  active: status.active ?? 0,
  succeeded: status.succeeded ?? 0,
  failed: status.failed ?? 0,
  startTime: status.startTime ?? "",
  conditions: status.conditions ?? [],
  uncounted: [status.uncountedTerminatedPods?.succeeded ?? [], status.uncountedTerminatedPods?.failed ?? []],
});

/** Returns the pod if its job does not exist any more and the pod still has the finalizer. */
export function observeOrphan(key: string, { snapshot }: View): corev1.Pod | undefined {
  const pod = snapshot.get(pods, key);
  return pod !== undefined && isTracked(pod) && !ownerLives(pod, snapshot) ? pod : undefined;
}

export function decideOrphan(pod: corev1.Pod, context: DecideContext): Decision {
  const owner = controllerOf(pod);
  if (owner === undefined) return plan("belongs to no job", [[release(pod)]]);
  const question = liveGet(jobs, objectKeyOf(pod.metadata.namespace ?? "", owner.name));
  const live = context.answer(question);
  if (live === undefined) return ask("is its job really gone?", question);
  if (!live.ok) return unfinished("the job cannot be read", live.error);
  return live.value?.metadata.uid === owner.uid
    ? nothing("its job is there")
    : plan("its job is gone", [[release(pod)]]);
}

function ownerLives(pod: corev1.Pod, snapshot: Snapshot): boolean {
  const owner = controllerOf(pod);
  if (owner === undefined) return false;
  const job = snapshot.get(jobs, objectKeyOf(pod.metadata.namespace ?? "", owner.name));
  return job !== undefined && isControlledBy(pod, job);
}

export const jobController = newController({
  name: "job-controller",
  primary: jobs,
  watches: [
    itself(jobs),
    // Pods often change in groups. A delay of one second handles them in one reconcile.
    owned(pods, { afterMs: 1000, owner: jobs }),
    mapped(pods, (pod, snapshot) =>
      isTracked(pod) && !ownerLives(pod, snapshot) ? [{ queue: "orphan pods", key: keyOf(pod) }] : [],
    ),
    mapped(pods, (pod, snapshot) =>
      controllerOf(pod) === undefined
        ? snapshot
            .list(jobs, { namespace: pod.metadata.namespace ?? "" })
            .filter((job) => matchesSelector(fromLabelSelector(job.spec.selector), pod.metadata.labels))
            .map(keyOf)
        : [],
    ),
    mapped(
      jobs,
      (job, snapshot) =>
        snapshot
          .byIndex(podsByController, job.metadata.uid ?? "")
          .map((pod) => ({ queue: "orphan pods", key: keyOf(pod) })),
      { when: ({ type }) => type === "delete" },
    ),
  ],
  indexes: [podsByController],
  reads: [verbs(jobs, "get")],
  writes: [verbs(pods, "create", "delete", "patch"), statusVerbs(jobs, "patch")],
  queues: {
    jobs: queue({
      workers: 5,
      retry: { baseMs: 1000, maxMs: 60_000, bucket: "none" },
      observe,
      decide,
      report,
    }),
    "orphan pods": queue({ observe: observeOrphan, decide: decideOrphan }),
  },
});
