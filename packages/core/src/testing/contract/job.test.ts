import { describe, expect, test } from "vitest";
import { jobs, pods } from "../../api/generated/resources.ts";
import {
  type batchv1,
  type corev1,
  isConditionTrue,
  newControllerReference,
  printTime,
  withFaults,
} from "../../api/index.ts";
import { seededRandom } from "../../base/index.ts";
import { type ActionResult, actionsOf, Outcome, printAction, type Snapshot } from "../../contract/index.ts";
import { Answers, plainSnapshot } from "../rules.ts";
import { decide, type JobSeen, jobController, observe, report, tracking } from "./job.fixture.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

const resources = [jobs, pods];
function job(spec: Partial<batchv1.JobSpec> = {}, more: Partial<batchv1.Job> = {}): batchv1.Job {
  const selector = { matchLabels: { job: "pi" } };
  const template = { metadata: { labels: { job: "pi" } }, spec: { containers: [] } };
  const metadata = { namespace: "shop", name: "pi" };
  return { apiVersion: "batch/v1", kind: "Job", metadata, spec: { selector, template, ...spec }, ...more };
}

async function onStage(spec: Partial<batchv1.JobSpec>, options: Partial<StageOptions> = {}) {
  const stage = new Stage(jobController, { resources, objects: [[jobs, job(spec)]], ...options });
  await stage.clock.advance(3000);
  return stage;
}
type OnStage = Stage<undefined>;

const statusOf = (stage: OnStage) => stage.get(jobs, "shop/pi")?.status ?? {};
const tally = (stage: OnStage) => {
  const { active = 0, succeeded = 0, failed = 0, uncountedTerminatedPods: open = {} } = statusOf(stage);
  return { active, succeeded, failed, uncounted: (open.succeeded?.length ?? 0) + (open.failed?.length ?? 0) };
};
const isComplete = (stage: OnStage) => isConditionTrue(statusOf(stage).conditions, "Complete");
const hasFailed = (stage: OnStage) => isConditionTrue(statusOf(stage).conditions, "Failed");
const activePods = (stage: OnStage) =>
  stage.list(pods).filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed");

/** Terminates pods, as the kubelet does. */
async function end(stage: OnStage, phase: "Succeeded" | "Failed", count = 1) {
  for (const pod of activePods(stage).slice(0, count)) {
    const terminated = { exitCode: phase === "Failed" ? 1 : 0, finishedAt: printTime(stage.clock.now()) };
    const containerStatuses = [
      { name: "c", state: { terminated }, ready: false, restartCount: 0, image: "", imageID: "" },
    ];
    stage.edit(pods, `shop/${pod.metadata.name}`, (each) => ({ ...each, status: { phase, containerStatuses } }));
  }
  await stage.clock.advance(3000);
}

describe("run by the driver", () => {
  test("pods are made by slow start, held by the finalizer", async () => {
    await using stage = await onStage({ parallelism: 5, completions: 5 });
    expect(stage.list(pods)).toHaveLength(5);
    expect(stage.list(pods).every(({ metadata }) => metadata.finalizers?.includes(tracking) === true)).toBe(true);
    expect(stage.events.filter((line) => line.startsWith("Normal SuccessfulCreate"))).toHaveLength(5);
    expect(tally(stage)).toEqual({ active: 5, succeeded: 0, failed: 0, uncounted: 0 });
  });

  test("when the first create is refused, the others are not tried", async () => {
    await using stage = await onStage(
      { parallelism: 5, completions: 5 },
      {
        wrap: (transport, clock) =>
          withFaults(
            transport,
            [{ name: "quota", fault: { kind: "status", code: 403 }, match: { verbs: ["create"] }, nth: [1] }],
            {
              clock,
              random: seededRandom(1),
            },
          ),
      },
    );
    expect(stage.events[0]).toMatch(/^Warning FailedCreate/);
    await stage.clock.advance(10_000);
    expect(stage.list(pods)).toHaveLength(5);
  });

  test("a pod is named, then released, then counted", async () => {
    await using stage = await onStage({ parallelism: 2, completions: 2 });
    await end(stage, "Succeeded");
    expect(tally(stage)).toEqual({ active: 1, succeeded: 1, failed: 0, uncounted: 0 });
    const [released] = stage.list(pods).filter(({ status }) => status?.phase === "Succeeded");
    expect(released?.metadata.finalizers ?? []).toEqual([]);
    const log = stage.server.log.slice(-3).map((line) => line.replace(/-[a-z0-9]{5}$/, ""));
    expect(log).toEqual(["patch jobs/status shop/pi", "patch pods shop/pi", "patch jobs/status shop/pi"]);
  });

  test("it completes when all are counted, and says so once", async () => {
    await using stage = await onStage({ parallelism: 2, completions: 3 });
    await end(stage, "Succeeded", 2);
    await end(stage, "Succeeded", 2);
    expect(tally(stage)).toEqual({ active: 0, succeeded: 3, failed: 0, uncounted: 0 });
    expect(isComplete(stage)).toBe(true);
    expect(stage.events.filter((line) => line.startsWith("Normal Completed"))).toHaveLength(1);
  });

  test("a pod whose finalizer could not be removed is not counted yet", async () => {
    let isRefused = false;
    await using stage = await onStage(
      { parallelism: 2, completions: 2 },
      {
        wrap: (transport, clock) =>
          withFaults(
            transport,
            [
              {
                name: "refused",
                fault: { kind: "status", code: 403 },
                match: { verbs: ["patch"], resources: ["pods"] },
                nth: [1],
              },
            ],
            { clock, random: seededRandom(1), isActive: () => isRefused },
          ),
      },
    );
    isRefused = true;
    await end(stage, "Succeeded", 2);
    const { succeeded, uncounted } = tally(stage);
    expect(succeeded + uncounted).toBe(2);
    await stage.clock.advance(60_000);
    expect(tally(stage)).toMatchObject({ succeeded: 2, uncounted: 0 });
    expect(isComplete(stage)).toBe(true);
  });

  test("a failure is replaced after ten seconds, the next one after twenty", async () => {
    await using stage = await onStage({ completions: 1 });
    await end(stage, "Failed");
    expect(activePods(stage)).toHaveLength(0);
    await stage.clock.advance(8000);
    expect(activePods(stage)).toHaveLength(1);
    await end(stage, "Failed");
    await stage.clock.advance(14_000);
    expect(activePods(stage)).toHaveLength(0);
    await stage.clock.advance(6000);
    expect(activePods(stage)).toHaveLength(1);
    expect(tally(stage)).toMatchObject({ failed: 2, uncounted: 0 });
  });

  test("after too many failures it fails, and what still runs is taken away", async () => {
    await using stage = await onStage({ parallelism: 3, completions: 3, backoffLimit: 0 });
    await end(stage, "Failed");
    await stage.clock.advance(10_000);
    expect(activePods(stage)).toEqual([]);
    expect(hasFailed(stage)).toBe(true);
    expect(statusOf(stage).conditions?.[0]?.reason).toBe("BackoffLimitExceeded");
  });

  test("a suspended job has no pods", async () => {
    await using stage = await onStage({ parallelism: 2, completions: 2 });
    stage.edit(jobs, "shop/pi", (each) => ({ ...each, spec: { ...each.spec, suspend: true } }));
    await stage.clock.advance(10_000);
    expect(activePods(stage)).toEqual([]);
  });

  test("someone else's job is left alone", async () => {
    await using stage = await onStage({ managedBy: "example.com/mine" });
    expect(stage.server.log).toEqual([]);
  });

  test("a matching orphan is adopted after the job was read live", async () => {
    await using stage = await onStage({ parallelism: 1, completions: 1, suspend: true });
    const metadata = { namespace: "shop", name: "orphan", labels: { job: "pi" } };
    stage.edit(jobs, "shop/pi", (each) => ({ ...each, spec: { ...each.spec, suspend: false } }));
    stage.server.server.create(pods, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] } });
    await stage.clock.advance(10_000);
    const adopted = stage.get(pods, "shop/orphan");
    expect(adopted?.metadata.ownerReferences?.[0]?.name).toBe("pi");
    expect(adopted?.metadata.finalizers).toEqual([tracking]);
    expect(stage.server.server.requests.some(({ verb, path }) => verb === "get" && path.endsWith("/jobs/pi"))).toBe(
      true,
    );
  });

  test("pods of a job that is gone are let go", async () => {
    await using stage = await onStage({ parallelism: 2, completions: 2 });
    stage.server.server.delete(jobs, "shop/pi");
    await stage.clock.advance(5000);
    expect(stage.list(pods).map(({ metadata }) => metadata.finalizers ?? [])).toEqual([[], []]);
  });

  test("with half the answers lost, every pod is counted exactly once", async () => {
    await using stage = await onStage(
      { parallelism: 4, completions: 12 },
      {
        wrap: (transport, clock) =>
          withFaults(
            transport,
            [
              {
                name: "lost",
                fault: { kind: "reset", when: "after" },
                match: { verbs: ["create", "patch", "delete"] },
                probability: 0.5,
              },
            ],
            { clock, random: seededRandom("job") },
          ),
      },
    );
    for (let round = 0; round < 40 && !isComplete(stage); round++) {
      expect(activePods(stage).length).toBeLessThanOrEqual(4);
      await end(stage, "Succeeded", 2);
      await stage.clock.advance(120_000);
    }
    expect(isComplete(stage)).toBe(true);
    expect(tally(stage)).toMatchObject({ succeeded: 12, uncounted: 0 });
    expect(stage.list(pods)).toHaveLength(12);
  });
});

describe("decided", () => {
  const own = job(
    { parallelism: 2, completions: 2 },
    { metadata: { namespace: "shop", name: "pi", uid: "j", resourceVersion: "5" } },
  );
  const pod = (name: string, phase: string, finalizers: readonly string[] = [tracking]): corev1.Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "shop",
      name,
      uid: `uid-${name}`,
      finalizers,
      ownerReferences: [newControllerReference(own)],
    },
    spec: { containers: [] },
    status: { phase },
  });
  const nowMs = Date.parse("2030-01-01T00:00:00Z");
  const started = { startTime: printTime(nowMs), active: 0 };
  const context = { nowMs, answer: () => undefined };
  const seen = (
    owned: readonly corev1.Pod[],
    status: batchv1.JobStatus = started,
    orphans: readonly corev1.Pod[] = [],
  ): JobSeen => ({
    job: { ...own, status },
    pods: owned,
    orphans,
  });
  const steps = (given: JobSeen) => {
    const decision = decide(given, context);
    return decision.kind === "ask"
      ? [["ask"]]
      : decision.steps.map((step) => actionsOf({ steps: [step] }).map(printAction));
  };
  const create = "create pods shop/pi-*";
  const write = "edit jobs.batch/status shop/pi";

  for (const [name, given, expected] of [
    ["makes what is missing, one at first", seen([]), [[create], [create]]],
    [
      "names a pod that has ended before it lets it go",
      seen([pod("a", "Succeeded"), pod("b", "Running")]),
      [[write], ["edit pods shop/a"]],
    ],
    [
      "lets go at once what is named already",
      seen([pod("a", "Succeeded"), pod("b", "Running")], {
        ...started,
        active: 1,
        uncountedTerminatedPods: { succeeded: ["uid-a"] },
      }),
      [["edit pods shop/a"]],
    ],
    [
      "counts what is named and has no finalizer any more",
      seen([pod("a", "Succeeded", []), pod("b", "Running")], {
        ...started,
        active: 1,
        uncountedTerminatedPods: { succeeded: ["uid-a"] },
      }),
      [[write]],
    ],
    [
      "takes away what is too many",
      seen([pod("a", "Running"), pod("b", "Running"), pod("c", "Running")], { ...started, active: 3 }),
      [["delete pods shop/c"]],
    ],
    ["asks for the job before it adopts", seen([], started, [pod("o", "Running")]), [["ask"]]],
    [
      "only lets pods go once it is finished",
      seen([pod("a", "Succeeded")], { conditions: [{ type: "Complete", status: "True" }] }),
      [["edit pods shop/a"]],
    ],
  ] as const) {
    test(name, () => expect(steps(given)).toEqual(expected));
  }

  test("does not adopt for a job that was made anew", () => {
    const answers = new Answers();
    const given = seen([pod("a", "Running"), pod("b", "Running")], { ...started, active: 2 }, [
      pod("o", "Running", []),
    ]);
    const asking = decide(given, context);
    if (asking.kind !== "ask") throw new Error("no question");
    for (const question of asking.questions)
      answers.give(question, { ok: true, value: { ...own, metadata: { ...own.metadata, uid: "other" } } });
    expect(decide(given, { nowMs, answer: answers.answer.bind(answers) })).toMatchObject({ kind: "plan", steps: [] });
  });

  test("the report writes against the version that the first write left behind", () => {
    const given = seen([pod("a", "Succeeded"), pod("b", "Running")]);
    const decision = decide(given, context);
    if (decision.kind !== "plan") throw new Error("no plan");
    const [flush, released] = actionsOf(decision);
    if (flush === undefined || released === undefined) throw new Error("two steps");
    const stored = {
      ...given.job,
      metadata: { ...own.metadata, resourceVersion: "6" },
      status: { ...started, active: 1, uncountedTerminatedPods: { succeeded: ["uid-a"] } },
    };
    const outcome = new Outcome(decision, [
      [flush, { status: "done", value: stored }],
      [released, { status: "done", value: pod("a", "Succeeded", []) }],
    ]);
    const told = report(given, outcome, context);
    expect(told?.steps.flat()[0]).toMatchObject({
      before: { metadata: { resourceVersion: "6" } },
      isLocked: true,
      patch: { status: { succeeded: 1, uncountedTerminatedPods: { succeeded: [], failed: [] } } },
    });
  });

  test("nothing is counted when naming failed", () => {
    const given = seen([pod("a", "Succeeded"), pod("b", "Running")]);
    const decision = decide(given, context);
    if (decision.kind !== "plan") throw new Error("no plan");
    const [flush] = actionsOf(decision);
    if (flush === undefined) throw new Error("no step");
    const failed: ActionResult = { status: "failed", error: new Error("conflict") };
    const told = report(given, new Outcome(decision, [[flush, failed]]), context);
    expect(told?.steps.flat() ?? []).toEqual([]);
  });
});

test("orphans of other namespaces are not looked at: of a thousand and one, one is read", () => {
  const orphanIn = (namespace: string, name: string): corev1.Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, labels: { job: "pi" } },
    spec: { containers: [] },
  });
  const elsewhere = Array.from({ length: 1000 }, (_, i) => orphanIn("bank", `p${i}`));
  const whole = plainSnapshot([
    [jobs, [job({}, { metadata: { namespace: "shop", name: "pi", uid: "u" } })]],
    [pods, [...elsewhere, orphanIn("shop", "orphan")]],
  ]);
  let read = 0;
  const byIndex: Snapshot["byIndex"] = (index, value) => {
    const found = whole.byIndex(index, value);
    read += found.length;
    return found;
  };
  const seen = observe("shop/pi", { snapshot: { ...whole, byIndex }, model: undefined, nowMs: 0 });
  expect(seen?.orphans.map(({ metadata }) => metadata.name)).toEqual(["orphan"]);
  expect(read).toBe(1);
});
