// What is measured about exec plugins, under upstream's names: how their calls ended, how long their certificates live, and how old they were
// when they were replaced.
import { X509Certificate } from "node:crypto";
import type { Clock, HistogramDefinition, MetricDefinition, Metrics } from "../../base/index.ts";
import type { FetchedCredential } from "./renewed-credentials.ts";

const day = 86_400;

export const execPluginMetrics = {
  ttl: {
    name: "rest_client_exec_plugin_ttl_seconds",
    help:
      "Gauge of the shortest TTL (time-to-live) of the client certificate(s) managed by the auth exec plugin. The value is in seconds " +
      "until certificate expiry (negative if already expired). If auth exec plugins are unused or manage no TLS certificates, the value " +
      "will be +INF.",
  },
  rotationAge: {
    name: "rest_client_exec_plugin_certificate_rotation_age",
    help:
      "Histogram of the number of seconds the last auth exec plugin client certificate lived before being rotated. If auth exec plugin " +
      "client certificates are unused, histogram will contain no data.",
    buckets: [600, 1800, 3600, 14_400, day, 7 * day, 30 * day, 90 * day, 180 * day, 360 * day, 1440 * day],
  },
  calls: {
    name: "rest_client_exec_plugin_call_total",
    help:
      "Number of calls to an exec plugin, partitioned by the type of event encountered (no_error, plugin_execution_error, " +
      "plugin_not_found_error, client_internal_error) and an optional exit code. The exit code will be set to 0 if and only if the plugin " +
      "call was successful.",
    labels: ["code", "call_status"],
  },
} as const satisfies Readonly<Record<string, MetricDefinition | HistogramDefinition>>;

/** They are there, without a plugin, too. */
export function registerExecPluginMetrics(metrics: Metrics): void {
  metrics.gauge(execPluginMetrics.ttl).labels({}).set(Number.POSITIVE_INFINITY);
  metrics.histogram(execPluginMetrics.rotationAge);
  metrics.counter(execPluginMetrics.calls);
}

/** What became of one call. An exit code is known only if the program ran. */
export type ExecCall =
  | { readonly status: "no_error"; readonly fetched: FetchedCredential }
  | { readonly status: "plugin_execution_error"; readonly exitCode: number }
  | { readonly status: "plugin_not_found_error" | "client_internal_error" };

/** Of one plugin. Its certificate counts until a call brings another one. */
export function observeExecPlugin(metrics: Metrics, clock: Clock): (call: ExecCall) => void {
  registerExecPluginMetrics(metrics);
  const ttl = metrics.gauge(execPluginMetrics.ttl).labels({});
  const rotationAge = metrics.histogram(execPluginMetrics.rotationAge).labels({});
  const calls = metrics.counter(execPluginMetrics.calls);
  const expiries = expiriesOf(metrics);
  let last: { readonly pem: string; readonly validFromMs: number } | undefined;
  const expiry = { atMs: Number.POSITIVE_INFINITY };
  expiries.add(expiry);
  metrics.onCollect(() => {
    const soonestMs = Math.min(...[...expiries].map(({ atMs }) => atMs));
    ttl.set((soonestMs - clock.now()) / 1000);
  });
  return (call) => {
    const code = call.status === "no_error" ? 0 : call.status === "plugin_execution_error" ? call.exitCode : 1;
    calls.labels({ code: String(code), call_status: call.status }).inc();
    if (call.status !== "no_error") return;
    const pem = call.fetched.certificate?.certificatePem;
    if (last !== undefined && pem !== last.pem) rotationAge.observe((clock.now() - last.validFromMs) / 1000);
    const life = pem === undefined ? undefined : readLife(pem);
    last = pem === undefined || life === undefined ? undefined : { pem, validFromMs: life.fromMs };
    expiry.atMs = life?.toMs ?? Number.POSITIVE_INFINITY;
  };
}

/** Undefined for what is no certificate: whoever uses it will say so. */
function readLife(pem: string): { readonly fromMs: number; readonly toMs: number } | undefined {
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
  } catch {
    return undefined;
  }
}

/** All plugins of one process share a gauge: the soonest expiry counts. */
const allExpiries = new WeakMap<Metrics, Set<{ atMs: number }>>();

function expiriesOf(metrics: Metrics): Set<{ atMs: number }> {
  const known = allExpiries.get(metrics) ?? new Set<{ atMs: number }>();
  allExpiries.set(metrics, known);
  return known;
}
