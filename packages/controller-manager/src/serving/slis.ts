// /metrics/slis: the results of health checks, as a gauge of the last one and a counter by status. As upstream's, they are those of the probes:
// what nobody has probed has no value.
import type { Transport } from "@kubeloop/core/api";
import { MetricsRegistry } from "@kubeloop/core/base";
import { type HealthChecks, metricsHandler } from "@kubeloop/core/runtime";

export interface Slis {
  readonly handler: Transport;
  /** The checks for the endpoint of this name; what is probed there is measured. */
  observe(endpoint: string, checks: HealthChecks): Pick<HealthChecks, "lookAtAll" | "look">;
}

export function newSlis(startedMs: number): Slis {
  const registry = new MetricsRegistry();
  const results = registry.gauge({
    name: "kubernetes_healthcheck",
    help: "[STABLE] This metric records the result of a single healthcheck.",
    labels: ["name", "type"],
  });
  const totals = registry.counter({
    name: "kubernetes_healthchecks_total",
    help: "[STABLE] This metric records the results of all healthcheck.",
    labels: ["name", "status", "type"],
  });
  registry
    .gauge({
      name: "process_start_time_seconds",
      help: "[ALPHA] Start time of the process since unix epoch in seconds.",
    })
    .labels({})
    .set(startedMs / 1000);
  return {
    handler: metricsHandler({ print: () => registry.print() }),
    observe: (type, checks) => ({
      look: (name, signal) => checks.look(name, signal),
      async lookAtAll(excluded, signal) {
        const found = await checks.lookAtAll(excluded, signal);
        for (const { name, kind } of found) {
          if (kind === "excluded") continue;
          const isGood = kind !== "failed";
          results.labels({ name, type }).set(isGood ? 1 : 0);
          totals.labels({ name, status: isGood ? "success" : "error", type }).inc();
        }
        return found;
      },
    }),
  };
}
