import { ApiServer } from "@kubeloop/apiserver";
import type { Resource, Transport } from "@kubeloop/core/api";
import { deferred, MetricsRegistry, noLog, systemClock, textLineLog, untilAborted } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { SharedInformerFactory } from "@kubeloop/core/informer";
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
  volumeAttachments,
} from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { node } from "../cluster.fixture.ts";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import { never, withScheduler } from "./running-scheduler.fixture.ts";
import { Scheduler } from "./scheduler.ts";

const full = { requests: { cpu: "4" } };

test("a pod is bound to a node, and an event says so", async () => {
  await withScheduler(async ({ addNode, create, nodeOf, get, notes }) => {
    await addNode(node("a"));
    await create("p");
    expect(await nodeOf("p")).toBe("a");
    expect((await get("p")).status?.conditions?.find(({ type }) => type === "PodScheduled")?.status).toBe("True");
    expect(await notes("Scheduled")).toEqual(["Binding: Successfully assigned default/p to a"]);
  });
});

test("a pod that fits nowhere says why, and is bound as soon as a node comes that it fits", async () => {
  await withScheduler(async ({ addNode, create, messageOf, nodeOf, get, notes }) => {
    await addNode(node("small", { allocatable: { cpu: "1" } }));
    await create("p", full);
    const message =
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    expect(await messageOf("p")).toBe(message);
    expect((await get("p")).status?.conditions).toMatchObject([
      { type: "PodScheduled", status: "False", reason: "Unschedulable", observedGeneration: 1 },
    ]);
    expect(await notes("FailedScheduling")).toEqual([`Scheduling: ${message}`]);
    await addNode(node("large"));
    expect(await nodeOf("p")).toBe("large");
  });
});

test("without nodes the pod is tried again by itself", async () => {
  await withScheduler(async ({ addNode, create, messageOf, nodeOf }) => {
    await create("p");
    expect(await messageOf("p")).toBe("no nodes available to schedule pods");
    await addNode(node("a"));
    expect(await nodeOf("p")).toBe("a");
  });
});

test("pods that are decided on one after the other do not get the same place", async () => {
  await withScheduler(async ({ addNode, create, nodeOf }) => {
    for (const name of ["a", "b", "c"]) await addNode(node(name));
    await Promise.all(["p", "q", "r"].map((name) => create(name, full)));
    const found: string[] = [];
    for (const name of ["p", "q", "r"]) found.push(await nodeOf(name));
    expect(found.sort()).toEqual(["a", "b", "c"]);
  });
});

test("a pod of another scheduler is left alone, and one with a gate waits for it", async () => {
  await withScheduler(async ({ client, addNode, create, nodeOf, get }) => {
    await addNode(node("a"));
    await create("foreign", { spec: { schedulerName: "other" } });
    await create("gated", { spec: { schedulingGates: [{ name: "example.com/wait" }] } });
    await create("plain");
    expect(await nodeOf("plain")).toBe("a");
    for (const name of ["foreign", "gated"]) expect((await get(name)).spec.nodeName).toBeUndefined();
    const patch = { type: "merge", body: { spec: { schedulingGates: null } } } as const;
    await client.resource(pods).in("default").patch("gated", patch, never);
    expect(await nodeOf("gated")).toBe("a");
  });
});

test("each profile has its name and its plugins", async () => {
  const profiles = [
    { schedulerName: "first", plugins: defaultPlugins },
    { schedulerName: "careless", plugins: defaultPlugins.filter(({ plugin }) => plugin.name !== "NodeUnschedulable") },
  ];
  await withScheduler(
    async ({ addNode, create, nodeOf, messageOf }) => {
      await addNode(node("cordoned", { unschedulable: true }));
      await create("p", { spec: { schedulerName: "careless" } });
      await create("q", { spec: { schedulerName: "first" } });
      expect(await nodeOf("p")).toBe("cordoned");
      expect(await messageOf("q")).toContain("1 node(s) were unschedulable.");
    },
    { profiles },
  );
});

test("a pod of higher priority evicts one of lower, is nominated, and takes its place", async () => {
  await withScheduler(async ({ client, addNode, create, nodeOf, notes, until, get }) => {
    await addNode(node("a"));
    await create("victim", { ...full, spec: { priorityClassName: "low", terminationGracePeriodSeconds: 30 } });
    expect(await nodeOf("victim")).toBe("a");
    const preemptor = await create("preemptor", { ...full, spec: { priorityClassName: "high" } });
    const victim = await until("the victim terminates", async () => {
      const found = await get("victim");
      return found.metadata.deletionTimestamp === undefined ? undefined : found;
    });
    expect(victim.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(victim.status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "PreemptionByScheduler",
      message: "default-scheduler: preempting to accommodate a higher priority pod",
    });
    await until("a nomination", async () =>
      (await get("preemptor")).status?.nominatedNodeName === "a" ? "a" : undefined,
    );
    expect(await notes("Preempted")).toEqual([`Preempting: Preempted by pod ${preemptor.metadata.uid} on node a`]);
    expect(await notes("FailedScheduling")).toEqual(["Scheduling: 0/1 nodes are available: 1 Insufficient cpu."]);
    await client.resource(pods).in("default").delete("victim", { gracePeriodSeconds: 0 }, never);
    expect(await nodeOf("preemptor")).toBe("a");
    expect((await get("preemptor")).status?.nominatedNodeName ?? "").toBe("");
  });
});

test("a preemptor whose victims are gone before the server has answered does not wait for them", async () => {
  await withScheduler(async ({ addNode, create, nodeOf }) => {
    await addNode(node("a"));
    for (const name of ["v1", "v2"]) {
      await create(name, { requests: { cpu: "2" }, spec: { priorityClassName: "low" } });
      expect(await nodeOf(name)).toBe("a");
    }
    await create("preemptor", { ...full, spec: { priorityClassName: "high" } });
    expect(await nodeOf("preemptor")).toBe("a");
  });
});

test("a binding that the server refuses is tried again with backoff, and the place is free meanwhile", async () => {
  let refusals = 1;
  const wrap =
    (transport: Transport): Transport =>
    async (request, signal) => {
      if (request.path.endsWith("/binding") && refusals-- > 0) throw new Error("the wire is cut");
      return await transport(request, signal);
    };
  await withScheduler(
    async ({ addNode, clock, create, nodeOf, messageOf }) => {
      await addNode(node("a"));
      const startedMs = clock.now();
      await create("p", full);
      expect(await messageOf("p")).toMatch(/^running Bind plugin "DefaultBinder": .*the wire is cut/);
      expect(await nodeOf("p")).toBe("a");
      expect(clock.now() - startedMs).toBeGreaterThanOrEqual(1000);
    },
    { wrap },
  );
});

test("a pod that is deleted while it is being bound is no cause for a warning", async () => {
  const warnings: string[] = [];
  const log = textLineLog({ now: () => 0, level: "warn", write: (line) => warnings.push(line) });
  let deletePod = async () => {};
  const wrap =
    (transport: Transport): Transport =>
    async (request, signal) => {
      if (request.path.endsWith("/gone/binding")) await deletePod();
      return await transport(request, signal);
    };
  await withScheduler(
    async ({ addNode, client, create, nodeOf }) => {
      const deleted = deferred();
      deletePod = async () => {
        await client.resource(pods).in("default").delete("gone", { gracePeriodSeconds: 0 }, never);
        deleted.resolve();
      };
      await addNode(node("a"));
      await create("gone", full);
      await deleted.promise;
      await create("p", full);
      expect(await nodeOf("p")).toBe("a");
    },
    { wrap, log },
  );
  expect(warnings).toEqual([]);
});

test("attempts, victims and waiting pods are counted under upstream's names", async () => {
  const metrics = new MetricsRegistry();
  await withScheduler(
    async ({ addNode, create, nodeOf, messageOf }) => {
      await addNode(node("a"));
      await create("victim", { ...full, spec: { priorityClassName: "low" } });
      await nodeOf("victim");
      await create("preemptor", { ...full, spec: { priorityClassName: "high" } });
      await nodeOf("preemptor");
      await create("late", full);
      await messageOf("late");
      const lines = metrics.print().split("\n");
      expect(
        lines.filter((line) => /^scheduler_(?!.*(?:bucket|duration|plugin_evaluation))/.test(line)).sort(),
      ).toEqual([
        'scheduler_cache_size{type="assumed_pods"} 0',
        'scheduler_cache_size{type="nodes"} 1',
        'scheduler_cache_size{type="pods"} 1',
        'scheduler_goroutines{operation="binding"} 0',
        'scheduler_inflight_events{event="PodPopped"} 0',
        'scheduler_pending_pods{queue="active"} 0',
        'scheduler_pending_pods{queue="backoff"} 0',
        'scheduler_pending_pods{queue="gated"} 0',
        'scheduler_pending_pods{queue="unschedulable"} 1',
        "scheduler_pod_scheduled_after_flush_total 0",
        "scheduler_pod_scheduling_attempts_count 2",
        "scheduler_pod_scheduling_attempts_sum 3",
        "scheduler_preemption_attempts_total 2",
        'scheduler_preemption_goroutines_execution_total{result="success"} 1',
        "scheduler_preemption_victims_count 1",
        "scheduler_preemption_victims_sum 1",
        'scheduler_queue_incoming_pods_total{queue="active",event="PopFromBackoffQ"} 1',
        'scheduler_queue_incoming_pods_total{queue="active",event="UnschedulablePodAdd"} 3',
        'scheduler_queue_incoming_pods_total{queue="backoff",event="AssignedPodDelete"} 1',
        'scheduler_queue_incoming_pods_total{queue="unschedulable",event="ScheduleAttemptFailure"} 2',
        'scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 2',
        'scheduler_schedule_attempts_total{result="unschedulable",profile="default-scheduler"} 2',
        'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
      ]);
      const count = (name: string) =>
        lines
          .flatMap((line) => (line.startsWith(`scheduler_${name}`) ? [line.slice(`scheduler_${name}`.length)] : []))
          .sort();
      expect(count("pod_scheduling_sli_duration_seconds_count")).toEqual(['{attempts="1"} 1', '{attempts="2"} 1']);
      expect(count("preemption_goroutines_duration_seconds_count")).toEqual(['{result="success"} 1']);
      expect(count("scheduling_algorithm_duration_seconds_count")).toEqual([" 4"]);
      expect(count("scheduling_attempt_duration_seconds_count")).toEqual([
        '{result="scheduled",profile="default-scheduler"} 2',
        '{result="unschedulable",profile="default-scheduler"} 2',
      ]);
      // Four cycles: two that place a pod, one that finds victims, one that finds none. With one node, nothing is scored. The preemptor comes to the
      // queue three times: new, when its victim is gone, and when the eviction has ended.
      const ofPoint = (point: string, status: string) =>
        `{extension_point="${point}",status="${status}",profile="default-scheduler"}`;
      expect(count("framework_extension_point_duration_seconds_count")).toEqual(
        [
          `${ofPoint("Bind", "Success")} 2`,
          `${ofPoint("Filter", "Success")} 4`,
          `${ofPoint("Permit", "Success")} 2`,
          `${ofPoint("PostBind", "Success")} 2`,
          `${ofPoint("PostFilter", "Success")} 1`,
          `${ofPoint("PostFilter", "Unschedulable")} 1`,
          `${ofPoint("PreBind", "Success")} 2`,
          `${ofPoint("PreBindPreFlight", "Skip")} 2`,
          `${ofPoint("PreEnqueue", "Success")} 5`,
          `${ofPoint("PreFilter", "Success")} 4`,
          `${ofPoint("Reserve", "Success")} 2`,
        ].sort(),
      );
      expect(count("plugin_evaluation_total").filter((line) => !line.endsWith(" 0"))).toEqual([
        '{plugin="NodeResourcesFit",extension_point="Filter",profile="default-scheduler"} 6',
        '{plugin="NodeResourcesFit",extension_point="PreFilter",profile="default-scheduler"} 4',
        '{plugin="NodeUnschedulable",extension_point="Filter",profile="default-scheduler"} 6',
        '{plugin="TaintToleration",extension_point="Filter",profile="default-scheduler"} 6',
      ]);
      // Of the first cycle alone, each tenth being measured so closely.
      expect(count('plugin_execution_duration_seconds_count{plugin="NodeResourcesFit"')).toEqual([
        ',extension_point="Filter",status="Success"} 1',
        ',extension_point="PreFilter",status="Success"} 1',
      ]);
      expect(count('event_handling_duration_seconds_count{event="AssignedPodAdd"')).toEqual(["} 2"]);
      expect(count('queueing_hint_execution_duration_seconds_count{plugin="NodeResourcesFit"')).toEqual([
        ',event="AssignedPodDelete",hint="Queue"} 1',
      ]);
    },
    { metrics },
  );
});

test("told to stop before all its caches are filled, it ends", async () => {
  await using server = await ApiServer.open({ log: noLog });
  const asked = deferred();
  // Those that wake pods are filled, and one that is only read is not.
  const transport: Transport = (request, signal) => {
    if (!request.path.endsWith("/replicasets")) return server.transport(request, signal);
    asked.resolve();
    return untilAborted(new Promise<never>(() => {}), signal);
  };
  const stop = new AbortController();
  const client = clientOf(transport);
  const informers = new SharedInformerFactory(client, { log: noLog });
  const caching = new AbortController();
  const cached = informers.run(caching.signal);
  const ended = new Scheduler({ client, informers, log: noLog }).run(stop.signal);
  await asked.promise;
  const watched = [pods, nodes, persistentVolumes, persistentVolumeClaims, storageClasses, csiNodes, csiDrivers];
  for (const resource of [...watched, csiStorageCapacities, volumeAttachments] as readonly Resource[])
    await informers.of(resource).informer.whenSynced(stop.signal);
  for (let round = 0; round < 20; round++) await systemClock.yield();
  stop.abort();
  await ended;
  caching.abort();
  await cached;
});
