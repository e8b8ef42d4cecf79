// A log that does not flood: a warning or an error that repeats is written once, and then at most once in every interval, with how many were
// suppressed meanwhile (`suppressed`). What is retried for hours, such as a server that nobody reaches, costs a line a minute.
//
// Two lines are alike when source, level, message and what the error says are; numbers do not count, because ports and durations change with each
// attempt. The source is the first field that the log was given by `with`: a controller, a reflector. Other fields do not count: ten thousand keys
// that fail for the same reason are one cause. `debug` and `info` pass as they are.
import type { Clock } from "./clock.ts";
import type { Log, LogFields } from "./log.ts";
import { errorText } from "./text-line-log.ts";

export interface LimitRepeatsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** A minute unless given. */
  readonly intervalMs?: number;
}

export function limitRepeats(log: Log, options: LimitRepeatsOptions): Log {
  return new RepeatLimitedLog(log, { ...options, said: new Map() }, undefined);
}

interface Shared extends LimitRepeatsOptions {
  /** The longest ago said first. */
  readonly said: Map<string, { readonly atMs: number; suppressed: number }>;
}

const defaultIntervalMs = 60_000;
/** Beyond it the oldest cause is forgotten, and written again. */
const mostCauses = 1000;

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
    const { said, clock, intervalMs = defaultIntervalMs } = this.#shared;
    const cause = this.#causeOf(level, message, fields?.["error"]);
    const nowMs = clock.monotonic();
    const before = said.get(cause);
    if (before !== undefined && nowMs - before.atMs < intervalMs) {
      before.suppressed++;
      return;
    }
    said.delete(cause);
    said.set(cause, { atMs: nowMs, suppressed: 0 });
    for (const oldest of said.keys()) {
      if (said.size <= mostCauses) break;
      said.delete(oldest);
    }
    const suppressed = before?.suppressed ?? 0;
    this.#log[level](message, suppressed === 0 ? fields : { ...fields, suppressed });
  }

  #causeOf(level: string, message: string, error: unknown): string {
    const text = error instanceof Error ? errorText(error) : typeof error === "string" ? error : "";
    return [this.#source, level, message, text.replaceAll(/\d+/g, "#")].join("\n");
  }
}
