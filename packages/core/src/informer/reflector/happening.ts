// What came of a command, as the reflector's table is told it, together with the error where there was one. The table sees
// only what kind of error it was.
import { retryAfterMs } from "../../api/index.ts";
import { toError } from "../../base/index.ts";
import { classifyFailure } from "./failure-class.ts";
import type { Input, Moment } from "./reflector-state.ts";

export interface Happening {
  readonly input: Input;
  readonly error?: Error;
}

/** Why a request or a wait was broken off, when not by the one who runs the reflector: the reason of its signal. */
export class Interruption {
  readonly type: "silent" | "overdue" | "resync-failed";
  readonly error: Error | undefined;

  constructor(type: Interruption["type"], error?: Error) {
    this.type = type;
    this.error = error;
  }
}

export function interruptionOf({ reason }: AbortSignal, moment: Moment): Happening | undefined {
  if (!(reason instanceof Interruption)) return undefined;
  const { type, error } = reason;
  return { input: { type, ...moment }, ...(error === undefined ? {} : { error }) };
}

/** Thrown while a request was made or read, or said by the server in the stream. */
export function failureOf(thrown: unknown, during: "opening" | "stream", moment: Moment): Happening {
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
