// What the code says to its operator. Messages are constant sentences; facts are fields. A logger is passed in; where none is given,
// warnings and errors go to stderr (default-log.ts).

export type LogLevel = "debug" | "info" | "warn" | "error";

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log, with these fields on every line. */
  with(fields: LogFields): Log;
}

/** Silence. */
export const noLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => noLog,
};

export interface LineLogOptions {
  /** Takes one line, without its end. */
  readonly write: (line: string) => void;
  readonly now: () => number;
  /** The least level that is written; `info` unless given. */
  readonly level?: LogLevel;
}

export const severities: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** A log of one JSON object a line: `time`, `level`, `message`, then the fields. Errors print with reason and cause. */
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
