// Checks numeric options of informers when they are passed. NaN (for example from `Number("10m")`) passes every comparison that guards a
// timer, and would show much later as a resync that never comes or a limit that does not hold.
import { KubeloopError } from "../base/index.ts";

/** The period of a timer; 0 means never. Throws unless it is a finite number of at least 0. */
export function requirePeriodMs(option: string, value: number | undefined): number {
  if (value === undefined) return 0;
  if (Number.isFinite(value) && value >= 0) return value;
  throw invalidOption(option, value, "a number of milliseconds, 0 for never");
}

/** A limit, which may be Infinity. Throws unless it is a number of at least 0. */
export function requireLimit(option: string, value: number | undefined): void {
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  throw invalidOption(option, value, "a number of at least 0");
}

function invalidOption(option: string, value: unknown, wanted: string): KubeloopError {
  return new KubeloopError(`${option} is ${String(value)}: it must be ${wanted}`, {
    reason: "Invalid",
    retry: "never",
  });
}
