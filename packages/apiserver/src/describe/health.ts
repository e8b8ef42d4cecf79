// `/healthz`, `/livez`, `/readyz`: one word for probes, a line per check for people who ask, and each check under a path of its own.
import { type ApiRequest, type ApiResponse, bytesResponse } from "@kubeloop/core/api";
import { MetricsRegistry } from "@kubeloop/core/base";
import type { HealthCheck, HealthEndpoint } from "./health-checks.ts";

export async function answerHealth(
  { query }: ApiRequest,
  endpoint: HealthEndpoint,
  only: string | undefined,
  checks: readonly HealthCheck[],
): Promise<ApiResponse | undefined> {
  const all = checks.filter(({ endpoints }) => endpoints.includes(endpoint));
  if (only !== undefined) return await answerOne(all.find(({ name }) => name === only));
  const excluded = new Set(query.filter(([name]) => name === "exclude").map(([, value]) => value));
  const lines: string[] = [];
  let isWell = true;
  for (const each of all) {
    if (excluded.delete(each.name)) {
      lines.push(`[+]${each.name} excluded: ok`);
      continue;
    }
    const fault = await each.check();
    if (fault === undefined) lines.push(`[+]${each.name} ok`);
    else {
      isWell = false;
      lines.push(`[-]${each.name} failed: reason withheld`);
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].toSorted().map((name) => JSON.stringify(name));
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(",")}`);
  }
  if (!isWell) return plain(500, `${lines.join("\n")}\n${endpoint} check failed\n`, unsniffed);
  const isVerbose = query.some(([name]) => name === "verbose");
  return plain(200, isVerbose ? `${lines.join("\n")}\n${endpoint} check passed\n` : "ok", unsniffed);
}

async function answerOne(one: HealthCheck | undefined): Promise<ApiResponse | undefined> {
  if (one === undefined) return undefined;
  const fault = await one.check();
  return fault === undefined ? plain(200, "ok") : plain(500, `internal server error: ${fault}\n`, unsniffed);
}

/** The checks as numbers, made when they are asked for; in Prometheus' text form. */
export async function printHealth(checks: readonly HealthCheck[]): Promise<string> {
  const metrics = new MetricsRegistry();
  const gauge = metrics.gauge<"name" | "type">({
    name: "kubernetes_healthcheck",
    help: "Whether a check finds the server well (1) or not (0).",
    labels: ["name", "type"],
  });
  for (const { name, endpoints, check } of checks) {
    const isWell = (await check()) === undefined;
    for (const type of endpoints) gauge.labels({ name, type }).set(isWell ? 1 : 0);
  }
  return metrics.print();
}

const unsniffed = { "x-content-type-options": "nosniff" };

const plain = (code: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  bytesResponse(code, Buffer.from(body), { "content-type": "text/plain; charset=utf-8", ...headers });
