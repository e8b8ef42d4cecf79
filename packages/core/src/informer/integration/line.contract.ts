// The way between an informer and its server, as a case may watch it and disturb it: what was asked for and what came of it,
// requests held back, answers broken off. The server notices nothing but that.
import {
  type ApiRequest,
  type ApiResponse,
  queryValue,
  type ResponseBody,
  type Transport,
  TransportError,
} from "../../api/index.ts";
import { type ChildSignal, childSignal, type Deferred, deferred, Listeners, untilAborted } from "../../base/index.ts";
import { type Client, clientOf } from "../../client/client.ts";
import { untilSo } from "./observed.contract.ts";

interface LineRequest {
  /** `stream` is for a watch that begins with everything there is. */
  readonly kind: "list" | "stream" | "watch";
  readonly resourceVersion: string;
  /** The status code, once there is one. */
  answer: number | undefined;
}

export class Line {
  readonly requests: LineRequest[] = [];
  /** Whoever asks through it is on the line. */
  readonly client: Client;
  readonly #open = new Set<ChildSignal>();
  readonly #listeners = new Listeners<void>((error) => {
    throw error;
  });
  #held: Deferred<void> | undefined;
  #waiting = 0;

  constructor(client: Client) {
    const transport: Transport = (request, signal) => this.#send(client.transport, request, signal);
    this.client = clientOf(transport);
  }

  /** Requests that have not ended, bodies included. */
  get open(): number {
    return this.#open.size;
  }

  /** What was asked, as "list 0". */
  get lines(): readonly string[] {
    return this.requests.map(({ kind, resourceVersion }) => `${kind} ${resourceVersion}`.trim());
  }

  /** From now on requests wait; what is open goes on. */
  hold(): void {
    this.#held ??= deferred();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** Breaks off whatever is open, as a network does. */
  cut(): void {
    const reason = new TransportError("the line was cut", { reason: "ConnectionLost", wasSent: "maybe" });
    for (const exchange of this.#open) exchange.abort(reason);
  }

  /** Somebody waits to be let through. */
  async untilHeld(signal: AbortSignal): Promise<void> {
    await untilSo(
      () => this.#waiting > 0,
      (look) => this.#listeners.subscribe(look),
      signal,
    );
  }

  /** That many requests of a kind have been answered, in all. */
  async untilAnswered(kind: LineRequest["kind"], count: number, signal: AbortSignal): Promise<void> {
    const isAnswered = (request: LineRequest) => request.kind === kind && request.answer !== undefined;
    const isSo = () => this.requests.filter(isAnswered).length >= count;
    await untilSo(isSo, (look) => this.#listeners.subscribe(look), signal);
  }

  async #send(transport: Transport, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    await this.#pass(signal);
    const noted = toLineRequest(request);
    this.requests.push(noted);
    const exchange = childSignal(signal);
    this.#open.add(exchange);
    const end = () => {
      this.#open.delete(exchange);
      exchange[Symbol.dispose]();
    };
    try {
      const response = await transport(request, exchange.signal);
      noted.answer = response.status;
      this.#listeners.emit();
      const { status, headers } = response;
      return {
        status,
        headers,
        body: endingBody(response.body, end),
        async [Symbol.asyncDispose]() {
          end();
          await response[Symbol.asyncDispose]();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    if (this.#held === undefined) return;
    this.#waiting++;
    this.#listeners.emit();
    try {
      await untilAborted(this.#held.promise, signal);
    } finally {
      this.#waiting--;
    }
  }
}

function toLineRequest({ query }: ApiRequest): LineRequest {
  const isWatch = queryValue(query, "watch") === "true";
  const kind = !isWatch ? "list" : queryValue(query, "sendInitialEvents") === "true" ? "stream" : "watch";
  return { kind, resourceVersion: queryValue(query, "resourceVersion") ?? "", answer: undefined };
}

/** The same body, that says when it has been read, or left. */
function endingBody(body: ResponseBody, end: () => void): ResponseBody {
  if (body.kind === "bytes") return { kind: "bytes", bytes: ending(body.bytes, end) };
  if (body.kind === "values") return { kind: "values", values: ending(body.values, end) };
  end();
  return body;
}

async function* ending<T>(items: AsyncIterable<T>, end: () => void): AsyncGenerator<T, void, undefined> {
  try {
    yield* items;
  } finally {
    end();
  }
}
