// What is wrong with a list or a watch stream that cannot be decoded, and where in the body. Failures of the
// connection are not these: they pass through as the transport threw them.
import { KubeloopError } from "../../base/errors.ts";

/**
 * `Decode`: the bytes are not what they should be. `UnexpectedEnd`: they were right as far as they went, but the body ended
 * in the middle. `TooLarge`, `TooDeep`: one value went beyond the limits given.
 */
export type StreamFault = "Decode" | "UnexpectedEnd" | "TooLarge" | "TooDeep";

export interface StreamDecodeErrorOptions {
  readonly reason: StreamFault;
  /** Offset into the body, in bytes, of what was wrong. In a body of values, the number of the value. */
  readonly position: number;
  readonly cause?: unknown;
}

export class StreamDecodeError extends KubeloopError {
  readonly position: number;

  constructor(fault: string, { reason, position, cause }: StreamDecodeErrorOptions) {
    super(`${fault} (at ${position})`, { reason, cause });
    this.position = position;
  }
}

export class ListDecodeError extends StreamDecodeError {}

export class WatchDecodeError extends StreamDecodeError {}

/** Which of the two a part shared by both throws. */
export type StreamErrorClass = new (fault: string, options: StreamDecodeErrorOptions) => StreamDecodeError;
