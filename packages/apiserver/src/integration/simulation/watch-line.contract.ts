// The line between a server and those who watch it, which a simulation can hold and cut: whoever watches through a held line hears nothing
// until it is let go; a watch that is ended ends in order, as a broken connection, or with a complaint of the server's.
//
// Promises: events come in order, and none is left out but for those after the end. Nothing stays behind when the reader leaves.
import {
  type ApiResponse,
  type ResponseBody,
  requestInfoOf,
  type StatusError,
  type Transport,
  TransportError,
} from "@kubeloop/core/api";
import { type Deferred, deferred, onAbort } from "@kubeloop/core/base";
import type { SimulatedServer } from "@kubeloop/simulation-suite";

type WatchEnd = Parameters<SimulatedServer["endWatches"]>[0];

export class WatchLine {
  readonly #watches = new Set<LineWatch<unknown>>();
  #held: Deferred<void> | undefined;

  get openWatches(): number {
    return this.#watches.size;
  }

  hold(): void {
    this.#held ??= deferred();
  }

  letGo(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  end(how: WatchEnd): void {
    for (const watch of [...this.#watches]) watch.stop({ how });
  }

  through(transport: Transport): Transport {
    return async (request, signal) => {
      const response = await transport(request, signal);
      if (requestInfoOf(request).verb !== "watch" || response.status !== 200) return response;
      return this.#watched(response, signal);
    };
  }

  #watched(response: ApiResponse, signal: AbortSignal): ApiResponse {
    const { body } = response;
    const onGone = (watch: LineWatch<unknown>) => this.#watches.delete(watch);
    const options = { response, signal, held: () => this.#held?.promise, onGone };
    const watched = <T>(items: AsyncIterable<T>, complain: (status: StatusError["status"]) => T) => {
      const watch = new LineWatch(items[Symbol.asyncIterator](), { ...options, complain });
      this.#watches.add(watch as LineWatch<unknown>);
      const iterable: AsyncIterable<T> = { [Symbol.asyncIterator]: () => watch };
      return { watch, iterable };
    };
    const through = (watch: LineWatch<never> | LineWatch<unknown>, changed: ResponseBody): ApiResponse => ({
      ...response,
      body: changed,
      [Symbol.asyncDispose]: async () => {
        await watch.return();
      },
    });
    if (body.kind === "values") {
      const { watch, iterable } = watched(body.values, (status) => ({ type: "ERROR", object: status }));
      return through(watch, { kind: "values", values: iterable });
    }
    if (body.kind !== "bytes") return response;
    const { watch, iterable } = watched(body.bytes, (status) =>
      Buffer.from(`${JSON.stringify({ type: "ERROR", object: status })}\n`),
    );
    return through(watch as unknown as LineWatch<unknown>, { kind: "bytes", bytes: iterable });
  }
}

/** Why there is nothing more: ended on purpose, given up by the reader's signal, or left. */
type Stop = { readonly how: WatchEnd } | { readonly reason: unknown } | "left";

type Pulled<T> = { readonly item: IteratorResult<T> } | { readonly failure: unknown };

interface LineWatchOptions<T> {
  readonly response: ApiResponse;
  readonly signal: AbortSignal;
  readonly held: () => Promise<void> | undefined;
  readonly onGone: (watch: LineWatch<unknown>) => void;
  readonly complain: (status: StatusError["status"]) => T;
}

/** By hand, not as a generator: `return` must end a `next` that waits, which a generator would queue behind it. */
class LineWatch<T> implements AsyncIterator<T, undefined> {
  readonly #items: AsyncIterator<T>;
  readonly #options: LineWatchOptions<T>;
  readonly #stopped = deferred<Stop>();
  readonly #aborting: Disposable;
  #pulled: Promise<Pulled<T>> | undefined;
  #isOver = false;

  constructor(items: AsyncIterator<T>, options: LineWatchOptions<T>) {
    this.#items = items;
    this.#options = options;
    this.#aborting = onAbort(options.signal, () => this.stop({ reason: options.signal.reason }));
  }

  stop(why: Stop): void {
    this.#stopped.resolve(why);
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#isOver) return done;
    this.#pulled ??= this.#items.next().then(
      (item) => ({ item }),
      (failure: unknown) => ({ failure }),
    );
    const stopped = this.#stopped.promise.then((stop) => ({ stop }));
    for (let held = this.#options.held(); held !== undefined; held = this.#options.held()) {
      const waited = await Promise.race([held, stopped]);
      if (waited !== undefined) return await this.#end(waited.stop);
    }
    const next = await Promise.race([this.#pulled, stopped]);
    if ("stop" in next) return await this.#end(next.stop);
    // It may have been held while we waited for something to come.
    if (this.#options.held() !== undefined) return await this.next();
    this.#pulled = undefined;
    if ("failure" in next) {
      this.#leave();
      throw next.failure;
    }
    if (next.item.done !== true) return next.item;
    this.#leave();
    return done;
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.stop("left");
    this.#leave();
    await this.#options.response[Symbol.asyncDispose]();
    return done;
  }

  async #end(stop: Stop): Promise<IteratorResult<T, undefined>> {
    this.#leave();
    await this.#options.response[Symbol.asyncDispose]();
    if (stop === "left") return done;
    if ("reason" in stop) throw stop.reason;
    if (stop.how === "end") return done;
    if (stop.how === "reset") {
      throw new TransportError("connection reset on purpose", { reason: "ConnectionReset", wasSent: "maybe" });
    }
    return { done: false, value: this.#options.complain(stop.how.status) };
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#aborting[Symbol.dispose]();
    this.#options.onGone(this as LineWatch<unknown>);
    // One that waits is ended by the response; one that does not is ended here.
    this.#items.return?.().catch(() => {});
  }
}

const done = { done: true, value: undefined } as const;
