// Decodes a watch stream: JSON events one after the other, separated by newlines, other white space or nothing.
// Synchronous, like ListDecoder.
//
// Nothing is skipped: bytes that are not an event, an unknown type or an object without a kind are WatchDecodeErrors. A body
// that ends between two events is complete; inside one, the error's reason is `UnexpectedEnd`.
//
// Servers write one event per line. If the first event ends its line, lines are taken whole, without scanning for ends inside
// them: JSON.parse verifies that a line is one event. The first line that is not one ends this mode, and all else is scanned.
import { Buffer } from "node:buffer";
import type { KubernetesObject } from "../../api/resource.ts";
import { CarriedBytes } from "./carried-bytes.ts";
import { WatchDecodeError } from "./decode-errors.ts";
import type { ChunkDecoder } from "./decode-stream.ts";
import { ValueCutter, type ValueLimits } from "./value-cutter.ts";
import { decodeWatchEvent, type WatchEvent } from "./watch-event.ts";

const newline = 0x0a;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const maxCarriedBytes = 64 * 1024;

export class WatchDecoder<T extends KubernetesObject> implements ChunkDecoder<WatchEvent<T>> {
  readonly #cutter: ValueCutter;
  #framing: "unknown" | "lines" | "other" = "unknown";
  /** The beginning of a line that continues in the next chunk. */
  readonly #carried = new CarriedBytes();

  constructor(limits: ValueLimits = {}) {
    this.#cutter = new ValueCutter(limits, WatchDecodeError);
  }

  push(chunk: Buffer, events: WatchEvent<T>[]): void {
    const last = this.#framing === "lines" ? chunk.lastIndexOf(newline) + 1 : chunk.length;
    const first = this.#carried.length > 0 && last > 0 ? chunk.indexOf(newline) + 1 : 0;
    if (first > 0) this.#read(this.#carried.take(chunk.subarray(0, first)), events);
    if (first < last) this.#read(chunk.subarray(first, last), events);
    if (last < chunk.length) this.#carryOrRead(chunk.subarray(last), events);
  }

  end(events: WatchEvent<T>[]): void {
    if (this.#carried.length > 0) this.#read(this.#carried.take(Buffer.alloc(0)), events);
    if (!this.#cutter.isInValue) return;
    const { position } = this.#cutter;
    throw new WatchDecodeError("watch ends in the middle of an event", { reason: "UnexpectedEnd", position });
  }

  /** Keeps the beginning of a line for later, unless it may already be a whole event or is long. */
  #carryOrRead(bytes: Buffer, events: WatchEvent<T>[]): void {
    const isLong = this.#carried.length + bytes.length > maxCarriedBytes;
    if (this.#framing !== "lines" || this.#cutter.isInValue || bytes.at(-1) === closingBrace || isLong) {
      this.#read(this.#carried.take(bytes), events);
      return;
    }
    this.#carried.keep(bytes);
  }

  #read(bytes: Buffer, events: WatchEvent<T>[]): void {
    this.#cutter.enter(bytes);
    let at = this.#cutter.isInValue ? this.#accept(this.#cutter.goOn(), bytes, events) : 0;
    while (at < bytes.length) {
      const byte = bytes[at] as number;
      if (byte === newline || byte === 0x20 || byte === 0x0d || byte === 0x09) at++;
      else if (byte !== openingBrace) {
        throw this.#fault("not an event: it does not begin with {", this.#cutter.positionOf(at));
      } else at = this.#readLines(at, bytes, events) ?? this.#accept(this.#cutter.begin(at), bytes, events);
    }
  }

  /** Decodes the text of all lines at once, then parses each. Returns the index to continue from; undefined if none was taken. */
  #readLines(at: number, bytes: Buffer, events: WatchEvent<T>[]): number | undefined {
    const end = this.#framing === "lines" ? bytes.lastIndexOf(newline) + 1 : 0;
    const text = end > at ? this.#textOf(at, end) : undefined;
    if (text === undefined) return undefined;
    let from = 0;
    while (from < text.length) {
      const until = text.indexOf("\n", from);
      if (until - from > this.#cutter.shallowBytes) break;
      if (until > from && !this.#addLine(text.slice(from, until), events)) {
        this.#framing = "other";
        break;
      }
      from = until + 1;
    }
    if (from === text.length) return end;
    return from === 0 ? undefined : at + Buffer.byteLength(text.slice(0, from));
  }

  #textOf(from: number, end: number): string | undefined {
    try {
      return this.#cutter.trust(from, end) ? this.#cutter.text() : undefined;
    } catch {
      // Not UTF-8; scanning will find out in which event.
      return undefined;
    }
  }

  /** Returns false without taking anything if the line is not exactly one event; scanning will find out what it is. */
  #addLine(line: string, events: WatchEvent<T>[]): boolean {
    try {
      events.push(decodeWatchEvent<T>(JSON.parse(line)));
      return true;
    } catch {
      return false;
    }
  }

  /** Takes the event that the cutter has just finished. Returns the index to continue from. */
  #accept(end: number, bytes: Buffer, events: WatchEvent<T>[]): number {
    if (end === -1) return bytes.length;
    let json: unknown;
    try {
      json = JSON.parse(this.#cutter.text());
    } catch (cause) {
      throw this.#fault("malformed event", this.#cutter.position, cause);
    }
    this.#add(json, events);
    if (this.#framing === "unknown" && end < bytes.length) this.#framing = bytes[end] === newline ? "lines" : "other";
    return end;
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
