// What a client may ask of a log, read from the query of its request, and the choice of lines by it. An API server has checked the values before, and says
// more about bad ones; whoever calls a kubelet's port has them checked here.
import { type ApiRequest, newStatusError, parseTime, type Query, queryValue, TimeError } from "@kubeloop/core/api";

export interface LogOptions {
  readonly container: string | undefined;
  readonly isFollowed: boolean;
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  readonly tailLines: number | undefined;
  /** Wall time; lines before it are left out. */
  readonly sinceMs: number;
  readonly limitBytes: number;
  /** Undefined for both. */
  readonly stream: string | undefined;
}

/** A line of a container's log with the wall time at which it was printed. */
export interface TimedLine {
  readonly atMs: number;
  readonly text: string;
}

/** Throws 400 for a value that is none, and 422 for one that makes no sense, in a kubelet's words, which do not say which. */
export function parseLogOptions({ query }: Pick<ApiRequest, "query">, nowMs: number): LogOptions {
  const tail = queryValue(query, "tail") || undefined;
  const tailLines = tail === undefined ? readInteger(query, "tailLines") : tail === "all" ? undefined : toInteger(tail);
  const limitBytes = readInteger(query, "limitBytes");
  const sinceSeconds = readInteger(query, "sinceSeconds");
  const sinceTimeMs = readTime(query, "sinceTime");
  const stream = queryValue(query, "stream");
  const isInvalid =
    (tailLines ?? 0) < 0 ||
    (limitBytes ?? 1) < 1 ||
    (sinceSeconds ?? 1) < 1 ||
    (sinceSeconds !== undefined && sinceTimeMs !== undefined) ||
    (stream !== undefined && !streams.has(stream)) ||
    (stream !== undefined && stream !== allStreams && tailLines !== undefined);
  if (isInvalid) throw newStatusError({ code: 422, reason: "Invalid", message: '{"message": "Invalid request."}' });
  return {
    container: queryValue(query, "container") || undefined,
    isFollowed: isTrue(query, "follow"),
    isPrevious: isTrue(query, "previous"),
    hasTimestamps: isTrue(query, "timestamps"),
    tailLines,
    sinceMs: sinceSeconds === undefined ? (sinceTimeMs ?? Number.NEGATIVE_INFINITY) : nowMs - sinceSeconds * 1000,
    limitBytes: limitBytes ?? Number.POSITIVE_INFINITY,
    stream: stream === allStreams ? undefined : stream,
  };
}

const allStreams = "All";
const streams: ReadonlySet<string> = new Set([allStreams, "Stdout", "Stderr"]);

/** Anything but "false" and "0" is yes, even nothing at all. */
function isTrue(query: Query, name: string): boolean {
  const text = queryValue(query, name);
  return text !== undefined && text !== "0" && text.toLowerCase() !== "false";
}

function readInteger(query: Query, name: string): number | undefined {
  const text = queryValue(query, name);
  return text === undefined ? undefined : toInteger(text);
}

/** Of 64 bits. */
function toInteger(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw undecodable();
  const exact = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, exact) !== exact) throw undecodable();
  return Number(exact);
}

/** The beginning of time for what old clients say instead of nothing. */
function readTime(query: Query, name: string): number | undefined {
  const text = queryValue(query, name);
  if (text === undefined) return undefined;
  if (text === "" || text === "null") return Number.NEGATIVE_INFINITY;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof TimeError) throw undecodable();
    throw error;
  }
}

const undecodable = () =>
  newStatusError({ code: 400, reason: "BadRequest", message: '{"message": "Unable to decode query."}' });

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
