// What is measured of each sync: how many, and how long they took, by the code of what came of them.
import { StatusError } from "@kubeloop/core/api";
import { exponentialBuckets } from "@kubeloop/core/base";
import { counter, type DecideContext, histogram, nothing, type Outcome, type Plan } from "@kubeloop/core/contract";
import type { Notes } from "./decide.ts";

export const syncTotal = counter<"code">({
  name: "root_ca_cert_publisher_sync_total",
  help: "Number of syncs of namespaces by the root CA publisher, by the code of what came of them.",
  labels: ["code"],
});

export const syncDuration = histogram<"code">({
  name: "root_ca_cert_publisher_sync_duration_seconds",
  help: "How long the root CA publisher's syncs of namespaces took, by the code of what came of them.",
  labels: ["code"],
  buckets: exponentialBuckets(0.001, 2, 15),
});

export function report(_seen: unknown, outcome: Outcome<Notes>, { nowMs }: DecideContext): Plan {
  const { beganMs = nowMs } = outcome.notes ?? {};
  const labels = { code: codeOf(outcome.error) };
  // Wall time may be set back.
  const seconds = Math.max(0, nowMs - beganMs) / 1000;
  return nothing("measured", { measures: [syncTotal.inc(labels), syncDuration.observe(seconds, labels)] });
}

function codeOf(error: Error | undefined): string {
  if (error === undefined) return "200";
  return error instanceof StatusError && error.code !== 0 ? String(error.code) : "500";
}
