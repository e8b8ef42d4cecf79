// What a client may ask of a log, read from the query of its request, and the choice of lines by it. The API server has checked the values before.
import { type ApiRequest, parseTime, queryValue } from "@kubeloop/core/api";

export interface LogOptions {
  readonly container: string | undefined;
  readonly isFollowed: boolean;
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  readonly tailLines: number | undefined;
  /** Wall time; lines before it are left out. */
  readonly sinceMs: number;
  readonly limitBytes: number;
}

/** A line of a container's log with the wall time at which it was printed. */
export interface TimedLine {
  readonly atMs: number;
  readonly text: string;
}

export function parseLogOptions({ query }: Pick<ApiRequest, "query">, nowMs: number): LogOptions {
  const numberOf = (name: string) => {
    const text = queryValue(query, name) ?? "";
    return text === "" ? undefined : Number(text);
  };
  const isTrue = (name: string) => ["true", "1"].includes(queryValue(query, name) ?? "");
  const sinceSeconds = numberOf("sinceSeconds");
  const sinceTime = queryValue(query, "sinceTime") ?? "";
  const sinceMs = sinceTime === "" ? Number.NEGATIVE_INFINITY : parseTime(sinceTime);
  return {
    container: queryValue(query, "container") || undefined,
    isFollowed: isTrue("follow"),
    isPrevious: isTrue("previous"),
    hasTimestamps: isTrue("timestamps"),
    tailLines: numberOf("tailLines"),
    sinceMs: sinceSeconds === undefined ? sinceMs : nowMs - sinceSeconds * 1000,
    limitBytes: numberOf("limitBytes") ?? Number.POSITIVE_INFINITY,
  };
}

/** First the last lines are taken, and then those that are young enough, as a kubelet does. */
export function selectLines(lines: readonly TimedLine[], { tailLines, sinceMs }: LogOptions): readonly TimedLine[] {
  const tail = tailLines === undefined ? lines : tailLines === 0 ? [] : lines.slice(-tailLines);
  return tail.filter(({ atMs }) => atMs >= sinceMs);
}

/** Nine digits after the second, as a kubelet prints them. */
export function printLine({ atMs, text }: TimedLine, { hasTimestamps }: LogOptions): string {
  if (!hasTimestamps) return `${text}\n`;
  const whole = new Date(Math.floor(atMs)).toISOString().replace("Z", "");
  return `${whole}000000Z ${text}\n`;
}
