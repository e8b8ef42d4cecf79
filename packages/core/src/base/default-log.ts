// The log used where the caller passes none: it writes warnings and errors to stderr, as text lines. Pass `noLog` for no output, or any other
// Log to replace this one.
import { systemClock } from "./clock.ts";
import { limitRepeats } from "./limit-repeats.ts";
import type { Log } from "./log.ts";
import { textLineLog } from "./text-line-log.ts";

export const defaultLog: Log = limitRepeats(
  textLineLog({
    write: (line) => void process.stderr.write(`${line}\n`),
    now: () => systemClock.now(),
    level: "warn",
  }),
  { clock: systemClock },
);
