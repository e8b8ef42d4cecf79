// The log interface. Messages are constant sentences; the facts that vary are fields. A log is passed in; where none is passed,
// warnings and errors go to stderr (default-log.ts).

export type LogLevel = "debug" | "info" | "warn" | "error";

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns the same log, with these fields on every line. */
  with(fields: LogFields): Log;
}

/** Writes nothing. */
export const noLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => noLog,
};

export interface LineLogOptions {
  /** Called with each line, without its newline. */
  readonly write: (line: string) => void;
  readonly now: () => number;
  /** The lowest level that is written. Default: `info`. */
  readonly level?: LogLevel;
}

export const severities: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** A log that writes one JSON object per line: `time`, `level`, `message`, then the fields. Errors are printed with reason and cause. */
export function jsonLineLog(options: LineLogOptions, inherited: LogFields = {}): Log {
  const least = severities[options.level ?? "info"];
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (severities[level] < least) return;
    const time = new Date(options.now()).toISOString();
    options.write(JSON.stringify({ time, level, message, ...inherited, ...fields }, printable));
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => jsonLineLog(options, { ...inherited, ...fields }),
  };
}

function printable(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const reason = "reason" in value ? { reason: value.reason } : {};
  return { name, message, ...reason, ...(cause === undefined ? {} : { cause }), stack };
}
