// Reads a list from a transport's answer, whichever kind of body it has: cut from bytes as they arrive, or taken from a
// value that the server shares. Both ways the reader gets the same objects in the same shape, in batches, and the event
// loop is never held for longer than a slice.
import type { ListMeta } from "../../api/generated/types/meta/v1.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import type { ResponseBody } from "../../api/transport.ts";
import { type Batched, readOnce } from "./batched.ts";
import { ListDecodeError } from "./decode-errors.ts";
import { decodeStream, type SliceOptions } from "./decode-stream.ts";
import { ListDecoder, type ListDecoderOptions } from "./list-decoder.ts";
import { ValueList } from "./value-list.ts";

export interface ListOptions extends SliceOptions, ListDecoderOptions {}

export interface ListStream<T extends KubernetesObject = KubernetesObject> extends Batched<T> {
  /** What the list says about itself. It may come after the items: throws until the last of them has been read. */
  readonly metadata: ListMeta;
}

/** Nothing is read until the reader asks. Reading throws a StatusError for a Status, a ListDecodeError for other non-lists. */
export function decodeList<T extends KubernetesObject = KubernetesObject>(
  body: ResponseBody,
  options: ListOptions,
  signal: AbortSignal,
): ListStream<T> {
  switch (body.kind) {
    case "bytes": {
      const decoder = new ListDecoder<T>(options);
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
