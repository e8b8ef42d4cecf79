// What is wrong with bytes that are no such message, in the words that Go's decoders use where they have some. The envelope
// turns it into the 400 that a client sees; inside one message nobody knows yet what the request was about.
import { KubeloopError } from "../../base/index.ts";

export class ProtobufError extends KubeloopError {
  readonly #path: string[] = [];

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { reason: "InvalidProtobuf", retry: "never", ...options });
  }

  /** `spec.containers`: the field that was being read, from the outermost message on. Empty if it is the message itself that is wrong. */
  get field(): string {
    return this.#path.toReversed().join(".");
  }

  /** Called on the way out, by the reader of each message around. */
  foundIn(field: string): void {
    this.#path.push(field);
  }
}

export const unexpectedEnd = () => new ProtobufError("unexpected EOF");
export const integerOverflow = () => new ProtobufError("proto: integer overflow");
export const negativeLength = () => new ProtobufError("proto: negative length found during unmarshaling");
export const unexpectedGroupEnd = () => new ProtobufError("proto: unexpected end of group");
export const tooDeep = (limit: number) => new ProtobufError(`proto: messages nested deeper than ${limit} levels`);
export const tooSplit = (limit: number) =>
  new ProtobufError(`proto: messages that come in parts are nested deeper than ${limit} levels`);

/** The same error, with the kind of the object and the field in front: `Pod: spec.containers: unexpected EOF`. */
export function malformed(kind: string, cause: ProtobufError): ProtobufError {
  const { field } = cause;
  const error = new ProtobufError(`${kind}: ${field === "" ? "" : `${field}: `}${cause.message}`, { cause });
  if (field !== "") error.foundIn(field);
  return error;
}
