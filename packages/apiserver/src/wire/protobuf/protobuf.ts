// The codec of core's `api/protobuf`, and how this server reads what it is sent. Loaded once, when first asked for.
import { type Protobuf as Codec, loadProtobuf as loadCodec } from "@kubeloop/core/api";
import { type DecodedEnvelope, decodeEnvelope, type ExpectedKind } from "./envelope.ts";

export interface Protobuf extends Omit<Codec, "decodeEnvelope"> {
  /** A request's body. Throws 400; see envelope.ts about `expected`. */
  decodeEnvelope(bytes: Uint8Array, expected?: ExpectedKind): DecodedEnvelope;
}

let loading: Promise<Protobuf> | undefined;

/** Loads the table of messages. Inside virtual time, hold a token meanwhile. */
export function loadProtobuf(): Promise<Protobuf> {
  loading ??= loadCodec().then((codec) => ({
    ...codec,
    decodeEnvelope: (bytes, expected) => decodeEnvelope(codec, bytes, expected),
  }));
  return loading;
}
