// Why a manager did not stop cleanly: which runnables failed, whether the lease was lost, which runnables did not end in time.
import { KubeloopError } from "../../base/index.ts";

export interface RunnableFailure {
  readonly name: string;
  readonly error: Error;
}

/** `reason` is the first that applies of `LeaderElectionLost`, `RunnableFailed` and `GraceExceeded`. `cause` is the first failure. */
export class ManagerError extends KubeloopError {
  readonly failures: readonly RunnableFailure[];
  /** The names of the runnables that still run. */
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
