// What the JSON of a message looks like, worked out once per message from the table of field numbers and the schema: which fields there are, in the
// order in which a Go server prints them, what each holds, and what is printed where the bytes have nothing.
//
// Go writes to protobuf what it holds by value, zeros included, and prints in JSON what is not empty or has no `omitempty`. Both are facts of the
// schema (`isPointer`, `isAlwaysPrinted`). A message without a schema is read as it is written: what the bytes have is there, and nothing else.
import type { ProtobufField, ProtobufMessage, ProtobufTable } from "../protobuf-table.ts";
import type { ObjectSchema, Slot } from "../schema.ts";
import { wireTypes } from "./byte-reader.ts";
import { type Kind, meta } from "./message-names.ts";
import { ProtobufError } from "./protobuf-error.ts";

/** How a value is held decides what is printed of its absence and of its zero. */
export type Holding =
  /** Absent and zero differ. */
  | "pointer"
  /** Absent is zero. */
  | "value"
  /** A list, a map or bytes: absent is null or nothing. */
  | "slice"
  /** Not known: there if and only if the bytes have it. */
  | "presence";

export interface PlannedField {
  readonly name: string;
  readonly field: ProtobufField;
  readonly holding: Holding;
  /** Printed even if there is nothing to print. */
  readonly isAlwaysPrinted: boolean;
  /** What a server says of the field's objects in JSON, and protobuf does not say. */
  readonly impliedKind: Kind | undefined;
}

/** The fields of a message itself, in the order of their numbers. */
export interface PlannedLevel {
  readonly messageName: string;
  readonly entries: readonly {
    readonly field: ProtobufField;
    /** The index of a planned field, or what Go embeds, whose fields lie flat in the parent. */
    readonly entry: number | PlannedLevel;
  }[];
}

export interface PlannedMessage {
  /** In the order of the JSON. */
  readonly fields: readonly PlannedField[];
  readonly level: PlannedLevel;
}

export function planMessage(
  message: ProtobufMessage,
  table: ProtobufTable,
  schema: ObjectSchema | undefined,
): PlannedMessage {
  const order = new Map([...(schema?.fields.keys() ?? [])].map((name, index) => [name, index]));
  const place = ({ name }: ProtobufField) => order.get(name) ?? order.size;
  const flat = flatFields(message, table).sort((a, b) => place(a) - place(b));
  const indexes = new Map(flat.map((field, index) => [field, index]));
  return {
    fields: flat.map((field) => planField(field, message, schema?.fields.get(field.name))),
    level: planLevel(message, table, indexes),
  };
}

/** With those of embedded messages, in the order of their numbers. */
function flatFields(message: ProtobufMessage, table: ProtobufTable): ProtobufField[] {
  return inOrder(message).flatMap((field) =>
    field.isInline ? flatFields(messageNamed(field.type, table), table) : [field],
  );
}

function planLevel(
  message: ProtobufMessage,
  table: ProtobufTable,
  indexes: ReadonlyMap<ProtobufField, number>,
): PlannedLevel {
  const entries = inOrder(message).map((field) => {
    if (field.isInline) return { field, entry: planLevel(messageNamed(field.type, table), table, indexes) };
    return { field, entry: indexes.get(field) ?? 0 };
  });
  return { messageName: message.name, entries };
}

function inOrder({ fieldsByNumber }: ProtobufMessage): readonly ProtobufField[] {
  return [...fieldsByNumber.values()].sort((a, b) => a.number - b.number);
}

export function messageNamed(name: string, table: ProtobufTable): ProtobufMessage {
  const message = table.messageNamed(name);
  if (message === undefined) throw new ProtobufError(`there is no message ${name}`);
  return message;
}

function planField(field: ProtobufField, message: ProtobufMessage, slot: Slot | undefined): PlannedField {
  const { name } = field;
  const impliedKind = impliedKinds.get(`${message.name}.${name}`);
  if (slot?.isPointer === undefined) {
    // The few messages in use that no document describes are metadata views, and every object holds its metadata by value.
    const isView = slot === undefined && name === "metadata" && message.name.startsWith(meta);
    return { name, field, holding: isView ? "value" : "presence", isAlwaysPrinted: isView, impliedKind };
  }
  return { name, field, holding: holdingOf(field, slot), isAlwaysPrinted: slot.isAlwaysPrinted === true, impliedKind };
}

function holdingOf({ container, type }: ProtobufField, slot: Slot): Holding {
  if (slot.isPointer === true) return "pointer";
  const isSlice =
    container !== "single" || type === "bytes" || slot.schema.type === "list" || slot.schema.type === "map";
  return isSlice ? "slice" : "value";
}

/** The claims of a StatefulSet are whole objects, and defaults say of which kind. */
const impliedKinds: ReadonlyMap<string, Kind> = new Map([
  ["k8s.io.api.apps.v1.StatefulSetSpec.volumeClaimTemplates", { kind: "PersistentVolumeClaim", apiVersion: "v1" }],
]);

/** `Verbs`, `ExtraValue`: a list in JSON. No object of Kubernetes' holds nothing but strings called items. */
export function isListMessage({ fieldsByNumber }: ProtobufMessage): boolean {
  const only = fieldsByNumber.size === 1 ? fieldsByNumber.get(1) : undefined;
  return only?.name === "items" && only.container === "repeated" && only.type === "string";
}

export function wireTypeOf({ container, isMessage, type }: ProtobufField): number {
  if (container === "map" || isMessage || type === "string" || type === "bytes") return wireTypes.bytes;
  return type === "double" ? wireTypes.fixed64 : wireTypes.varint;
}
