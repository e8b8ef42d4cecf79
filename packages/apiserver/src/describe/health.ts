// `/healthz`, `/livez`, `/readyz`: one word for probes, a line per check for people who ask, and each check under a path of its own.
import { type ApiRequest, type ApiResponse, bytesResponse } from "@kubeloop/core/api";

export interface HealthCheck {
  readonly name: string;
  /** Undefined when well; else what is wrong, which only the log is told. */
  check(): string | undefined;
}

const ping: HealthCheck = { name: "ping", check: () => undefined };

export function answerHealth(
  { query }: ApiRequest,
  endpoint: string,
  only: string,
  checks: readonly HealthCheck[],
): ApiResponse | undefined {
  const all = [ping, ...checks];
  if (only !== "") {
    const one = all.find(({ name }) => name === only);
    if (one === undefined) return undefined;
    const fault = one.check();
    return fault === undefined ? plain(200, "ok") : plain(500, `internal server error: ${fault}\n`);
  }
  const excluded = new Set(query.filter(([name]) => name === "exclude").map(([, value]) => value));
  const lines: string[] = [];
  let isWell = true;
  for (const each of all) {
    if (excluded.delete(each.name)) {
      lines.push(`[+]${each.name} excluded: ok`);
      continue;
    }
    const fault = each.check();
    if (fault === undefined) lines.push(`[+]${each.name} ok`);
    else {
      isWell = false;
      lines.push(`[-]${each.name} failed: reason withheld`);
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(",");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (!isWell) return plain(500, `${lines.join("\n")}\n${endpoint} check failed\n`);
  const isVerbose = query.some(([name]) => name === "verbose");
  return plain(200, isVerbose ? `${lines.join("\n")}\n${endpoint} check passed\n` : "ok");
}

const plain = (code: number, body: string) =>
  bytesResponse(code, Buffer.from(body), {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
