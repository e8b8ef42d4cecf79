// The result of a command, as input for the reflector's table, together with the error if there was one. The table sees
// only the class of the error and its Retry-After.
import { retryAfterMs } from "../../api/index.ts";
import { toError } from "../../base/index.ts";
import { classifyFailure } from "./failure-class.ts";
import type { Input, Moment } from "./reflector-state.ts";

export interface InputWithError {
  readonly input: Input;
  readonly error?: Error;
}

/** The abort reason of a request or wait that the reflector itself interrupted, not its caller. */
export class Interruption {
  readonly type: "silent" | "overdue" | "resync-failed" | "malformed";
  readonly error: Error | undefined;

  constructor(type: Interruption["type"], error?: Error) {
    this.type = type;
    this.error = error;
  }
}

export function interruptionOf({ reason }: AbortSignal, moment: Moment): InputWithError | undefined {
  if (!(reason instanceof Interruption)) return undefined;
  return interruptionBy(reason.type, moment, reason.error);
}

export function interruptionBy(type: Interruption["type"], moment: Moment, error: Error | undefined): InputWithError {
  return { input: { type, ...moment }, ...(error === undefined ? {} : { error }) };
}

/** Returns the input for an error that was thrown during a request, or sent by the server in the stream. */
export function failureOf(thrown: unknown, during: "opening" | "stream", moment: Moment): InputWithError {
  const error = toError(thrown);
  return {
    input: {
      type: "failed",
      failure: classifyFailure(error),
      isInStream: during === "stream",
      retryAfterMs: retryAfterMs(error),
      ...moment,
    },
    error,
  };
}
