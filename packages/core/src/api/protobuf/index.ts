// `api/protobuf`: Kubernetes' protobuf, in which its own clients send and ask for the built-in kinds. Objects come out as the JSON that a real server
// sends, and go in so; bytes are what a real server writes. Read protobuf.ts first, then codec.ts.
//
// Importing this loads no code of the codec and no table: `loadProtobuf` does, once, and what it returns is synchronous. Custom kinds and tables have no protobuf.
import { loadProtobufTable } from "../protobuf-table.ts";
import type { Protobuf } from "./protobuf.ts";

export type { DecodeObserver } from "./decode-observer.ts";
export { deferredBytes, dropDeferred, isDeferred } from "./deferred.ts";
export type { OpenedEnvelope } from "./envelope.ts";
export { equalObjects } from "./equal-objects.ts";
export type { LazyDecoder } from "./lazy-decoder.ts";
export type { ListHead } from "./list-head.ts";
export { hasProtobuf, type Kind } from "./message-names.ts";
export type { Protobuf } from "./protobuf.ts";
export { ProtobufError } from "./protobuf-error.ts";

let loading: Promise<Protobuf> | undefined;

/** Inside virtual time, hold a token meanwhile. */
export function loadProtobuf(): Promise<Protobuf> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Protobuf> {
  const { newProtobuf } = await import("./protobuf.ts");
  return newProtobuf(await loadProtobufTable());
}
