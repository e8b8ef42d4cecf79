// The protobuf field numbers of the built-in kinds. The table is large and most programs use JSON, so it is imported
// on first use.
//
// Fields have their JSON names. Where Go embeds a struct, protobuf has a message and JSON has its fields
// flat in the parent: such a field is `isInline`, and its name is protobuf's. Messages for scalars (Quantity, Time,
// IntOrString, RawExtension …) keep protobuf's names and need special code.

export interface ProtobufField {
  readonly name: string;
  readonly number: number;
  readonly container: "single" | "repeated" | "map";
  /** A protobuf scalar type (`string`, `int64`, `bytes` …) or a message's name; for a map, of its values. */
  readonly type: string;
  readonly isMessage: boolean;
  readonly isInline: boolean;
}

export interface ProtobufMessage {
  /** `k8s.io.api.core.v1.Pod` */
  readonly name: string;
  /** `io.k8s.api.core.v1.Pod`; not every message has a schema. */
  readonly schemaName: string;
  readonly fieldsByNumber: ReadonlyMap<number, ProtobufField>;
  readonly fieldsByName: ReadonlyMap<string, ProtobufField>;
}

export interface ProtobufTable {
  messageNamed(name: string): ProtobufMessage | undefined;
  messageOfSchema(schemaName: string): ProtobufMessage | undefined;
}

interface Table {
  readonly packages: { readonly [short: string]: string };
  readonly messages: { readonly [name: string]: { readonly [field: string]: readonly [number, ...string[]] } };
}

let loading: Promise<ProtobufTable> | undefined;

export function loadProtobufTable(): Promise<ProtobufTable> {
  loading ??= import("./generated/protobuf-table.ts").then((module) => decodeTable(module.protobufTable));
  return loading;
}

function decodeTable(text: string): ProtobufTable {
  const table = JSON.parse(text) as Table;
  const fullName = (short: string): string => {
    const dot = short.lastIndexOf(".");
    const packageName = table.packages[short.slice(0, dot)];
    return packageName === undefined ? short : packageName + short.slice(dot);
  };
  const shortNames = new Map(Object.keys(table.messages).map((short) => [fullName(short), short]));
  const messages = new Map<string, ProtobufMessage>();
  const messageNamed = (name: string): ProtobufMessage | undefined => {
    const known = messages.get(name);
    const rows = table.messages[shortNames.get(name) ?? ""];
    if (known !== undefined || rows === undefined) return known;
    const message = decodeMessage(name, rows, fullName);
    messages.set(name, message);
    return message;
  };
  return { messageNamed, messageOfSchema: (schemaName) => messageNamed(messageNameOf(schemaName)) };
}

function decodeMessage(
  name: string,
  rows: { readonly [field: string]: readonly [number, ...string[]] },
  fullName: (short: string) => string,
): ProtobufMessage {
  const fields = Object.entries(rows).map(([key, [number, ...words]]): ProtobufField => {
    const type = words.at(-1) ?? "";
    const isMessage = type.includes(".");
    return {
      name: key.replace(/^\*/, ""),
      number,
      container: words[0] === "map" ? "map" : words[0] === "repeated" ? "repeated" : "single",
      type: isMessage ? fullName(type) : type,
      isMessage,
      isInline: key.startsWith("*"),
    };
  });
  return {
    name,
    schemaName: schemaNameOf(name),
    fieldsByNumber: new Map(fields.map((field) => [field.number, field])),
    fieldsByName: new Map(fields.map((field) => [field.name, field])),
  };
}

// Protobuf's packages have underscores where OpenAPI's have hyphens, and no reversed domain.
function schemaNameOf(message: string): string {
  return message.replace(/^k8s\.io\.([a-z]+)_([a-z]+)\./, "io.k8s.$1-$2.").replace(/^k8s\.io\./, "io.k8s.");
}

function messageNameOf(schemaName: string): string {
  return schemaName.replace(/^io\.k8s\.([a-z]+)-([a-z]+)\./, "k8s.io.$1_$2.").replace(/^io\.k8s\./, "k8s.io.");
}
