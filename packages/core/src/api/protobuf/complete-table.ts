// The table of messages, and the one in use that it lacks because no OpenAPI document knows its package.
import type { ProtobufField, ProtobufMessage, ProtobufTable } from "../protobuf-table.ts";
import { meta, oldMetadataList } from "./message-names.ts";

const oldFields: readonly ProtobufField[] = [
  {
    name: "items",
    number: 1,
    container: "repeated",
    type: `${meta}.PartialObjectMetadata`,
    isMessage: true,
    isInline: false,
  },
  { name: "metadata", number: 2, container: "single", type: `${meta}.ListMeta`, isMessage: true, isInline: false },
];

const oldList: ProtobufMessage = {
  ...oldMetadataList,
  fieldsByNumber: new Map(oldFields.map((field) => [field.number, field])),
  fieldsByName: new Map(oldFields.map((field) => [field.name, field])),
};

export function completeTable(table: ProtobufTable): ProtobufTable {
  return {
    messageNamed: (name) => (name === oldList.name ? oldList : table.messageNamed(name)),
    messageOfSchema: (name) => (name === oldList.schemaName ? oldList : table.messageOfSchema(name)),
  };
}
