// Sends the requests of one resource in the encoding that its server has: protobuf first and JSON second where both are possible, JSON alone where
// protobuf is known to be of no use (`encoding-memory.ts`). Whatever comes is read.
//
// A read that the server refuses because of its Accept header, or a get whose answer is malformed, is sent again for JSON. A write is not, because
// the server may have done it before it refused to print it; the next one is sent for JSON.
import {
  type ApiRequest,
  type ApiResponse,
  type DecodeObserver,
  hasProtobuf,
  type Resource,
  type Transport,
  TransportError,
} from "../../api/index.ts";
import { StreamDecodeError } from "../streams/decode-errors.ts";
import type { Encoding, ObjectView } from "./accept.ts";
import type { AnswerEncoding, AnswerObserver } from "./answer-observer.ts";
import type { EncodingMemory } from "./encoding-memory.ts";
import { isProtobuf } from "./read-response.ts";

export interface NegotiationContext {
  readonly transport: Transport;
  readonly view: ObjectView;
  /** Default: JSON. */
  readonly encoding?: Encoding | undefined;
  /** Default: nothing is remembered. */
  readonly encodings?: EncodingMemory | undefined;
  readonly observer?: AnswerObserver | undefined;
}

/** 406 and 415. The second is about what is sent, but some servers mix them up. */
const refusedStatuses: readonly number[] = [406, 415];

export class NegotiatedRequests {
  /** For the objects of lists and watches. */
  readonly observer: DecodeObserver;
  readonly #resource: Resource;
  readonly #context: NegotiationContext;

  constructor(resource: Resource, context: NegotiationContext) {
    this.#resource = resource;
    this.#context = context;
    const { encodings, observer } = context;
    this.observer = {
      onMalformed(error) {
        encodings?.refuse(resource);
        observer?.onMalformed(error);
      },
    };
  }

  /** `request` asks for JSON; `accept` is the header that asks for protobuf first. The response may have any status. */
  async send(request: ApiRequest, accept: string, signal: AbortSignal): Promise<ApiResponse> {
    const { transport, encodings } = this.#context;
    if (!this.#mayAsk()) return await transport(request, signal);
    const response = await transport({ ...request, headers: { ...request.headers, accept } }, signal);
    const isRefused = refusedStatuses.includes(response.status);
    const isJson = response.status < 300 && encodingOf(response) === "json";
    if (isRefused || isJson) encodings?.refuse(this.#resource);
    if (!isRefused || request.method !== "GET") return response;
    await response[Symbol.asyncDispose]();
    return await transport(request, signal);
  }

  /** Tells the observer in what the response's objects come. */
  announce(response: ApiResponse): void {
    this.#context.observer?.onAnswer(encodingOf(response));
  }

  /** Called with what reading an answer in protobuf threw. Returns whether the bytes were at fault, so that JSON may be read instead. */
  noteFailure(error: unknown): boolean {
    const isDecoding = error instanceof StreamDecodeError || error instanceof TransportError;
    if (!isDecoding || error.reason !== "Decode") return false;
    this.#context.encodings?.refuse(this.#resource);
    return true;
  }

  /** Custom resources have no protobuf, but their metadata has. */
  #mayAsk(): boolean {
    const { encoding, encodings, view } = this.#context;
    if (encoding !== "protobuf" || encodings?.mayAsk(this.#resource) === false) return false;
    return view === "metadata" || hasProtobuf(this.#resource.apiVersion, this.#resource.kind);
  }
}

function encodingOf(response: ApiResponse): AnswerEncoding {
  if (response.body.kind === "value" || response.body.kind === "values") return "values";
  return isProtobuf(response) ? "protobuf" : "json";
}
