// A server of a few lines for tests: it answers as its script says, with bytes or with values, remembers what it was asked,
// and counts the responses that nobody has let go of yet.
import type { ApiRequest, ApiResponse, ResponseBody, Transport } from "../../api/index.ts";
import { FakeClock, noLog, untilAborted } from "../../base/index.ts";
import type { ResourceContext } from "./resource-client.ts";

export type BodyStyle = "bytes" | "values";

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A whole answer: as bytes in two chunks, or as the value itself. */
  readonly json?: unknown;
  /** What no server of values sends: always bytes. */
  readonly text?: string | readonly string[];
  /** A watch: one line each, or one value each. */
  readonly events?: readonly unknown[];
  /** What comes after the body: its end unless given. `silence` lasts until the signal fires. */
  readonly ending?: "silence" | Error;
}

export type Script = (request: ApiRequest, number: number) => Answer | Error;

export class ScriptedServer {
  readonly requests: ApiRequest[] = [];
  /** Responses that were neither disposed of nor let go of by their signal. */
  open = 0;
  readonly #script: Script;
  readonly #style: BodyStyle;

  constructor(style: BodyStyle, script: Script) {
    this.#style = style;
    this.#script = script;
  }

  readonly transport: Transport = async (request, signal) => {
    signal.throwIfAborted();
    this.requests.push(request);
    const answer = this.#script(request, this.requests.length - 1);
    if (answer instanceof Error) throw answer;
    let isOpen = true;
    this.open++;
    const response: ApiResponse = {
      status: answer.status ?? 200,
      headers: answer.headers ?? {},
      body: this.#body(answer, signal),
      [Symbol.asyncDispose]: async () => {
        if (isOpen) this.open--;
        isOpen = false;
      },
    };
    return response;
  };

  context(changes: Partial<ResourceContext> = {}): ResourceContext {
    return {
      transport: this.transport,
      clock: new FakeClock(),
      log: noLog,
      fieldManager: undefined,
      view: "full",
      ...changes,
    };
  }

  /** What was asked, as a request line: "GET /api/v1/pods?limit=500". */
  get lines(): readonly string[] {
    return this.requests.map(({ method, path, query }) => {
      const search = query.map(([name, value]) => `${name}=${value}`).join("&");
      return `${method} ${path}${search === "" ? "" : `?${search}`}`;
    });
  }

  #body(answer: Answer, signal: AbortSignal): ResponseBody {
    const { json, text, events } = answer;
    if (text !== undefined) return bytesOf(typeof text === "string" ? [text] : text, answer, signal);
    if (this.#style === "bytes") {
      if (events !== undefined)
        return bytesOf(
          events.map((event) => `${JSON.stringify(event)}\n`),
          answer,
          signal,
        );
      if (json !== undefined) return bytesOf(halves(JSON.stringify(json)), answer, signal);
    }
    if (events !== undefined) return { kind: "values", values: stream(events, answer, signal) };
    return json === undefined ? { kind: "none" } : { kind: "value", value: json };
  }
}

function bytesOf(texts: readonly string[], answer: Answer, signal: AbortSignal): ResponseBody {
  const chunks = texts.map((text) => new TextEncoder().encode(text));
  return { kind: "bytes", bytes: stream(chunks, answer, signal) };
}

async function* stream<T>(parts: readonly T[], answer: Answer, signal: AbortSignal): AsyncGenerator<T> {
  for (const part of parts) {
    signal.throwIfAborted();
    yield part;
  }
  if (answer.ending instanceof Error) throw answer.ending;
  if (answer.ending === "silence") await untilAborted(new Promise(() => {}), signal);
}

function halves(text: string): readonly string[] {
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)];
}

/** What reading threw, or undefined. */
export async function failureOf(work: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
