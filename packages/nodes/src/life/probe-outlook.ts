// What the probes of a container will find, computed when the container starts: when it counts as started, when its readiness changes, and when a
// probe kills it. A hollow node opens no socket: a probe passes in the time that the container's script says, so that the results of all probes
// are known in advance and nobody has to wake up for each period.
//
// Times are milliseconds since 1970. A probe runs at the start of the container and then once in each period; runs before the initial delay are
// skipped, not shifted. Liveness and readiness begin when the startup probe has passed.
import type { corev1 } from "@kubeloop/core/api";
import type { ContainerScript, ProbeScript } from "../script/container-script.ts";

export type ProbeKind = "startup" | "readiness" | "liveness";

export interface ProbeOutlook {
  /** When the startup probe has passed; Infinity if it never does. */
  readonly startedMs: number;
  readonly readiness: readonly { readonly atMs: number; readonly isReady: boolean }[];
  /** When a liveness or startup probe has failed for good, and which. */
  readonly kill: { readonly atMs: number; readonly by: "liveness" | "startup" } | undefined;
  /** Failed runs up to the one that changes something. The repetitions after it change nothing, so they are left out. */
  readonly failures: readonly { readonly atMs: number; readonly probe: ProbeKind }[];
}

type ProbedContainer = Pick<corev1.Container, "startupProbe" | "readinessProbe" | "livenessProbe">;

export function probeOutlook(container: ProbedContainer, script: ContainerScript, startedAtMs: number): ProbeOutlook {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const failures: { atMs: number; probe: ProbeKind }[] = [];
  const startup = startupProbe && toRuns(startupProbe, script.probes.startup, startedAtMs, startedAtMs);
  const startedMs = startup === undefined ? startedAtMs : streakEnd(startup, "passing", startup.firstMs, 1);
  let kill: ProbeOutlook["kill"];
  if (startup !== undefined) {
    const failedMs = streakEnd(startup, "failing", startup.firstMs, startup.failureThreshold);
    if (failedMs < startedMs) kill = { atMs: failedMs, by: "startup" };
    failures.push(...failedRuns(startup, "startup", Math.min(startedMs, failedMs)));
  }
  if (kill !== undefined || startedMs === Number.POSITIVE_INFINITY) {
    return { startedMs: Number.POSITIVE_INFINITY, readiness: [], kill, failures };
  }
  if (livenessProbe !== undefined) {
    const runs = toRuns(livenessProbe, script.probes.liveness, startedAtMs, startedMs);
    const failedMs = streakEnd(runs, "failing", runs.firstMs, runs.failureThreshold);
    if (failedMs < Number.POSITIVE_INFINITY) {
      kill = { atMs: failedMs, by: "liveness" };
      failures.push(...failedRuns(runs, "liveness", failedMs));
    }
  }
  const readiness = readinessOf(readinessProbe, script, startedAtMs, startedMs, failures);
  return { startedMs, readiness, kill, failures: failures.sort((a, b) => a.atMs - b.atMs) };
}

function readinessOf(
  probe: corev1.Probe | undefined,
  script: ContainerScript,
  startedAtMs: number,
  startedMs: number,
  failures: { atMs: number; probe: ProbeKind }[],
): ProbeOutlook["readiness"] {
  if (probe === undefined) {
    // Without a probe a container is ready as soon as it has started, but annotations may say otherwise.
    const { passesFromMs, failsFromMs } = script.probes.readiness;
    const readyMs = Math.max(startedMs, startedAtMs + passesFromMs);
    const unreadyMs = startedAtMs + failsFromMs;
    const changes = [
      { atMs: readyMs, isReady: true },
      { atMs: unreadyMs, isReady: false },
    ];
    return changes.filter(({ atMs }) => atMs < Number.POSITIVE_INFINITY && readyMs < unreadyMs);
  }
  const runs = toRuns(probe, script.probes.readiness, startedAtMs, startedMs);
  const readyMs = streakEnd(runs, "passing", runs.firstMs, runs.successThreshold);
  const firstFailedMs = streakEnd(runs, "failing", runs.firstMs, runs.failureThreshold);
  failures.push(...failedRuns(runs, "readiness", Math.min(readyMs, firstFailedMs)));
  if (readyMs === Number.POSITIVE_INFINITY) return [];
  const ready = { atMs: readyMs, isReady: true };
  const unreadyMs = streakEnd(runs, "failing", readyMs, runs.failureThreshold);
  if (unreadyMs === Number.POSITIVE_INFINITY) return [ready];
  failures.push(...failedRuns({ ...runs, firstMs: readyMs }, "readiness", unreadyMs));
  return [ready, { atMs: unreadyMs, isReady: false }];
}

interface Runs {
  readonly firstMs: number;
  readonly periodMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** When the probe passes. */
  readonly passesFromMs: number;
  readonly failsFromMs: number;
}

function toRuns(probe: corev1.Probe, script: ProbeScript, startedAtMs: number, fromMs: number): Runs {
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const earliestMs = startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000;
  const skipped = Math.max(0, Math.ceil((earliestMs - fromMs) / periodMs));
  return {
    firstMs: fromMs + skipped * periodMs,
    periodMs,
    successThreshold: probe.successThreshold ?? 1,
    failureThreshold: probe.failureThreshold ?? 3,
    passesFromMs: startedAtMs + script.passesFromMs,
    failsFromMs: startedAtMs + script.failsFromMs,
  };
}

/** Returns the time of the first run, from `fromMs` on, that is the `threshold`th in a row with this result; Infinity if there is none. */
function streakEnd(runs: Runs, result: "passing" | "failing", fromMs: number, threshold: number): number {
  const { passesFromMs, failsFromMs } = runs;
  const intervals: readonly (readonly [number, number])[] =
    result === "passing"
      ? [[passesFromMs, failsFromMs]]
      : passesFromMs < failsFromMs
        ? [
            [Number.NEGATIVE_INFINITY, passesFromMs],
            [failsFromMs, Number.POSITIVE_INFINITY],
          ]
        : [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]];
  for (const [beginMs, endMs] of intervals) {
    const firstMs = firstRunFrom(runs, Math.max(beginMs, fromMs));
    const lastMs = firstMs + (threshold - 1) * runs.periodMs;
    if (lastMs < endMs) return lastMs;
  }
  return Number.POSITIVE_INFINITY;
}

function firstRunFrom({ firstMs, periodMs }: Runs, fromMs: number): number {
  if (fromMs <= firstMs || fromMs === Number.POSITIVE_INFINITY) return Math.max(firstMs, fromMs);
  return firstMs + Math.ceil((fromMs - firstMs) / periodMs) * periodMs;
}

/** More failures than this before a change are left out: who waits for days to become ready is no news each time. */
const mostFailures = 100;

function failedRuns(runs: Runs, probe: ProbeKind, untilMs: number): { atMs: number; probe: ProbeKind }[] {
  const failed: { atMs: number; probe: ProbeKind }[] = [];
  for (let atMs = runs.firstMs; atMs <= untilMs && failed.length < mostFailures; atMs += runs.periodMs) {
    if (atMs < runs.passesFromMs || atMs >= runs.failsFromMs) failed.push({ atMs, probe });
  }
  return failed;
}
