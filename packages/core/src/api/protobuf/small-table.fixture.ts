// A table of a few messages, to say in short hex what the real ones would say in long.
import type { ProtobufField, ProtobufMessage, ProtobufTable } from "../protobuf-table.ts";

export type FieldRow = Partial<ProtobufField> & Pick<ProtobufField, "number" | "type">;
export type MessageRows = Readonly<Record<string, Readonly<Record<string, FieldRow>>>>;

export function smallTable(messages: MessageRows): ProtobufTable {
  const known = new Map(Object.entries(messages).map(([name, rows]) => [name, messageOf(name, rows)]));
  return { messageNamed: (name) => known.get(name), messageOfSchema: () => undefined };
}

function messageOf(name: string, rows: Readonly<Record<string, FieldRow>>): ProtobufMessage {
  const fields = Object.entries(rows).map(
    ([field, row]): ProtobufField => ({
      name: field,
      container: "single",
      isMessage: row.type.includes("."),
      isInline: false,
      ...row,
    }),
  );
  return {
    name,
    schemaName: `no schema of ${name}`,
    fieldsByNumber: new Map(fields.map((field) => [field.number, field])),
    fieldsByName: new Map(fields.map((field) => [field.name, field])),
  };
}

export const fromHex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
