// The errors of a list or a watch stream that cannot be decoded, with the position in the body. Connection failures
// are not decode errors: they are thrown as the transport threw them.
import { KubeloopError } from "../../base/errors.ts";

/**
 * `Decode`: the bytes are invalid. `UnexpectedEnd`: the bytes were valid so far, but the body ended
 * in the middle. `TooLarge`, `TooDeep`: one value exceeds the limits.
 */
export type StreamFault = "Decode" | "UnexpectedEnd" | "TooLarge" | "TooDeep";

export interface StreamDecodeErrorOptions {
  readonly reason: StreamFault;
  /** The offset of the fault in the body, in bytes. In a body of values, the index of the value. */
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

/** Which of the two errors a shared part throws. */
export type StreamErrorClass = new (fault: string, options: StreamDecodeErrorOptions) => StreamDecodeError;
