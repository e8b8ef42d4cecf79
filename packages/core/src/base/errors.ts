// What every failure in the project looks like: a `reason` a program can switch on, a `cause` when something else
// failed first, and a hint for the one place that decides about retries. Being aborted is not a failure: `isAborted`
// tells the two apart.

/** What a retry loop should do with a failure: try at once, try after a back-off, or not at all. */
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

/** Where a value of a closed union was expected and another one came. */
export function assertNever(value: never): never {
  throw new KubeloopError(`unexpected value ${JSON.stringify(value)}`, { reason: "Unreachable", retry: "never" });
}

/** Turns whatever was thrown into an Error, keeping Errors as they are. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new KubeloopError(`thrown: ${String(thrown)}`, { reason: "Thrown", cause: thrown });
}

/** Whether `error` only says that `signal` fired: not to be logged, wrapped or retried. */
export function isAborted(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}
