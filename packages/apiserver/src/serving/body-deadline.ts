// The bytes of a body, which must be there in time: who sends one that never ends is told so, as by a real server, instead of being kept.
// Every write passes here, so it listens to the request itself: an iterator of the platform's costs as much as the rest of reading.
import type { Readable } from "node:stream";
import { newTimeout } from "@kubeloop/core/api";
import { type Clock, type Deferred, deferred } from "@kubeloop/core/base";

/**
 * Throws 504 when the end has not come `limitMs` after the first byte was asked for. Read once; who stops reading leaves the rest to whoever
 * owns the request.
 */
export function bodyWithin(source: Readable, limitMs: number, clock: Clock): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new BodyReader(source, limitMs, clock) };
}

type State =
  | { readonly kind: "open" }
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly error: unknown };

const closed = () => Object.assign(new Error("aborted"), { code: "ECONNRESET" });

class BodyReader implements AsyncIterator<Uint8Array> {
  readonly #source: Readable;
  readonly #timer: Disposable;
  #state: State = { kind: "open" };
  #held: Uint8Array[] = [];
  #waiting: Deferred<void> | undefined;

  constructor(source: Readable, limitMs: number, clock: Clock) {
    this.#source = source;
    const labelled = clock.labelled({ kind: "background", name: "body of a request" });
    this.#timer = labelled.after(limitMs, this.#expire);
    source.on("data", this.#take);
    source.on("end", this.#end);
    source.on("error", this.#fail);
    source.on("close", this.#close);
    if (source.readableEnded) this.#end();
    else if (source.destroyed) this.#close();
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const chunk = this.#held.shift();
      if (chunk !== undefined) return { done: false, value: chunk };
      if (this.#state.kind === "ended") return { done: true, value: undefined };
      if (this.#state.kind === "failed") throw this.#state.error;
      if (this.#source.isPaused()) this.#source.resume();
      this.#waiting = deferred();
      await this.#waiting.promise;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#settle({ kind: "ended" });
    this.#held = [];
    if (!this.#source.readableEnded) this.#source.pause();
    return { done: true, value: undefined };
  }

  readonly #take = (chunk: Uint8Array): void => {
    this.#held.push(chunk);
    // Until this one was asked for: a body is not collected faster than it is read.
    if (this.#waiting === undefined) this.#source.pause();
    this.#wake();
  };
  readonly #end = (): void => this.#settle({ kind: "ended" });
  readonly #fail = (error: Error): void => this.#settle({ kind: "failed", error });
  readonly #close = (): void => this.#settle({ kind: "failed", error: closed() });
  readonly #expire = (): void => {
    const error = newTimeout("request did not complete within the allotted timeout", { retryAfterSeconds: 0 });
    this.#settle({ kind: "failed", error });
    this.#source.pause();
  };

  #settle(state: State): void {
    if (this.#state.kind !== "open") return;
    this.#state = state;
    this.#timer[Symbol.dispose]();
    this.#source.off("data", this.#take).off("end", this.#end).off("error", this.#fail).off("close", this.#close);
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve();
  }
}
