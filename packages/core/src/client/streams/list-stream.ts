// Reads a list from a response with either kind of body: decoded from bytes as they arrive, or taken from a
// value that the server shares. Both give the same objects in the same form, in batches, and the event
// loop is never blocked for longer than a slice.
import type { ListMeta } from "../../api/generated/types/meta/v1.ts";
import type { Protobuf } from "../../api/protobuf/index.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import type { ResponseBody } from "../../api/transport.ts";
import { type Batched, readOnce } from "./batched.ts";
import { ListDecodeError } from "./decode-errors.ts";
import { decodeStream, type SliceOptions } from "./decode-stream.ts";
import { ListDecoder, type ListDecoderOptions } from "./list-decoder.ts";
import type { ProtobufDecoderOptions } from "./protobuf-decoder-options.ts";
import { ProtobufListDecoder } from "./protobuf-list-decoder.ts";
import { ValueList } from "./value-list.ts";

export interface ListOptions extends SliceOptions, ListDecoderOptions, ProtobufDecoderOptions {
  /** The codec, if bytes are protobuf. Default: they are JSON. */
  readonly protobuf?: Protobuf | undefined;
}

export interface ListStream<T extends KubernetesObject = KubernetesObject> extends Batched<T> {
  /** The list's metadata. It may come after the items: throws before the last of them was read. */
  readonly metadata: ListMeta;
}

/** Nothing is read before the first read, which throws a StatusError for a Status and a ListDecodeError for other non-lists. */
export function decodeList<T extends KubernetesObject = KubernetesObject>(
  body: ResponseBody,
  options: ListOptions,
  signal: AbortSignal,
): ListStream<T> {
  switch (body.kind) {
    case "bytes": {
      const { protobuf } = options;
      const decoder =
        protobuf === undefined ? new ListDecoder<T>(options) : new ProtobufListDecoder<T>(protobuf, options);
      return toListStream(decodeStream(body.bytes, decoder, options, signal), decoder);
    }
    case "value": {
      const list = new ValueList<T>(body.value, options);
      return toListStream(list.read(signal), list);
    }
    default:
      throw new ListDecodeError(`not a list: the body is ${body.kind}`, { reason: "Decode", position: 0 });
  }
}

function toListStream<T extends KubernetesObject>(
  batches: AsyncGenerator<readonly T[], void, undefined>,
  list: { readonly metadata: ListMeta },
): ListStream<T> {
  return {
    ...readOnce(batches),
    get metadata() {
      return list.metadata;
    },
  };
}
