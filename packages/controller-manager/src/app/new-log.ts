// The log of a component, as its flags want it: how much, in which format, and where to.
import { type Clock, type Log, systemClock } from "@kubeloop/core/base";
import type { ComponentOptions } from "../options/index.ts";
import { klog } from "./klog.ts";

export interface LogWorld {
  readonly stdout: { write(text: string): void };
  readonly stderr: { write(text: string): void };
  readonly clock?: Clock;
}

export interface Verbosity {
  get(): number;
  set(level: number): void;
}

/** `-v`, until /debug/flags/v says otherwise. */
export function newVerbosity({ logs }: Pick<ComponentOptions, "logs">): Verbosity {
  let level = logs.verbosity;
  return {
    get: () => level,
    set: (to) => {
      level = to;
    },
  };
}

export function newLog({ logs }: Pick<ComponentOptions, "logs">, verbosity: Verbosity, world: LogWorld): Log {
  const { stdout, stderr, clock = systemClock } = world;
  const format = logs.format === "json" ? "json" : "text";
  const isSplit = format === "json" ? logs.jsonSplitStream : logs.textSplitStream;
  return klog({
    format,
    vmodule: logs.vmodule,
    verbosity: verbosity.get,
    now: () => clock.now(),
    write: (line, level) => (isSplit && level !== "error" ? stdout : stderr).write(`${line}\n`),
  });
}
