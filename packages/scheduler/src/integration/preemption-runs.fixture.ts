// Preempts for the same pod again and again, with upstream on the server and with ours in memory, to see all that chance may choose.
import { type Clock, seededRandom } from "@kubeloop/core/base";
import { pods } from "@kubeloop/core/resources";
import type { Pod } from "@kubeloop/core/types/core/v1";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import { schedulePod } from "../schedule.ts";
import { Nominator } from "../snapshot/nominator.ts";
import type { CaseObjects } from "./case-objects.fixture.ts";
import type { GeneratedCase } from "./generated-case.fixture.ts";
import { type Observed, observe } from "./observed-cluster.fixture.ts";
import type { UpstreamScheduler } from "./upstream-scheduler.fixture.ts";

export interface PreemptionRuns {
  readonly upstream: UpstreamScheduler;
  readonly objects: CaseObjects;
  readonly clock: Clock;
  readonly runs: number;
}

/** What each has done, as `node: victims`. */
export interface Preemptions {
  readonly ours: ReadonlySet<string>;
  readonly theirs: ReadonlySet<string>;
}

/** Preempts for the first pending pod of the case, whose objects are there. */
export async function runPreemptions(
  generated: GeneratedCase,
  options: PreemptionRuns,
  signal: AbortSignal,
): Promise<Preemptions> {
  const { upstream, objects, runs } = options;
  const [preemptor] = generated.pending;
  if (preemptor === undefined) throw new Error("nobody to preempt for");
  const theirs = new Set<string>();
  let ours: ReadonlySet<string> = new Set();
  for (let run = 0; run < runs; run++) {
    await objects.recreatePods(generated);
    if (run === 0) {
      const pod = await asStored(preemptor, upstream, signal);
      ours = preemptInMemory(pod, await observe(generated, upstream.client, signal), options);
    }
    const before = await upstream.boundPods();
    const pod = await upstream.client.resource(pods).create(preemptor, signal);
    const nodeName = await upstream.until(pod, ({ spec }) => spec.nodeName);
    const after = await upstream.boundPods();
    theirs.add(
      print(
        nodeName,
        [...before].filter((name) => !after.has(name)),
      ),
    );
  }
  return { ours, theirs };
}

function preemptInMemory(
  pod: Pod,
  { snapshot, listers }: Observed,
  { clock, runs }: PreemptionRuns,
): ReadonlySet<string> {
  const found = Array.from({ length: runs }, (_, run) => {
    const verdict = schedulePod(pod, {
      snapshot,
      listers,
      nominator: new Nominator(),
      plugins: defaultPlugins,
      startIndex: 0,
      percentageOfNodesToScore: 0,
      nowMs: clock.now(),
      random: seededRandom(`run ${run}`),
    });
    if (verdict.at !== "unschedulable" || typeof verdict.nomination === "string") return JSON.stringify(verdict);
    const { nodeName, victims } = verdict.nomination;
    return print(
      nodeName,
      victims.map((victim) => victim.pod.metadata.name ?? ""),
    );
  });
  return new Set(found);
}

function print(nodeName: string, victims: readonly string[]): string {
  return `${nodeName}: ${victims.toSorted().join(" ")}`;
}

/** The pod with what the server fills in. A gate keeps upstream away from it. */
async function asStored(pod: Pod, { client }: UpstreamScheduler, signal: AbortSignal): Promise<Pod> {
  const { name = "", namespace = "" } = pod.metadata;
  const schedulingGates = [{ name: "example.com/gate" }];
  const inNamespace = client.resource(pods).in(namespace);
  const created = await inNamespace.create({ ...pod, spec: { ...pod.spec, schedulingGates } }, signal);
  await inNamespace.delete(name, { gracePeriodSeconds: 0 }, signal);
  const { schedulingGates: _, ...spec } = created.spec;
  return { ...created, spec };
}
