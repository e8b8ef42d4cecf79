// Who is told when a field that is decoded on first reading turns out to be malformed. The reader gets the error, too; but only whoever decoded the
// object can fetch it again.
//
// In a file of its own, because it is public: the declarations of this layer stand without Node's types, which the codec's have.
import type { ProtobufError } from "./protobuf-error.ts";

export interface DecodeObserver {
  /** Called once per object, with kind and field in the error. Must not throw. Objects keep their observer alive, so it should hold little. */
  onMalformed(error: ProtobufError): void;
}
