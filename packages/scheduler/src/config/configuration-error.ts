// What is wrong with a configuration, in upstream's words.
import { KubeloopError } from "@kubeloop/core/base";

/** The message is the one fault, or all of them in brackets, as Go prints a list of errors. */
export class SchedulerConfigurationError extends KubeloopError {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(printFaults(faults), { reason: "Invalid", retry: "never" });
    this.faults = faults;
  }
}

export function printFaults(faults: readonly string[]): string {
  const distinct = [...new Set(faults)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
