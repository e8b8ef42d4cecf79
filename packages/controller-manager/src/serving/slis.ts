// /metrics/slis: the result of each health check, as a gauge of its last one and a counter by status. Checks are looked at when the page is read.
import type { Transport } from "@kubeloop/core/api";
import { MetricsRegistry } from "@kubeloop/core/base";
import { type HealthChecks, metricsHandler } from "@kubeloop/core/runtime";

export function slisHandler(checks: HealthChecks): Transport {
  const registry = new MetricsRegistry();
  const gauge = registry.gauge({
    name: "kubernetes_healthcheck",
    help: "[STABLE] This metric records the result of a single healthcheck.",
    labels: ["name", "type"],
  });
  const counter = registry.counter({
    name: "kubernetes_healthchecks_total",
    help: "[STABLE] This metric records the results of all healthcheck.",
    labels: ["name", "status", "type"],
  });
  const print = metricsHandler({ print: () => registry.print() });
  return async (request, signal) => {
    for (const { name, kind } of await checks.lookAtAll(new Set(), signal)) {
      const isGood = kind !== "failed";
      gauge.labels({ name, type: "healthz" }).set(isGood ? 1 : 0);
      counter.labels({ name, status: isGood ? "success" : "error", type: "healthz" }).inc();
    }
    return await print(request, signal);
  };
}
