// Reads a watch from a response with either kind of body: events decoded from bytes as they arrive, or events
// that a server in the same process passes as values. The stream is pulled: a slow reader slows the server down, and
// only an incomplete event is buffered here.
import type { Protobuf } from "../../api/protobuf/index.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import type { ResponseBody } from "../../api/transport.ts";
import { YieldBudget } from "../../base/yield-budget.ts";
import { type Batched, readOnce } from "./batched.ts";
import { WatchDecodeError } from "./decode-errors.ts";
import { decodeStream, type SliceOptions } from "./decode-stream.ts";
import type { ProtobufDecoderOptions } from "./protobuf-decoder-options.ts";
import { ProtobufWatchDecoder } from "./protobuf-watch-decoder.ts";
import { WatchDecoder } from "./watch-decoder.ts";
import { decodeWatchEvent, type WatchEvent } from "./watch-event.ts";

export interface WatchOptions extends SliceOptions, ProtobufDecoderOptions {
  /** The codec, if bytes are protobuf. Default: they are JSON. */
  readonly protobuf?: Protobuf | undefined;
}

export type WatchStream<T extends KubernetesObject = KubernetesObject> = Batched<WatchEvent<T>>;

/** Nothing is read before the first read. Reading throws a WatchDecodeError for anything that is not an event. */
export function decodeWatch<T extends KubernetesObject = KubernetesObject>(
  body: ResponseBody,
  options: WatchOptions,
  signal: AbortSignal,
): WatchStream<T> {
  switch (body.kind) {
    case "bytes": {
      const { protobuf } = options;
      const decoder =
        protobuf === undefined ? new WatchDecoder<T>(options) : new ProtobufWatchDecoder<T>(protobuf, options);
      return readOnce(decodeStream(body.bytes, decoder, options, signal));
    }
    case "values":
      return readOnce(readValues<T>(body.values, options, signal));
    default:
      throw new WatchDecodeError(`not a watch: the body is ${body.kind}`, { reason: "Decode", position: 0 });
  }
}

async function* readValues<T extends KubernetesObject>(
  values: AsyncIterable<unknown>,
  options: SliceOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  const budget = new YieldBudget(options.clock, options.budgetMs);
  let position = 0;
  for await (const value of values) {
    signal.throwIfAborted();
    yield [toEvent<T>(value, position++)];
    if (budget.isUsedUp()) await budget.yield();
  }
}

function toEvent<T extends KubernetesObject>(json: unknown, position: number): WatchEvent<T> {
  try {
    return decodeWatchEvent<T>(json);
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message : "cannot be decoded";
    throw new WatchDecodeError(`event: ${fault}`, { reason: "Decode", position, cause });
  }
}
