// Decodes a watch stream: JSON events one after the other, with newlines, other white space or nothing between them. A
// synchronous machine like ListDecoder.
//
// Nothing is skipped: bytes that are no event, an unknown type or an object without a kind are WatchDecodeErrors. A body
// that ends between two events has ended well; inside one, the error's reason is `UnexpectedEnd`.
import type { Buffer } from "node:buffer";
import type { KubernetesObject } from "../../api/resource.ts";
import { WatchDecodeError } from "./decode-errors.ts";
import type { ChunkDecoder } from "./decode-stream.ts";
import { ValueCutter, type ValueLimits } from "./value-cutter.ts";
import { decodeWatchEvent, type WatchEvent } from "./watch-event.ts";

const newline = 0x0a;
const brace = 0x7b;

export class WatchDecoder<T extends KubernetesObject> implements ChunkDecoder<WatchEvent<T>> {
  readonly #cutter: ValueCutter;
  /** Whether an event ends with its line, as servers write them. Searching for a newline is much faster than scanning. */
  #isLines = true;

  constructor(limits: ValueLimits = {}) {
    this.#cutter = new ValueCutter(limits, WatchDecodeError);
  }

  push(chunk: Buffer, events: WatchEvent<T>[]): void {
    this.#cutter.enter(chunk);
    let at = this.#cutter.isInValue ? this.#accept(this.#cutter.goOn(), chunk, events) : 0;
    while (at < chunk.length) {
      const byte = chunk[at] as number;
      if (byte === newline || byte === 0x20 || byte === 0x0d || byte === 0x09) at++;
      else if (byte === brace) at = this.#read(at, chunk, events);
      else throw this.#fault("not an event: it does not begin with {", this.#cutter.positionOf(at));
    }
  }

  end(): void {
    if (!this.#cutter.isInValue) return;
    const { position } = this.#cutter;
    throw new WatchDecodeError("watch ends in the middle of an event", { reason: "UnexpectedEnd", position });
  }

  #read(at: number, chunk: Buffer, events: WatchEvent<T>[]): number {
    if (!this.#isLines) return this.#accept(this.#cutter.begin(at), chunk, events);
    const line = chunk.indexOf(newline, at);
    if (line !== -1 && line - at <= this.#cutter.trustedBytes) {
      this.#cutter.trust(at, line);
      const json = this.#tryParse();
      if (json !== undefined) {
        this.#add(json, events);
        return line;
      }
      // What failed once is not tried again.
      this.#isLines = false;
    }
    const end = this.#cutter.begin(at);
    // An event that did not end its line; where the chunk ended first, who knows.
    if (line === -1 && end !== -1 && end < chunk.length) this.#isLines = false;
    return this.#accept(end, chunk, events);
  }

  /** Takes the event the cutter has just finished. Gives the index to go on from. */
  #accept(end: number, chunk: Buffer, events: WatchEvent<T>[]): number {
    if (end === -1) return chunk.length;
    let json: unknown;
    try {
      json = JSON.parse(this.#cutter.text());
    } catch (cause) {
      throw this.#fault("malformed event", this.#cutter.position, cause);
    }
    this.#add(json, events);
    return end;
  }

  #tryParse(): unknown {
    try {
      return JSON.parse(this.#cutter.text());
    } catch {
      return undefined;
    }
  }

  #add(json: unknown, events: WatchEvent<T>[]): void {
    try {
      events.push(decodeWatchEvent<T>(json));
    } catch (cause) {
      const fault = cause instanceof Error ? cause.message : "cannot be decoded";
      throw this.#fault(`event: ${fault}`, this.#cutter.position, cause);
    }
  }

  #fault(fault: string, position: number, cause?: unknown): WatchDecodeError {
    return new WatchDecodeError(fault, { reason: "Decode", position, cause });
  }
}
