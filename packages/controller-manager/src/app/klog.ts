// The log of the process, in the two formats of Kubernetes' components: klog's text lines, and JSON. What `-v` and `--vmodule` say is how much
// of the details is written: lines of level debug from 4 on, all others always.
import type { Log, LogFields, LogLevel } from "@kubeloop/core/base";

export interface KlogOptions {
  readonly format: "text" | "json";
  /** `-v`; read anew for each line, because it can be changed while the process runs. */
  readonly verbosity: () => number;
  /** By who logs, which is the field `controller`: patterns with * and ?. */
  readonly vmodule?: readonly { readonly pattern: string; readonly level: number }[];
  readonly now: () => number;
  /** Takes a line, without its end. */
  readonly write: (line: string, level: LogLevel) => void;
}

const debugVerbosity = 4;
const letters: Readonly<Record<LogLevel, string>> = { debug: "I", info: "I", warn: "W", error: "E" };

export function klog(options: KlogOptions, inherited: LogFields = {}): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      const all = { ...inherited, ...fields };
      if (level === "debug" && verbosityFor(options, all) < debugVerbosity) return;
      const line =
        options.format === "json"
          ? jsonLine(level, message, all, options.now())
          : textLine(level, message, all, options.now());
      options.write(line, level);
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => klog(options, { ...inherited, ...fields }),
  };
}

function verbosityFor({ verbosity, vmodule = [] }: KlogOptions, { controller }: LogFields): number {
  const matching = vmodule.find(({ pattern }) => typeof controller === "string" && matches(pattern, controller));
  return matching?.level ?? verbosity();
}

function matches(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`).test(name);
}

/** I1117 11:46:06.473000    1244 kubeloop] "Started controller" controller="ttl-controller" */
function textLine(level: LogLevel, message: string, fields: LogFields, nowMs: number): string {
  // In local time, as klog's are.
  const localMs = nowMs - new Date(nowMs).getTimezoneOffset() * 60_000;
  const iso = new Date(localMs).toISOString();
  const time = `${iso.slice(5, 7)}${iso.slice(8, 10)} ${iso.slice(11, 23)}000`;
  const who = `${letters[level]}${time} ${String(process.pid).padStart(7)} kubeloop]`;
  const pairs = Object.entries(fields).map(([key, value]) => ` ${key === "error" ? "err" : key}=${printText(value)}`);
  return `${who} ${JSON.stringify(message)}${pairs.join("")}`;
}

function printText(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  return JSON.stringify(value, plainErrors) ?? "null";
}

function jsonLine(level: LogLevel, message: string, fields: LogFields, nowMs: number): string {
  const { error, ...rest } = fields;
  const err = error instanceof Error ? { err: error.message } : error === undefined ? {} : { err: error };
  const v = level === "debug" ? debugVerbosity : 0;
  return JSON.stringify(
    { ts: nowMs, level, ...(level === "error" ? {} : { v }), msg: message, ...rest, ...err },
    plainErrors,
  );
}

const plainErrors = (_key: string, value: unknown) =>
  value instanceof Error ? value.message : typeof value === "bigint" ? value.toString() : value;
