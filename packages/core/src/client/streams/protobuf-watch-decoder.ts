// Decodes a watch stream in protobuf: frames one after the other, each with its length in front. The counterpart of WatchDecoder for JSON, and
// synchronous like it. Objects are decoded when they are looked at (`api/protobuf/lazy-objects.ts`).
//
// Nothing is skipped: bytes that are not an event, an unknown type or an object of an unknown kind are WatchDecodeErrors. A body that ends between two
// frames is complete; inside one, the error's reason is `UnexpectedEnd`.
import { Buffer } from "node:buffer";
import {
  type DecodeObserver,
  type LazyDecoder,
  type Protobuf,
  ProtobufError,
  type ProtobufKind,
} from "../../api/index.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import { CarriedBytes } from "./carried-bytes.ts";
import { WatchDecodeError } from "./decode-errors.ts";
import type { ChunkDecoder } from "./decode-stream.ts";
import type { ProtobufDecoderOptions } from "./protobuf-decoder-options.ts";
import { fieldsOf } from "./protobuf-field-head.ts";
import { decodeWatchEvent, type WatchEvent } from "./watch-event.ts";
import { WatchFramePlace } from "./watch-frame-place.ts";

const lengthBytes = 4;
const defaultMaxBytes = 64 * 1024 * 1024;
const eventTags = { type: 0x0a, object: 0x12 } as const;
/** Of the extension in which the object lies. */
const rawTag = 0x0a;
const typeMetaTags = { apiVersion: 0x0a, kind: 0x12 } as const;

export class ProtobufWatchDecoder<T extends KubernetesObject> implements ChunkDecoder<WatchEvent<T>> {
  readonly #protobuf: Protobuf;
  readonly #maxBytes: number;
  readonly #observer: DecodeObserver | undefined;
  readonly #carried = new CarriedBytes();
  readonly #place = new WatchFramePlace();
  #known: { readonly kindBytes: Buffer; readonly decode: LazyDecoder } | undefined;
  #needed = lengthBytes;
  #offset = 0;

  constructor(protobuf: Protobuf, { maxValueBytes = defaultMaxBytes, observer }: ProtobufDecoderOptions = {}) {
    this.#protobuf = protobuf;
    this.#maxBytes = maxValueBytes;
    this.#observer = observer;
  }

  push(chunk: Buffer, events: WatchEvent<T>[]): void {
    if (this.#carried.length + chunk.length < this.#needed) {
      this.#carried.keep(chunk);
      return;
    }
    const bytes = this.#carried.take(chunk);
    let at = 0;
    for (;;) {
      this.#needed = lengthBytes;
      if (bytes.length - at < this.#needed) break;
      const length = bytes.readUInt32BE(at);
      if (length > this.#maxBytes) {
        const position = this.#offset + at;
        throw new WatchDecodeError(`a frame has ${length} bytes, more than ${this.#maxBytes}`, {
          reason: "TooLarge",
          position,
        });
      }
      this.#needed += length;
      if (bytes.length - at < this.#needed) break;
      events.push(this.#decode(bytes, at + lengthBytes, at + this.#needed));
      at += this.#needed;
    }
    this.#offset += at;
    if (at < bytes.length) this.#carried.keep(bytes.subarray(at));
  }

  end(_events: WatchEvent<T>[]): void {
    if (this.#carried.length === 0) return;
    const position = this.#offset + this.#carried.length;
    throw new WatchDecodeError("watch ends in the middle of an event", { reason: "UnexpectedEnd", position });
  }

  #decode(bytes: Buffer, from: number, end: number): WatchEvent<T> {
    try {
      const place = this.#place;
      if (place.find(bytes, from, end)) {
        const { type, rawFrom, rawEnd } = place;
        const object = this.#decoderOf(bytes)(bytes, rawFrom, rawEnd);
        return decodeWatchEvent<T>({ type, object });
      }
      const { type, enveloped } = readEvent(bytes.subarray(from, end));
      return decodeWatchEvent<T>({ type, object: this.#decodeObject(enveloped, type) });
    } catch (cause) {
      const fault = cause instanceof Error ? cause.message : "cannot be decoded";
      const position = this.#offset + from - lengthBytes;
      throw new WatchDecodeError(`event: ${fault}`, { reason: "Decode", position, cause });
    }
  }

  /** All objects of a watch are of one kind, so that its bytes are read once. */
  #decoderOf(bytes: Buffer): LazyDecoder {
    const { kindFrom, kindEnd } = this.#place;
    const known = this.#known;
    if (known !== undefined && bytes.compare(known.kindBytes, 0, known.kindBytes.length, kindFrom, kindEnd) === 0) {
      return known.decode;
    }
    const [apiVersion, kind] = readTypeMeta(bytes.subarray(kindFrom, kindEnd));
    const decode = this.#newDecoder({ apiVersion, kind });
    this.#known = { kindBytes: Buffer.from(bytes.subarray(kindFrom, kindEnd)), decode };
    return decode;
  }

  #decodeObject(enveloped: Buffer, type: string): Record<string, unknown> {
    if (type === "ERROR") return this.#protobuf.decodeEnvelope(enveloped);
    const { typeMeta, raw } = this.#protobuf.openEnvelope(enveloped);
    return this.#newDecoder(typeMeta)(raw, 0, raw.length);
  }

  #newDecoder(typeMeta: ProtobufKind): LazyDecoder {
    const message = this.#protobuf.messageOfKind(typeMeta);
    if (message === undefined) {
      throw new ProtobufError(
        `${JSON.stringify(typeMeta.kind)} of ${JSON.stringify(typeMeta.apiVersion)} has no message`,
      );
    }
    return this.#protobuf.lazyDecoder(message, typeMeta, this.#observer);
  }
}

function readTypeMeta(bytes: Buffer): readonly [apiVersion: string, kind: string] {
  let [apiVersion, kind] = ["", ""];
  for (const { tag, value } of fieldsOf(bytes)) {
    if (tag === typeMetaTags.apiVersion) apiVersion = value.toString("utf8");
    else if (tag === typeMetaTags.kind) kind = value.toString("utf8");
  }
  return [apiVersion, kind];
}

function readEvent(frame: Buffer): { readonly type: string; readonly enveloped: Buffer } {
  let type = "";
  let enveloped = frame.subarray(0, 0);
  for (const { tag, value } of fieldsOf(frame)) {
    if (tag === eventTags.type) type = value.toString("utf8");
    else if (tag === eventTags.object) {
      for (const inner of fieldsOf(value)) if (inner.tag === rawTag) enveloped = inner.value;
    }
  }
  return { type, enveloped };
}
