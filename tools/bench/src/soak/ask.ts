// One request over TLS and HTTP/1.1.
import { Agent, type RequestOptions, request } from "node:https";

export interface Target {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
}

export interface Answered {
  readonly code: number;
  readonly text: string;
}

export class Asker {
  readonly #target: Target;
  readonly #agent: Agent;

  constructor(target: Target, sockets: number) {
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets, ca: target.ca });
  }

  /** Throws where there was no whole answer. */
  ask(asked: Asked): Promise<Answered> {
    const bytes = asked.body === undefined ? undefined : Buffer.from(JSON.stringify(asked.body));
    return new Promise((resolve, reject) => {
      const sent = request(requestOptions(this.#target, asked, this.#agent, bytes), (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => {
          resolve({ code: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString("latin1") });
        });
        incoming.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(bytes);
    });
  }

  /** Throws for an answer that is no success. */
  async askOrThrow(asked: Asked): Promise<string> {
    const { code, text } = await this.ask(asked);
    if (code >= 300) throw new Error(`${asked.method} ${asked.path}: ${code} ${text.slice(0, 500)}`);
    return text;
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function requestOptions(
  { url, token }: Target,
  { method, path, type = "application/json" }: Asked,
  agent: Agent,
  bytes?: Uint8Array,
): RequestOptions {
  const { hostname, port } = new URL(url);
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: "application/json" };
  if (bytes !== undefined) {
    headers["content-type"] = type;
    headers["content-length"] = String(bytes.length);
  }
  return { agent, hostname, port, method, path, headers };
}

/** Of the first object in a text: of an answer its own, of a list the list's. Undefined if there is none. */
export function versionIn(text: string): number | undefined {
  const found = /"resourceVersion":"(\d+)"/.exec(text.slice(0, headLength));
  return found === null ? undefined : Number(found[1]);
}

/** Metadata stand at the beginning of an object, and ours are short: a megabyte need not be searched. */
export const headLength = 2_000;
