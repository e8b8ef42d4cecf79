// The options that the decoders of protobuf lists and watches share.
import type { DecodeObserver } from "../../api/index.ts";
import type { ValueLimits } from "./value-cutter.ts";

export interface ProtobufDecoderOptions extends ValueLimits {
  /** Told of fields that are found malformed when they are read. Default: only their readers are. */
  readonly observer?: DecodeObserver | undefined;
}
