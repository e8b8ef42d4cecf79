// Frames of a WebSocket (RFC 6455): those of clients are masked, those of servers are not. Pure but for the bytes that are kept until a frame is whole.
import { KubeloopError } from "@kubeloop/core/base";

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Uint8Array;
}

export class FrameReader {
  readonly #largestBytes: number;
  #kept: Buffer = Buffer.alloc(0);

  constructor({ largestBytes }: { readonly largestBytes: number }) {
    this.#largestBytes = largestBytes;
  }

  /** Returns the frames that are whole now. Throws if a client does not keep to the protocol. */
  read(bytes: Uint8Array): readonly Frame[] {
    this.#kept = this.#kept.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#kept, bytes]);
    const frames: Frame[] = [];
    for (;;) {
      const head = parseHead(this.#kept);
      if (head === undefined) return frames;
      if (head.length > this.#largestBytes) throw violation("a frame is too large");
      const end = head.at + head.length;
      if (this.#kept.length < end) return frames;
      const payload = Buffer.from(this.#kept.subarray(head.at, end));
      for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] ?? 0) ^ (head.mask[i % 4] ?? 0);
      frames.push({ opcode: head.opcode, isFinal: head.isFinal, payload });
      this.#kept = this.#kept.subarray(end);
    }
  }
}

interface Head {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly mask: Uint8Array;
  /** Where the payload begins, and its length. */
  readonly at: number;
  readonly length: number;
}

/** Undefined if more bytes are needed. */
function parseHead(bytes: Buffer): Head | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)];
  if ((first & 0x70) !== 0) throw violation("a frame uses an extension");
  if ((second & 0x80) === 0) throw violation("a client's frame is not masked");
  const short = second & 0x7f;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  const at = 2 + extra + 4;
  if (bytes.length < at) return undefined;
  const length = extra === 2 ? bytes.readUInt16BE(2) : extra === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
  return { opcode: first & 0x0f, isFinal: (first & 0x80) !== 0, mask: bytes.subarray(at - 4, at), at, length };
}

function violation(what: string): KubeloopError {
  return new KubeloopError(`WebSocket: ${what}`, { reason: "Invalid", retry: "never" });
}

/** A whole, unmasked message. */
export function printFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const head = length < 126 ? Buffer.alloc(2) : length < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  if (head.length === 2) head[1] = length;
  else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}
