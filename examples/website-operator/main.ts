// The program: runs the operator until a signal ends it.
import { jsonLineLog, systemClock } from "@kubeloop/core/base";
import { openStopSignal } from "@kubeloop/core/runtime";
import { runOperator } from "./operator.ts";

const log = jsonLineLog({ write: (line) => console.error(line), now: () => systemClock.now() });
using stop = openStopSignal({ log });
try {
  await runOperator(process.argv.slice(2), log, stop.signal);
} catch (error) {
  log.error("the operator has failed", { error });
  process.exitCode = 1;
}
