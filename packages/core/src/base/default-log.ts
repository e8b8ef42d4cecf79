// What everything logs to that is not given a log: warnings and errors, as lines for people, on stderr. `noLog` says nothing at all; any other Log
// takes its place.
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
