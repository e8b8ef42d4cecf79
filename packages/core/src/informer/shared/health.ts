// Decides from the status alone whether an informer can still receive events, with a reason if it cannot.
//
// An informer that was not started is healthy, and so is one that failed a moment ago, because it retries. The bookmarks that
// servers send about once a minute tell a quiet collection from a dead connection.
import { KubeloopError } from "../../base/index.ts";
import type { InformerStatus } from "../liveness.ts";
import { explainFailure } from "../wait/explain-failure.ts";

export interface HealthOptions {
  /** How long nothing may arrive: no list, no event, no bookmark. Default: 15 min, because no watch lasts longer than 10. */
  readonly maxSilenceMs?: number;
  /** How long lists, or the watches after them, may keep failing. Default: 1 min. */
  readonly maxFailingMs?: number;
}

export type Health = { readonly isHealthy: true } | { readonly isHealthy: false; readonly reason: string };

const defaultSilenceMs = 15 * 60_000;
const defaultFailingMs = 60_000;
const healthy: Health = { isHealthy: true };

/** `nowMs` is the wall time at which the status was read. */
export function decideHealth(status: InformerStatus, nowMs: number, options: HealthOptions = {}): Health {
  const { maxSilenceMs = defaultSilenceMs, maxFailingMs = defaultFailingMs } = options;
  requireNumbers(options);
  const { name, phase, startedMs, failingSinceMs, lastContactMs } = status;
  const sick = (what: string): Health => ({ isHealthy: false, reason: `informer "${name}" ${what}` });
  if (startedMs === undefined) return healthy;
  if (phase === "stopped") return sick("has been stopped");
  if (failingSinceMs !== undefined && phase !== "watching" && nowMs - failingSinceMs > maxFailingMs) {
    return sick(`has failed to list and watch for ${seconds(nowMs - failingSinceMs)}: ${lastFailureOf(status)}`);
  }
  const silentSinceMs = lastContactMs ?? startedMs;
  if (nowMs - silentSinceMs > maxSilenceMs) {
    const since = lastContactMs === undefined ? "since it was started" : "";
    return sick(`has received nothing for ${seconds(nowMs - silentSinceMs)}${since && ` ${since}`}`);
  }
  return healthy;
}

function requireNumbers({ maxSilenceMs = 0, maxFailingMs = 0 }: HealthOptions): void {
  if (!Number.isNaN(maxSilenceMs + maxFailingMs)) return;
  throw new KubeloopError("maxSilenceMs and maxFailingMs must be numbers", { reason: "Invalid", retry: "never" });
}

function lastFailureOf({ lastFailure, phase }: InformerStatus): string {
  return lastFailure === undefined ? `no failure is known, it is ${phase}` : explainFailure(lastFailure.error);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
