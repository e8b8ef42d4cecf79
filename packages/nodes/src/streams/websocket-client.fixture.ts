// A client of exec and attach, without sockets: it speaks WebSocket frames on the connection of an upgraded response.
import type { ApiRequest, ApiResponse, Connection, Transport } from "@kubeloop/core/api";
import { noBody } from "@kubeloop/core/api";

export interface UpgradeOptions {
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly protocol?: string;
  readonly upgrade?: string;
}

export function upgradeRequest({ path, query, protocol, upgrade = "websocket" }: UpgradeOptions): ApiRequest {
  return {
    method: "GET",
    path,
    query,
    headers: {
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      "sec-websocket-version": "13",
      ...(protocol === undefined ? {} : { "sec-websocket-protocol": protocol }),
    },
    body: noBody,
    prefers: "bytes",
    upgrade,
  };
}

/** A client's frame: masked. */
export function clientFrame(opcode: number, payload: Uint8Array, isFinal = true): Uint8Array {
  const mask = [1, 2, 3, 4];
  const head = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255];
  const masked = Array.from(payload, (byte, i) => byte ^ (mask[i % 4] ?? 0));
  return Uint8Array.from([(isFinal ? 0x80 : 0) | opcode, ...head, ...mask, ...masked]);
}

export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Cuts what a server has sent into frames. */
export function serverFrames(bytes: Buffer): { readonly frames: readonly ServerFrame[]; readonly rest: Buffer } {
  const frames: ServerFrame[] = [];
  let rest = bytes;
  while (rest.length >= 2) {
    const short = rest.readUInt8(1);
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (rest.length < 2 + extra) break;
    const length = extra === 2 ? rest.readUInt16BE(2) : extra === 8 ? Number(rest.readBigUInt64BE(2)) : short;
    if (rest.length < 2 + extra + length) break;
    frames.push({ opcode: rest.readUInt8(0) & 15, payload: rest.subarray(2 + extra, 2 + extra + length) });
    rest = rest.subarray(2 + extra + length);
  }
  return { frames, rest };
}

export class WebSocketClient {
  readonly response: ApiResponse;
  readonly #connection: Connection;
  readonly frames: ServerFrame[] = [];
  readonly #signal: AbortSignal;

  constructor(response: ApiResponse, signal: AbortSignal) {
    if (response.body.kind !== "upgraded") throw new Error(`not upgraded: ${response.status}`);
    this.response = response;
    this.#connection = response.body.connection;
    this.#signal = signal;
  }

  static async open(transport: Transport, options: UpgradeOptions, signal: AbortSignal): Promise<WebSocketClient> {
    return new WebSocketClient(await transport(upgradeRequest(options), signal), signal);
  }

  async send(channel: number, text: string): Promise<void> {
    await this.#connection.send(clientFrame(2, Buffer.from([channel, ...Buffer.from(text)])), this.#signal);
  }

  async sendFrame(frame: Uint8Array): Promise<void> {
    await this.#connection.send(frame, this.#signal);
  }

  /** Reads until the server has closed. */
  async readAll(): Promise<void> {
    let kept = Buffer.alloc(0);
    for await (const bytes of this.#connection.incoming) {
      const { frames, rest } = serverFrames(Buffer.concat([kept, bytes]));
      kept = Buffer.from(rest);
      this.frames.push(...frames);
    }
    await this.#connection.end();
  }

  /** All that has come on a channel. */
  text(channel: number): string {
    const messages = this.frames.filter(({ opcode, payload }) => opcode === 2 && payload[0] === channel);
    return messages.map(({ payload }) => payload.subarray(1).toString()).join("");
  }
}
