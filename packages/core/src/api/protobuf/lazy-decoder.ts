// Reads one object of a kind between two indexes; it is decoded when it is looked at. The bytes are copied. Throws a ProtobufError.
//
// In a file of its own, because it is public: the declarations of this layer stand without Node's types, which the codec's have.

export type LazyDecoder = (bytes: Uint8Array, from: number, end: number) => Record<string, unknown>;
