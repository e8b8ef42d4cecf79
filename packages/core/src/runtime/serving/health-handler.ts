// Answers probes like Kubernetes' own components: `/readyz` returns "ok", or the list of checks if one fails or `?verbose` is given;
// `?exclude=name` leaves checks out; `/readyz/name` runs one check. The reason of a failure is returned only for a request of that one check,
// and logged when the set of failing checks changes, not at every probe. The list, which everybody may read, does not contain the reason.
import { type ApiRequest, type ApiResponse, quote, type Transport } from "../../api/index.ts";
import { defaultLog, type Log } from "../../base/index.ts";
import type { CheckResult, HealthChecks } from "./health-checks.ts";
import { methodNotAllowedResponse, notFoundResponse, textResponse } from "./responses.ts";
import type { Routes } from "./routes.ts";

/** The routes of one endpoint; `name` is "readyz" for `/readyz`. */
export function healthRoutes(
  name: string,
  checks: Pick<HealthChecks, "lookAtAll" | "look">,
  log: Log = defaultLog,
): Routes {
  let reported = "";
  const tell = (failed: readonly CheckResult[]) => {
    const faults = Object.fromEntries(
      failed.map((result) => [result.name, result.kind === "failed" ? result.fault : ""]),
    );
    const now = Object.keys(faults).join(" ");
    if (now === reported) return;
    reported = now;
    if (now === "") log.info("health checks pass again", { endpoint: name });
    else log.warn("health checks fail", { endpoint: name, faults });
  };
  const all = async (request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> => {
    const excluded = new Set(valuesOf(request, "exclude"));
    const results = await checks.lookAtAll(excluded, signal);
    const failed = results.filter(({ kind }) => kind === "failed");
    if (excluded.size === 0) tell(failed);
    const isVerbose = failed.length > 0 || request.query.some(([key]) => key === "verbose");
    if (!isVerbose) return textResponse(200, "ok");
    return textResponse(failed.length > 0 ? 500 : 200, printChecks(name, results, excluded));
  };
  const one = async (request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> => {
    const wanted = decodeSegment(request.path.slice(name.length + 2));
    if (wanted === "") return await all(request, signal);
    const result = await checks.look(wanted, signal);
    if (result === undefined) return notFoundResponse();
    if (result.kind !== "failed") return textResponse(200, "ok");
    return textResponse(500, `internal server error: ${result.fault}\n`);
  };
  return { [`/${name}`]: readOnly(all), [`/${name}/`]: readOnly(one) };
}

/** Returns the list of checks in the format of Kubernetes. */
export function printChecks(name: string, results: readonly CheckResult[], excluded: ReadonlySet<string>): string {
  const unknown = [...excluded].filter((wanted) => !results.some((result) => result.name === wanted)).sort();
  const lines = results.map(printResult);
  if (unknown.length > 0) {
    const names = unknown.map((each) => quote(each)).join(",");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  const hasFailed = results.some(({ kind }) => kind === "failed");
  return `${[...lines, `${name} check ${hasFailed ? "failed" : "passed"}`].join("\n")}\n`;
}

function printResult({ name, kind }: CheckResult): string {
  if (kind === "failed") return `[-]${name} failed: reason withheld`;
  return kind === "excluded" ? `[+]${name} excluded: ok` : `[+]${name} ok`;
}

/** Wraps a handler that accepts only GET and HEAD; other methods are answered with 405. */
export function readOnly(handler: Transport): Transport {
  return async (request, signal) =>
    request.method === "GET" || request.method === "HEAD"
      ? await handler(request, signal)
      : methodNotAllowedResponse(["GET", "HEAD"]);
}

function valuesOf({ query }: ApiRequest, name: string): readonly string[] {
  return query.flatMap(([key, value]) => (key === name ? [value] : []));
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
