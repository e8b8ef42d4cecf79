// The server's side of a WebSocket (RFC 6455) on an upgraded connection: the handshake, and messages in both directions. Pings are answered, fragments
// are joined, and a close is answered with a close. Extensions are not offered.
import { createHash } from "node:crypto";
import type { Connection } from "@kubeloop/core/api";
import { Channel, KubeloopError } from "@kubeloop/core/base";
import { FrameReader, opcodes, printFrame } from "./websocket-frames.ts";

const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The header that answers a client's `sec-websocket-key`. */
export function acceptKey(key: string): string {
  return createHash("sha1").update(`${key}${acceptSuffix}`).digest("base64");
}

/** So many messages wait for their reader, in each direction. */
const waitingMessages = 64;
const largestMessage = 16 * 1024 * 1024;

export class WebSocket {
  /** What the transport carries: bytes of frames. */
  readonly connection: Connection;
  readonly #outgoing = new Channel<Uint8Array>(waitingMessages);
  readonly #messages = new Channel<Uint8Array>(waitingMessages);
  readonly #frames = new FrameReader({ largestBytes: largestMessage });
  /** Of a message that has not ended. */
  #parts: Uint8Array[] = [];
  #partsBytes = 0;
  #hasSentClose = false;

  constructor() {
    this.connection = {
      incoming: this.#outgoing,
      send: (bytes, signal) => this.#receive(bytes, signal),
      end: async () => this.abandon(),
    };
  }

  /** Ends both directions without a word. What was sent before still arrives. */
  abandon(): void {
    this.#messages.close();
    this.#outgoing.close();
  }

  /** The client's messages, text or binary; undefined when the client has closed. */
  async read(signal: AbortSignal): Promise<Uint8Array | undefined> {
    return (await this.#messages.receive(signal))?.value;
  }

  /** Waits while the client is slow. What comes after a close is dropped. */
  async send(
    message: Uint8Array,
    { isText = false }: { readonly isText?: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#hasSentClose || this.#outgoing.isClosed) return;
    await this.#outgoing.send(printFrame(isText ? opcodes.text : opcodes.binary, message), signal);
  }

  /** Closes normally: all that was sent before arrives first. */
  async close(signal: AbortSignal): Promise<void> {
    await this.#sendClose(1000, signal);
    this.#outgoing.close();
  }

  async #receive(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    for (const { opcode, isFinal, payload } of this.#frames.read(bytes)) {
      if (opcode === opcodes.ping) await this.#sendControl(opcodes.pong, payload, signal);
      else if (opcode === opcodes.close) {
        this.#messages.close();
        await this.#sendClose(1000, signal);
        this.#outgoing.close();
        return;
      } else if (opcode !== opcodes.pong) {
        if (payload.length > 0) this.#parts.push(payload);
        this.#partsBytes += payload.length;
        if (this.#partsBytes > largestMessage) {
          throw new KubeloopError("a WebSocket message is too large", { reason: "Invalid", retry: "never" });
        }
        if (!isFinal) continue;
        const message = Buffer.concat(this.#parts);
        this.#parts = [];
        this.#partsBytes = 0;
        if (!this.#messages.isClosed) await this.#messages.send(message, signal);
      }
    }
  }

  async #sendClose(code: number, signal: AbortSignal): Promise<void> {
    if (this.#hasSentClose) return;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    await this.#sendControl(opcodes.close, payload, signal);
    this.#hasSentClose = true;
  }

  async #sendControl(opcode: number, payload: Uint8Array, signal: AbortSignal): Promise<void> {
    if (this.#hasSentClose || this.#outgoing.isClosed) return;
    await this.#outgoing.send(printFrame(opcode, payload), signal);
  }
}
