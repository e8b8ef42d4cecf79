// A list in the form its client asked for: of whole objects, of their metadata, or a table. However long it is, it is made and written
// a piece at a time, and lets the event loop run in between.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import type { PrintContext } from "../kinds/kind-rules.ts";
import { RequestYieldBudget } from "../storage/request-yield-budget.ts";
import { encodeJson, jsonAfterKind, jsonOf } from "./json-encodings.ts";
import type { KindCodec } from "./kind-codec.ts";
import type { OutputForm, ViewForm } from "./output-form.ts";
import { metadataOf, type Presentation, rowOf, tableOf } from "./presentation.ts";
import { type PrintYaml, yamlOn } from "./print-yaml.ts";
import type { ListHead } from "./protobuf/index.ts";
import { protobufOn, rawOf } from "./protobuf-encodings.ts";

export interface ShownList {
  /** All of it but what is in it. */
  readonly head: ListHead;
  readonly field: "items" | "rows";
  readonly objects: readonly KubernetesObject[];
  /** Of the objects that are shown, where they are shown whole. */
  readonly codec: KindCodec;
  /** One of the objects, as the list holds it. */
  show(object: KubernetesObject): object;
}

export interface ListSource {
  readonly metadata: object;
  readonly objects: readonly KubernetesObject[];
}

/** The list under the view asked for. */
export function showList(
  { metadata, objects }: ListSource,
  presentation: Presentation,
  view: ViewForm,
  context: PrintContext,
): ShownList {
  const { resource, codec } = presentation;
  const served = (object: KubernetesObject) => presentation.toServed(object);
  switch (view.kind) {
    case "table": {
      const { rows: _none, ...head } = tableOf([], metadata, { presentation, view }) as ListHead & { rows: unknown };
      const show = (object: KubernetesObject) => rowOf(served(object), presentation, view, context);
      return { head, field: "rows", objects, codec, show };
    }
    case "metadata": {
      const head = { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${view.version}`, metadata };
      return { head, field: "items", objects, codec, show: (object) => metadataOf(served(object), view.version) };
    }
    case "object": {
      // A list of objects without a Go type always says where it goes on.
      const listMeta = codec.isUnstructured ? { continue: "", ...metadata } : metadata;
      const kind = resource.listKind ?? `${resource.kind}List`;
      const head = { kind, apiVersion: resource.apiVersion, metadata: listMeta };
      return { head, field: "items", objects, codec, show: served };
    }
  }
}

/** For readers inside this process. */
export async function listValue(
  { head, field, objects, show }: ShownList,
  yieldBudget: RequestYieldBudget,
): Promise<object> {
  const shown: object[] = [];
  for (const object of objects) {
    shown.push(show(object));
    if (yieldBudget.isUsedUp()) await yieldBudget.yield();
  }
  return { ...head, [field]: shown };
}

export interface ListBodyOptions {
  readonly form: OutputForm;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function listBytes(
  list: ShownList,
  { form: { media, view, isPretty }, clock, signal }: ListBodyOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const yieldBudget = new RequestYieldBudget(clock, signal);
  switch (media) {
    case "json":
      if (isPretty) return inChunks(list, prettyWriter(list, view), yieldBudget);
      return inChunks(list, jsonWriter(list, view), yieldBudget);
    case "yaml":
      return inChunks(list, yamlWriter(list, view, await yamlOn(clock)), yieldBudget);
    case "protobuf":
      return protobufList(list, view, clock, yieldBudget);
  }
}

/** What comes before, for each, and after. */
interface ListWriter {
  readonly opening: Uint8Array;
  /** Adds the bytes of one; returns their number. */
  add(object: KubernetesObject, isFirst: boolean, pieces: Uint8Array[]): number;
  readonly closing: Uint8Array;
}

const chunkBytes = 64 * 1024;

async function* inChunks(
  { objects }: ShownList,
  { opening, add, closing }: ListWriter,
  yieldBudget: RequestYieldBudget,
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [opening];
  let length = opening.length;
  for (let i = 0; i < objects.length; i++) {
    length += add(objects[i] as KubernetesObject, i === 0, pieces);
    if (length >= chunkBytes) {
      yield Buffer.concat(pieces);
      pieces = [];
      length = 0;
    }
    if (yieldBudget.isUsedUp()) await yieldBudget.yield();
  }
  pieces.push(closing);
  yield Buffer.concat(pieces);
}

const firstItem = Buffer.from("{");
const nextItem = Buffer.from(",{");
const comma = Buffer.from(",");
const nothing = Buffer.alloc(0);

function jsonWriter({ head, field, show, codec }: ShownList, view: ViewForm): ListWriter {
  const frame = {
    opening: Buffer.from(`${JSON.stringify(head).slice(0, -1)},"${field}":[`, "utf8"),
    closing: Buffer.from("]}\n"),
  };
  if (view.kind === "object" && !codec.isUnstructured) {
    return {
      ...frame,
      add(object, isFirst, pieces) {
        const bytes = jsonAfterKind(show(object) as KubernetesObject);
        pieces.push(isFirst ? firstItem : nextItem, bytes);
        return bytes.length;
      },
    };
  }
  return {
    ...frame,
    add(object, isFirst, pieces) {
      const shown = show(object);
      const bytes = view.kind === "object" ? jsonOf(shown) : encodeJson(shown);
      pieces.push(isFirst ? nothing : comma, bytes);
      return bytes.length;
    },
  };
}

/** For people: each line indented, as `JSON.stringify` would the whole. */
function prettyWriter(list: ShownList, view: ViewForm): ListWriter {
  const { head, field, objects, show } = list;
  const isEmpty = objects.length === 0;
  return {
    opening: Buffer.from(`${JSON.stringify(head, null, 2).slice(0, -2)},\n  "${field}": [`, "utf8"),
    add(object, isFirst, pieces) {
      // Line breaks of texts are escaped: those that are left are the layout's.
      const lines = JSON.stringify(inList(show(object), list, view), null, 2).replaceAll("\n", "\n    ");
      const bytes = Buffer.from(`${isFirst ? "" : ","}\n    ${lines}`, "utf8");
      pieces.push(bytes);
      return bytes.length;
    },
    closing: Buffer.from(isEmpty ? "]\n}" : "\n  ]\n}"),
  };
}

/** Names in order: some of the head come before the items, some after. */
function yamlWriter(list: ShownList, view: ViewForm, print: PrintYaml): ListWriter {
  const { head, field, objects, show } = list;
  const names = Object.keys(head).toSorted();
  const part = (isBefore: boolean) =>
    names
      .filter((name) => name < field === isBefore)
      .map((name) => print({ [name]: (head as unknown as Record<string, unknown>)[name] }))
      .join("");
  const title = `${field}:\n`;
  return {
    opening: Buffer.from(part(true) + (objects.length === 0 ? print({ [field]: [] }) : title), "utf8"),
    add(object, _isFirst, pieces) {
      const bytes = Buffer.from(print({ [field]: [inList(show(object), list, view)] }).slice(title.length), "utf8");
      pieces.push(bytes);
      return bytes.length;
    },
    closing: Buffer.from(part(false), "utf8"),
  };
}

/** Whole objects stand in a list without their kind, which is the list's; those without a Go type keep it. */
function inList(shown: object, { codec }: ShownList, view: ViewForm): object {
  if (view.kind !== "object" || codec.isUnstructured) return shown;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = shown as KubernetesObject;
  return rest;
}

/** Lengths come first in it, so that all items are encoded before the first goes out. */
async function* protobufList(
  { head, objects, show, codec }: ShownList,
  view: ViewForm,
  clock: Clock,
  yieldBudget: RequestYieldBudget,
): AsyncGenerator<Uint8Array> {
  const protobuf = await protobufOn(clock);
  const items: Uint8Array[] = [];
  for (const object of objects) {
    const shown = show(object) as KubernetesObject;
    items.push(view.kind === "object" ? rawOf(shown, protobuf, codec.protobufMessage) : protobuf.encodeRaw(shown));
    if (yieldBudget.isUsedUp()) await yieldBudget.yield();
  }
  for (const piece of protobuf.listEnvelopePieces(head, items)) {
    yield piece;
    if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
  }
}
