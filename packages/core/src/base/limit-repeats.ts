// A Log that limits repeated lines: a warning or an error that repeats is written once, and then at most once per interval, with the number of
// suppressed lines in the field `suppressed`. A failure that is retried for hours, such as an unreachable server, costs one line a minute.
//
// Two lines are repeats of each other if source, level, message, error text and the field `text` (the words of a server) are equal. Numbers in the error text count as equal,
// because ports and durations change with each attempt. The source is the first field that the log got through `with`: a controller,
// a reflector. Other fields are ignored: ten thousand keys that fail for the same reason have one cause. `debug` and `info` lines are never limited.
import type { Clock } from "./clock.ts";
import type { Log, LogFields } from "./log.ts";
import { errorText } from "./text-line-log.ts";

export interface LimitRepeatsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Default: one minute. */
  readonly intervalMs?: number;
}

export function limitRepeats(log: Log, options: LimitRepeatsOptions): Log {
  return new RepeatLimitedLog(log, { ...options, lastWritten: new Map() }, undefined);
}

interface Shared extends LimitRepeatsOptions {
  /** When each cause was last written, least recently written first. */
  readonly lastWritten: Map<string, { readonly atMs: number; suppressed: number }>;
}

const defaultIntervalMs = 60_000;
/** Above this number the least recently written cause is forgotten; its next line is written again. */
const maxCauses = 1000;

class RepeatLimitedLog implements Log {
  readonly #log: Log;
  readonly #shared: Shared;
  readonly #source: string | undefined;

  constructor(log: Log, shared: Shared, source: string | undefined) {
    this.#log = log;
    this.#shared = shared;
    this.#source = source;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log.debug(message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log.info(message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#limit("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#limit("error", message, fields);
  }

  with(fields: LogFields): Log {
    const source = this.#source ?? Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`)[0];
    return new RepeatLimitedLog(this.#log.with(fields), this.#shared, source);
  }

  #limit(level: "warn" | "error", message: string, fields: LogFields | undefined): void {
    const { lastWritten, clock, intervalMs = defaultIntervalMs } = this.#shared;
    const cause = this.#causeOf(level, message, fields);
    const nowMs = clock.monotonic();
    const before = lastWritten.get(cause);
    if (before !== undefined && nowMs - before.atMs < intervalMs) {
      before.suppressed++;
      return;
    }
    lastWritten.delete(cause);
    lastWritten.set(cause, { atMs: nowMs, suppressed: 0 });
    for (const oldest of lastWritten.keys()) {
      if (lastWritten.size <= maxCauses) break;
      lastWritten.delete(oldest);
    }
    const suppressed = before?.suppressed ?? 0;
    this.#log[level](message, suppressed === 0 ? fields : { ...fields, suppressed });
  }

  #causeOf(level: string, message: string, { error, text }: LogFields = {}): string {
    const failure = error instanceof Error ? errorText(error) : typeof error === "string" ? error : "";
    return [this.#source, level, message, failure.replaceAll(/\d+/g, "#"), text].join("\n");
  }
}
