// A log of text lines for people: time, level, source, message, then the fields as key=value and the error's text. Always one line, except if
// the log's `level` is `debug`: then the stack of an error follows.
//
//   2030-01-01T00:00:00.000Z WARN reflector pods: list or watch failed row=list/failed error="connect ECONNREFUSED 127.0.0.1:6443"
import { type LineLogOptions, type Log, type LogFields, type LogLevel, severities } from "./log.ts";

/** Writes `info` and above unless `level` is given. */
export function textLineLog(options: LineLogOptions): Log {
  return new TextLineLog(options, "");
}

class TextLineLog implements Log {
  readonly #options: LineLogOptions;
  /** The fields given by `with`: "controller foos, key shop/a", or empty. */
  readonly #source: string;

  constructor(options: LineLogOptions, source: string) {
    this.#options = options;
    this.#source = source;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  with(fields: LogFields): Log {
    const added = Object.entries(fields).map(([name, value]) => `${name} ${printValue(value)}`);
    const source = this.#source === "" ? added : [this.#source, ...added];
    return new TextLineLog(this.#options, source.join(", "));
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { write, now, level: minLevel = "info" } = this.#options;
    if (severities[level] < severities[minLevel]) return;
    const time = new Date(now()).toISOString();
    const facts = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ` ${name}=${printValue(value)}`);
    const stacks = minLevel === "debug" ? Object.values(fields).map(stackOf).join("") : "";
    const source = this.#source === "" ? "" : `${this.#source}: `;
    write(`${time} ${level.toUpperCase()} ${source}${message}${facts.join("")}${stacks}`);
  }
}

const longestValue = 500;

function printValue(value: unknown): string {
  if (value instanceof Error) return quoted(errorText(value));
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object" || value === null) return String(value);
  return shortened(JSON.stringify(value, printable) ?? String(value));
}

/** Returns the error's message, followed by the messages of its causes, unless the text already contains them. */
export function errorText(error: Error): string {
  let text = error.message || error.name;
  let { cause } = error;
  // The number of steps is limited, because a chain of causes may be circular.
  for (let depth = 0; depth < 8 && cause instanceof Error; depth++) {
    if (cause.message !== "" && !text.includes(cause.message)) text += `: ${cause.message}`;
    cause = cause.cause;
  }
  return text;
}

function printable(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Error ? errorText(value) : value;
}

/** Puts the text in quotes if its end would not be clear otherwise. */
function quoted(text: string): string {
  const short = shortened(text);
  return /^[^\s"=]+$/.test(short) ? short : JSON.stringify(short);
}

function shortened(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`;
}

function stackOf(value: unknown): string {
  return value instanceof Error && value.stack !== undefined ? `\n${value.stack}` : "";
}
