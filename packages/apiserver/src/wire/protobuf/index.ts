// `wire/protobuf`: Kubernetes' protobuf, in which its own clients send and ask for the built-in kinds. Objects come out as plain JSON,
// `kind` and `apiVersion` first, and go in so; bytes are what a real server writes. Read protobuf.ts first, then codec.ts.
//
// Importing this loads no table: `loadProtobuf` does, once, and what it gives is synchronous. Answers hold what the bytes hold,
// zeros and nulls included: they are to go through the same normal form as JSON bodies. Custom kinds and tables have no protobuf.
export type { DecodedEnvelope } from "./envelope.ts";
export type { ListHead } from "./list-envelope.ts";
export { hasProtobuf, type Kind } from "./message-names.ts";
export { loadProtobuf, type Protobuf } from "./protobuf.ts";
export { ProtobufError } from "./protobuf-error.ts";
export { encodeWatchFrame } from "./watch-frame.ts";
