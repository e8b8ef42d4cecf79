// The base class of every error in the project. It has a `reason` that a program can switch on, a `cause` if another error came first, and a
// retry hint for the code that decides about retries. An abort is not a failure: `isAborted` tells the two apart.

/** What a retry loop should do after a failure: retry immediately, retry after a backoff, or not retry. */
export type RetryHint = "now" | "backoff" | "never";

export interface KubeloopErrorOptions {
  /** A stable word in Kubernetes' style (`NotFound`, `Conflict`, `Decode`). */
  readonly reason: string;
  readonly cause?: unknown;
  /** Defaults to `backoff`. */
  readonly retry?: RetryHint;
}

export class KubeloopError extends Error {
  readonly reason: string;
  readonly retry: RetryHint;

  constructor(message: string, options: KubeloopErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.reason = options.reason;
    this.retry = options.retry ?? "backoff";
  }
}

/** Throws. Marks a branch that the type checker proves unreachable, because all values of a union are handled before it. */
export function assertNever(value: never): never {
  throw new KubeloopError(`unexpected value ${JSON.stringify(value)}`, { reason: "Unreachable", retry: "never" });
}

/** Converts any thrown value to an Error. An Error is returned unchanged. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new KubeloopError(`thrown: ${String(thrown)}`, { reason: "Thrown", cause: thrown });
}

/** Whether `error` only reports that `signal` was aborted. Do not log, wrap or retry such an error. */
export function isAborted(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}
