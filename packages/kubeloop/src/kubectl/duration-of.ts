// A flag of a command that is a length of time.
import { parseDurationMs } from "@kubeloop/core/api";
import { UsageError } from "../usage-error.ts";

/** In Go's words: 30s, 1h2m. */
export function durationOf(command: string, flag: string, text: string): number {
  try {
    return parseDurationMs(text);
  } catch {
    throw new UsageError(`${command}: ${flag} must be a time such as 30s or 5m, not "${text}"`);
  }
}
