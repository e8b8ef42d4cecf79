// What a Website tells about itself: pure functions from what was observed to a status.
import { type appsv1, removeCondition, setCondition } from "@kubeloop/core/api";
import type { Website, WebsiteStatus } from "./generated/web.example.com/v1/website.ts";

export type Verdict = { readonly status: "True" | "False"; readonly reason: string; readonly message: string };

/** Ready is a Website whose Deployment has seen its last change and has as many ready pods as are wanted. */
export function readinessOf(website: Website, deployment: appsv1.Deployment | undefined): Verdict {
  const wanted = website.spec.replicas ?? 1;
  const ready = readyReplicasOf(deployment);
  const isCurrent =
    deployment !== undefined && deployment.status?.observedGeneration === deployment.metadata.generation;
  const message = `${ready} of ${wanted} replicas are ready`;
  return isCurrent && ready >= wanted
    ? { status: "True", reason: "Serving", message }
    : { status: "False", reason: "Progressing", message };
}

export function newStatus(website: Website, deployment: appsv1.Deployment | undefined, nowMs: number): WebsiteStatus {
  const ready = withReady(website, readinessOf(website, deployment), nowMs).conditions;
  const paused = { type: "Paused", status: "True", reason: "Asked", message: "spec.paused is true" } as const;
  const conditions = website.spec.paused
    ? setCondition(ready, paused, nowMs)
    : (removeCondition(ready, "Paused") ?? []);
  return { url: `http://${website.spec.host}`, readyReplicas: readyReplicasOf(deployment), conditions };
}

/** The status as it is, but for the Ready condition. */
export function withReady(website: Website, verdict: Verdict, nowMs: number): WebsiteStatus {
  const { generation } = website.metadata;
  const ready = { type: "Ready", ...verdict, ...(generation === undefined ? {} : { observedGeneration: generation }) };
  return { ...website.status, conditions: setCondition(website.status?.conditions, ready, nowMs) };
}

/** The host that was served last, if it is another one by now. */
export function formerHost({ spec, status }: Website): string | undefined {
  const host = status?.url?.replace("http://", "");
  return host === spec.host ? undefined : host;
}

function readyReplicasOf(deployment: appsv1.Deployment | undefined): number {
  return deployment?.status?.readyReplicas ?? 0;
}
