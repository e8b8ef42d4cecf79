// Lists and watches of ConfigMaps in every form a client can ask for, brought to one form: what was seen, in order.
import { collectBytes, type KubernetesObject, noBody, type Transport } from "@kubeloop/core/api";
import { mapsPath } from "./map-writer.contract.ts";
import { type Seen, seenOf } from "./watched-history.contract.ts";

export interface WatchRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly form: "values" | "bytes" | "metadata";
}

const accepts = {
  values: "application/json",
  bytes: "application/json",
  metadata: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
} as const;

interface Message {
  readonly type: string;
  readonly object: KubernetesObject;
}

/** Reads for as long as there is something, or the signal says so; `seen` grows meanwhile. */
export class MapWatcher {
  readonly seen: Seen[] = [];
  /** Messages that are no changes: BOOKMARK and ERROR. */
  readonly others: Message[] = [];
  /** Why it ended; undefined while it goes on. */
  end: "closed" | undefined;
  readonly #request: WatchRequest;

  constructor(request: WatchRequest) {
    this.#request = request;
  }

  /** Returns when the server has answered; reading goes on until the signal aborts. */
  async open(transport: Transport, signal: AbortSignal): Promise<Reading> {
    const { query, form } = this.#request;
    const response = await transport(
      {
        method: "GET",
        path: mapsPath,
        query: Object.entries({ watch: "true", ...query }),
        headers: { accept: accepts[form] },
        body: noBody,
        prefers: form === "values" ? "values" : "bytes",
      },
      signal,
    );
    if (response.status !== 200) throw new Error(`watch: ${response.status}`);
    const { body } = response;
    const messages = body.kind === "values" ? body.values : body.kind === "bytes" ? linesOf(body.bytes) : undefined;
    if (messages === undefined) throw new Error(`a watch with a body of ${body.kind}`);
    return new Reading(messages as AsyncIterable<Message>, this);
  }

  take({ type, object }: Message): void {
    if (type === "BOOKMARK" || type === "ERROR") this.others.push({ type, object });
    else this.seen.push(seenOf(type, object));
  }
}

export class Reading {
  readonly #iterator: AsyncIterator<Message>;
  readonly #watcher: MapWatcher;

  constructor(messages: AsyncIterable<Message>, watcher: MapWatcher) {
    this.#iterator = messages[Symbol.asyncIterator]();
    this.#watcher = watcher;
  }

  /** Until the stream ends, or its signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#iterator.next();
        if (done === true) break;
        this.#watcher.take(value);
      }
      this.#watcher.end = "closed";
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** One message, and then no more for now. */
  async readOne(): Promise<void> {
    const { done, value } = await this.#iterator.next();
    if (done !== true) this.#watcher.take(value);
  }
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  let rest = "";
  for await (const chunk of bytes) {
    rest += Buffer.from(chunk).toString("utf8");
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as Message;
  }
  if (rest !== "") throw new Error(`half a message: ${rest.slice(0, 100)}`);
}

export interface Listed {
  readonly items: readonly KubernetesObject[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

export async function listMaps(transport: Transport, query: Readonly<Record<string, string>>): Promise<Listed> {
  const signal = new AbortController().signal;
  const request = { method: "GET", path: mapsPath, query: Object.entries(query), headers: {}, body: noBody } as const;
  const response = await transport({ ...request, prefers: "bytes" }, signal);
  await using _response = response;
  if (response.status !== 200 || response.body.kind !== "bytes") throw new Error(`list: ${response.status}`);
  const bytes = await collectBytes(response.body.bytes, { maxBytes: 16 * 1024 * 1024 });
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as Listed;
}
