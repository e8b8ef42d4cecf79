// A Transport for tests that does what it is told, attempt by attempt, and remembers when it was asked for what and what
// became of its answers. After the last step it repeats that one.
import { type ApiRequest, type ApiResponse, type HttpHeaders, noBody, type Transport } from "../../api/transport.ts";
import { type Clock, inFlight, untilAborted } from "../../base/index.ts";

export type Step =
  | Error
  | {
      readonly status: number;
      readonly headers?: HttpHeaders;
      /** In these pieces. */
      readonly text?: readonly string[];
      /** After its pieces the body neither goes on nor ends. */
      readonly isStalled?: boolean;
      /** Before the answer comes. */
      readonly delayMs?: number;
    }
  /** Never an answer. */
  | "silence";

export class ScriptedTransport {
  readonly attempts: { readonly atMs: number; readonly request: ApiRequest }[] = [];
  /** Answers that were handed out and neither read to their end nor disposed of. */
  open = 0;
  readonly #clock: Clock;
  readonly #steps: readonly Step[];

  constructor(clock: Clock, ...steps: readonly Step[]) {
    this.#clock = clock;
    this.#steps = steps;
  }

  get times(): readonly number[] {
    return this.attempts.map(({ atMs }) => atMs);
  }

  readonly send: Transport = async (request, signal) => {
    signal.throwIfAborted();
    const step = this.#steps[Math.min(this.attempts.length, this.#steps.length - 1)] ?? { status: 200 };
    this.attempts.push({ atMs: this.#clock.monotonic(), request });
    if (step === "silence") return await untilAborted(new Promise<never>(() => {}), signal);
    if (step instanceof Error) throw step;
    if (step.delayMs !== undefined) await this.#clock.sleep(step.delayMs, signal);
    // As over a socket: the answer comes in a later turn.
    await inFlight(this.#clock, "request", () => this.#clock.yield());
    signal.throwIfAborted();
    return this.#respond(step, signal);
  };

  #respond({ status, headers = {}, text, isStalled = false }: Exclude<Step, Error | "silence">, signal: AbortSignal) {
    this.open++;
    const left = new AbortController();
    const end = () => {
      if (left.signal.aborted) return;
      left.abort(new Error("left"));
      this.open--;
    };
    async function* read() {
      try {
        for (const piece of text ?? []) {
          signal.throwIfAborted();
          yield new TextEncoder().encode(piece);
        }
        if (isStalled) await untilAborted(untilAborted(new Promise<never>(() => {}), left.signal), signal);
      } finally {
        end();
      }
    }
    const body = text === undefined && !isStalled ? noBody : ({ kind: "bytes", bytes: read() } as const);
    if (body.kind === "none") end();
    const response: ApiResponse = { status, headers, body, [Symbol.asyncDispose]: async () => end() };
    return response;
  }
}

export function newRequest(method = "GET", path = "/api/v1/pods", rest: Partial<ApiRequest> = {}): ApiRequest {
  return { method, path, query: [], headers: {}, body: noBody, prefers: "bytes", ...rest };
}

export const watchRequest = newRequest("GET", "/api/v1/pods", { query: [["watch", "true"]] });
