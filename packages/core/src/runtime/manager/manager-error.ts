// Why a manager ended otherwise than it was asked to: who failed, whether the lease was lost, who did not end in time.
import { KubeloopError } from "../../base/index.ts";

export interface RunnableFailure {
  readonly name: string;
  readonly error: Error;
}

/** `reason` is `LeaderElectionLost`, `RunnableFailed` or `GraceExceeded`, the first that holds. `cause` is the first failure. */
export class ManagerError extends KubeloopError {
  readonly failures: readonly RunnableFailure[];
  /** The names of those that still run. */
  readonly unended: readonly string[];

  constructor(parts: {
    readonly isLeaseLost: boolean;
    readonly failures: readonly RunnableFailure[];
    readonly unended: readonly string[];
  }) {
    const { isLeaseLost, failures, unended } = parts;
    const sentences = [
      ...(isLeaseLost ? ["leader election lost"] : []),
      ...failures.map(({ name, error }) => `${name} failed: ${error.message}`),
      ...(unended.length === 0 ? [] : [`not ended in time: ${unended.join(", ")}`]),
    ];
    const reason = isLeaseLost ? "LeaderElectionLost" : failures.length > 0 ? "RunnableFailed" : "GraceExceeded";
    super(sentences.join("; "), { reason, retry: "never", cause: failures[0]?.error });
    this.failures = failures;
    this.unended = unended;
  }
}
