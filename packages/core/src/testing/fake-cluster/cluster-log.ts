// The log of a fake cluster. It stores warnings and errors, so that the message of a failed test has the errors of the controllers.
import type { Log, LogFields, LogLevel } from "../../base/index.ts";

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Older entries are deleted. */
const mostEntries = 1000;
const mostTold = 3;

export class ClusterLog {
  /** Warnings and errors, oldest first. */
  readonly entries: LogEntry[] = [];
  readonly log: Log;

  /** All entries are also written to `beside`. */
  constructor(beside: Log) {
    this.log = this.#at({}, beside);
  }

  /** Returns the last error of each controller and key, at most `mostTold` of them, with stacks, for the message of a failed test. */
  tellFailures(): string {
    const last = new Map<string, string>();
    for (const { message, fields } of this.entries) {
      const { controller, key = "", error, ...rest } = fields;
      if (!(error instanceof Error)) continue;
      const id = `${String(controller)} ${String(key)}`;
      const where = controller === undefined ? "" : `${String(controller)} ${String(key)}: `;
      const more = "tries" in rest ? ` (${String(rest["tries"])} tries)` : "";
      last.delete(id);
      last.set(id, `${where}${message}${more}: ${error.stack ?? error.message}${tellCause(error)}`);
    }
    if (last.size === 0) return "";
    const told = [...last.values()].slice(-mostTold).map((each) => `\n  ${each.replaceAll("\n", "\n  ")}`);
    const left = last.size - told.length;
    return `\nWhat failed last:${told.join("")}${left > 0 ? `\n  and ${left} other keys` : ""}`;
  }

  #at(inherited: LogFields, beside: Log): Log {
    const note = (level: "warn" | "error") => (message: string, fields?: LogFields) => {
      this.entries.push({ level, message, fields: { ...inherited, ...fields } });
      if (this.entries.length > mostEntries) this.entries.shift();
      beside[level](message, fields);
    };
    return {
      debug: (message, fields) => beside.debug(message, fields),
      info: (message, fields) => beside.info(message, fields),
      warn: note("warn"),
      error: note("error"),
      with: (fields) => this.#at({ ...inherited, ...fields }, beside.with(fields)),
    };
  }
}

function tellCause({ cause }: Error): string {
  return cause instanceof Error ? `\ncaused by: ${cause.stack ?? cause.message}` : "";
}
