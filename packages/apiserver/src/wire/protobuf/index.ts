// `wire/protobuf`: requests and answers in Kubernetes' protobuf. The codec is core's (`api/protobuf`); here is what this server says of a body that it
// cannot read. Importing this loads no table: `loadProtobuf` does, once, and what it gives is synchronous.
export type { ListHead } from "@kubeloop/core/api";
export { hasProtobuf } from "@kubeloop/core/api";
export type { DecodedEnvelope } from "./envelope.ts";
export { loadProtobuf, type Protobuf } from "./protobuf.ts";
