// Decodes a Kubernetes list in protobuf, item by item, as its bytes arrive; the response is never held whole. The counterpart of ListDecoder for JSON,
// and synchronous like it: call `push` for each chunk, `end` at the end, then read `metadata`.
//
// Items are objects that are decoded when they are looked at (`api/protobuf/lazy-objects.ts`). A Status in place of a list is thrown as a StatusError.
// Anything else that is not a list is a ListDecodeError with its position.
import { Buffer } from "node:buffer";
import type { ListMeta } from "../../api/generated/types/meta/v1.ts";
import {
  type DecodeObserver,
  type LazyDecoder,
  type Protobuf,
  ProtobufError,
  type ProtobufKind,
} from "../../api/index.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import { decodeStatus, StatusError } from "../../api/status-error.ts";
import { CarriedBytes } from "./carried-bytes.ts";
import { ListDecodeError } from "./decode-errors.ts";
import type { ChunkDecoder } from "./decode-stream.ts";
import { itemKindOf } from "./item-identity.ts";
import type { ProtobufDecoderOptions } from "./protobuf-decoder-options.ts";
import { type FieldHead, fieldsOf, readFieldHead } from "./protobuf-field-head.ts";

const prefix = Buffer.from("k8s\0");
const defaultMaxBytes = 64 * 1024 * 1024;
/** Of the envelope, and of the list within it. */
const envelopeTags = { typeMeta: 0x0a, raw: 0x12 } as const;
const typeMetaTags = { apiVersion: 0x0a, kind: 0x12 } as const;
const listTags = { metadata: 0x0a, items: 0x12 } as const;

/** What is expected next: the four bytes in front, a field of the envelope, or a field of the list, of which so many bytes are left. */
type Place = "prefix" | "envelope" | "list";

export class ProtobufListDecoder<T extends KubernetesObject> implements ChunkDecoder<T> {
  readonly #protobuf: Protobuf;
  readonly #maxBytes: number;
  readonly #observer: DecodeObserver | undefined;
  readonly #carried = new CarriedBytes();
  #place: Place = "prefix";
  /** How many bytes must be there for the next step. */
  #needed = prefix.length;
  /** The number of bytes before those that are being read. */
  #offset = 0;
  #listBytesLeft = 0;
  #listKind: ProtobufKind = { apiVersion: "", kind: "" };
  /** Reads the items. Undefined until the list's kind is known. */
  #decode: LazyDecoder | undefined;
  #count = 0;
  #listMeta: ListMeta = {};
  #hasEnded = false;

  constructor(protobuf: Protobuf, { maxValueBytes = defaultMaxBytes, observer }: ProtobufDecoderOptions = {}) {
    this.#protobuf = protobuf;
    this.#maxBytes = maxValueBytes;
    this.#observer = observer;
  }

  /** The list's metadata. Known after `end`. */
  get metadata(): ListMeta {
    if (this.#hasEnded) return this.#listMeta;
    throw this.#fault("metadata is known only after the last item", 0);
  }

  push(chunk: Buffer, items: T[]): void {
    if (this.#carried.length + chunk.length < this.#needed) {
      this.#carried.keep(chunk);
      return;
    }
    const bytes = this.#carried.take(chunk);
    let at = 0;
    while (at < bytes.length) {
      const next = this.#step(bytes, at, items);
      if (next === undefined) break;
      at = next;
      this.#needed = 1;
    }
    this.#offset += at;
    if (at < bytes.length) this.#carried.keep(bytes.subarray(at));
  }

  end(_items: T[]): void {
    const isWhole = this.#place === "envelope" && this.#carried.length === 0;
    if (!isWhole) {
      const position = this.#offset + this.#carried.length;
      throw new ListDecodeError("list ends in the middle", { reason: "UnexpectedEnd", position });
    }
    if (this.#decode === undefined) throw this.#fault("not a list: it says no kind", 0);
    this.#hasEnded = true;
  }

  /** Returns where the next step begins; undefined if more bytes are needed for this one. */
  #step(bytes: Buffer, at: number, items: T[]): number | undefined {
    if (this.#place === "prefix") return this.#readPrefix(bytes, at);
    const head = this.#headAt(bytes, at);
    if (head === undefined) return this.#need(bytes.length - at + 1);
    return this.#place === "envelope" ? this.#readEnvelope(bytes, at, head) : this.#readList(bytes, at, head, items);
  }

  #readPrefix(bytes: Buffer, at: number): number | undefined {
    if (bytes.length - at < prefix.length) return this.#need(prefix.length);
    if (bytes.compare(prefix, 0, prefix.length, at, at + prefix.length) !== 0) {
      throw this.#fault("not a list: it is no protobuf", at);
    }
    this.#place = "envelope";
    return at + prefix.length;
  }

  #readEnvelope(bytes: Buffer, at: number, head: FieldHead): number | undefined {
    const isList = head.tag === envelopeTags.raw && this.#listKind.kind !== "Status";
    if (isList) {
      this.#enterList(at);
      this.#listBytesLeft = head.length;
      if (head.length > 0) this.#place = "list";
      return head.end - head.length;
    }
    if (head.end > bytes.length) return this.#needValue(head, at);
    const value = bytes.subarray(head.end - head.length, head.end);
    if (head.tag === envelopeTags.typeMeta) this.#listKind = this.#decodeTypeMeta(value, at);
    else if (head.tag === envelopeTags.raw) this.#throwStatus(value, at);
    return head.end;
  }

  #enterList(at: number): void {
    const { apiVersion, kind } = this.#listKind;
    const itemKind = itemKindOf(kind);
    const message = itemKind === undefined ? undefined : this.#protobuf.messageOfKind({ apiVersion, kind: itemKind });
    if (this.#decode !== undefined) throw this.#fault("the list comes in parts", at);
    if (itemKind === undefined || message === undefined) {
      throw this.#fault(`not a list: its kind is ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}`, at);
    }
    this.#decode = this.#protobuf.lazyDecoder(message, { apiVersion, kind: itemKind }, this.#observer);
  }

  #readList(bytes: Buffer, at: number, head: FieldHead, items: T[]): number | undefined {
    if (head.end - at > this.#listBytesLeft) throw this.#fault("a field is longer than the list", at);
    if (head.end > bytes.length) return this.#needValue(head, at);
    const from = head.end - head.length;
    if (head.tag === listTags.items) this.#addItem(bytes, { from, end: head.end }, at, items);
    else if (head.tag === listTags.metadata) this.#listMeta = this.#decodeListMeta(bytes.subarray(from, head.end), at);
    this.#listBytesLeft -= head.end - at;
    if (this.#listBytesLeft === 0) this.#place = "envelope";
    return head.end;
  }

  #addItem(
    bytes: Buffer,
    { from, end }: { readonly from: number; readonly end: number },
    at: number,
    items: T[],
  ): void {
    if (this.#decode === undefined) throw this.#fault("an item comes before the list's kind", at);
    try {
      items.push(this.#decode(bytes, from, end) as unknown as T);
    } catch (cause) {
      throw cause instanceof ProtobufError ? this.#fault(`items[${this.#count}]: ${cause.message}`, at, cause) : cause;
    }
    this.#count++;
  }

  #throwStatus(value: Buffer, at: number): never {
    const message = "k8s.io.apimachinery.pkg.apis.meta.v1.Status";
    const json = this.#attempt(() => this.#protobuf.decodeMessage(value, message, this.#listKind), "status", at);
    const status = decodeStatus(json);
    throw status === undefined
      ? this.#fault("not a list: a Status that cannot be decoded", at)
      : new StatusError(status);
  }

  #decodeTypeMeta(value: Buffer, at: number): ProtobufKind {
    let [apiVersion, kind] = ["", ""];
    for (const field of this.#attempt(() => fieldsOf(value), "kind", at)) {
      if (field.tag === typeMetaTags.apiVersion) apiVersion = field.value.toString("utf8");
      else if (field.tag === typeMetaTags.kind) kind = field.value.toString("utf8");
    }
    return { apiVersion, kind };
  }

  #decodeListMeta(value: Buffer, at: number): ListMeta {
    const message = "k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta";
    return this.#attempt(() => this.#protobuf.decodeMessage(value, message), "metadata", at) as ListMeta;
  }

  #headAt(bytes: Buffer, at: number): FieldHead | undefined {
    try {
      return readFieldHead(bytes, at);
    } catch (cause) {
      throw this.#fault(cause instanceof Error ? cause.message : "a field is malformed", at, cause);
    }
  }

  #need(count: number): undefined {
    this.#needed = count;
  }

  #needValue({ length, end }: FieldHead, at: number): undefined {
    if (length > this.#maxBytes) {
      const position = this.#offset + at;
      throw new ListDecodeError(`a field has ${length} bytes, more than ${this.#maxBytes}`, {
        reason: "TooLarge",
        position,
      });
    }
    this.#needed = end - at;
  }

  #attempt<R>(decode: () => R, what: string, at: number): R {
    try {
      return decode();
    } catch (cause) {
      if (!(cause instanceof ProtobufError)) throw cause;
      throw this.#fault(`${what}: ${cause.message}`, at, cause);
    }
  }

  #fault(fault: string, at: number, cause?: unknown): ListDecodeError {
    return new ListDecodeError(fault, { reason: "Decode", position: this.#offset + at, cause });
  }
}
