// Faults of a response body: its stream is cut, ends early as if complete, or stalls. Counts are in
// items of the body: watch events in a stream of values, bytes in a stream of bytes.
import { type ChildSignal, childSignal, untilAborted } from "../base/signal.ts";
import { type ApiResponse, type ResponseBody, TransportError } from "./transport.ts";

export type StreamFault =
  /** Ends after this many items: with an error (`reset`), or like a normally closed connection (`end`). */
  | { readonly kind: "cut"; readonly after: number; readonly how: "reset" | "end" }
  /** Sends nothing after this many items, and never ends. */
  | { readonly kind: "stall"; readonly after: number };

/** Returns the response with the fault in its body. Throws if the body is one value and the fault cuts it. */
export async function tamperBody(response: ApiResponse, fault: StreamFault, signal: AbortSignal): Promise<ApiResponse> {
  const { body } = response;
  if (body.kind === "none" || body.kind === "upgraded") return response;
  if (body.kind === "value") {
    await response[Symbol.asyncDispose]();
    if (fault.kind === "cut") throw newCut();
    return untilAborted(new Promise<never>(() => {}), signal);
  }
  const stop = childSignal(signal);
  const tampered: ResponseBody =
    body.kind === "bytes"
      ? { kind: "bytes", bytes: tamper(body.bytes, fault, { stop, size: (chunk) => chunk.length, cut: cutBytes }) }
      : { kind: "values", values: tamper(body.values, fault, { stop, size: () => 1, cut: () => undefined }) };
  return {
    ...response,
    body: tampered,
    async [Symbol.asyncDispose]() {
      stop.abort(readerLeft);
      await response[Symbol.asyncDispose]();
    },
  };
}

interface Measure<T> {
  /** Aborts when the response is disposed of; detaches from the caller's signal. */
  readonly stop: ChildSignal;
  readonly size: (item: T) => number;
  /** Returns the part of an item that still fits, if it can be split. */
  readonly cut: (item: T, size: number) => T | undefined;
}

function tamper<T>(stream: AsyncIterable<T>, fault: StreamFault, measure: Measure<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => new TamperedIterator(stream[Symbol.asyncIterator](), fault, measure) };
}

/** Not a generator: `return` must end a stalled `next`, but a generator would queue it behind that. */
class TamperedIterator<T> implements AsyncIterator<T, undefined> {
  readonly #inner: AsyncIterator<T>;
  readonly #fault: StreamFault;
  readonly #measure: Measure<T>;
  #left: number;

  constructor(inner: AsyncIterator<T>, fault: StreamFault, measure: Measure<T>) {
    this.#inner = inner;
    this.#fault = fault;
    this.#measure = measure;
    this.#left = fault.after;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#left <= 0) return this.#strike();
    const next = await this.#inner.next();
    if (next.done === true) {
      this.#measure.stop[Symbol.dispose]();
      return { done: true, value: undefined };
    }
    const size = this.#measure.size(next.value);
    const part = size <= this.#left ? next.value : this.#measure.cut(next.value, this.#left);
    this.#left -= size;
    return part === undefined ? this.#strike() : { done: false, value: part };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#measure.stop.abort(readerLeft);
    await this.#inner.return?.();
    return { done: true, value: undefined };
  }

  async #strike(): Promise<IteratorResult<T, undefined>> {
    if (this.#fault.kind === "stall") await this.#stall();
    await this.return();
    if (this.#fault.kind === "cut" && this.#fault.how === "reset") throw newCut();
    return { done: true, value: undefined };
  }

  /** Waits until the reader leaves; throws when its signal aborts. */
  async #stall(): Promise<void> {
    try {
      await untilAborted(new Promise<never>(() => {}), this.#measure.stop.signal);
    } catch (reason) {
      if (reason !== readerLeft) throw reason;
    }
  }
}

/** The abort reason when the reader has left: an end, not a failure. */
const readerLeft = Symbol("reader left");

function cutBytes(chunk: Uint8Array, size: number): Uint8Array {
  return chunk.subarray(0, size);
}

function newCut(): TransportError {
  return new TransportError("stream cut by a fault rule", { reason: "ConnectionReset", wasSent: "maybe" });
}
