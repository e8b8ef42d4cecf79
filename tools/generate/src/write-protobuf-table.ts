// The protobuf field numbers, as one JSON string: message → JSON field → [number, type], [number, "repeated", type] or
// [number, "map", key, value]. Kept are the messages of the packages that the OpenAPI documents know; `packages` leads
// from the short names (`core.v1`) to protobuf's (`k8s.io.api.core.v1`).
//
// JSON and protobuf differ in names (`$ref` is ref, `uid` is uID) and in shape: what Go embeds is a message of its own
// in protobuf but lies flat in JSON. Such a field is written with a leading `*` (`*volumeSource`). A field that the OpenAPI
// documents do not have (they may be another version's) is left out.

import { GenerateError } from "./generate-error.ts";
import { asObject } from "./json.ts";
import { tableName } from "./names.ts";
import type { OpenApi } from "./openapi.ts";
import { header, templateLiteral } from "./output.ts";

export type ProtobufField = readonly [number, ...string[]];
export type ProtobufMessages = ReadonlyMap<string, ReadonlyMap<string, ProtobufField>>;

export function decodeProtobuf(input: unknown): ProtobufMessages {
  const messages = Object.entries(asObject(input, "the protobuf input"));
  return new Map(
    messages.map(([message, fields]) => [
      message,
      new Map(
        Object.entries(asObject(fields, message)).map(([name, field]) => [name, toField(field, `${message}.${name}`)]),
      ),
    ]),
  );
}

/** `k8s.io.api.core.v1.Pod` is OpenAPI's `io.k8s.api.core.v1.Pod`. */
export function schemaNameOfMessage(message: string): string {
  return message.replace(/^k8s\.io\./, "io.k8s.").replace(/^io\.k8s\.([a-z]+)_([a-z]+)\./, "io.k8s.$1-$2.");
}

export function writeProtobufTable(messages: ProtobufMessages, openApi: OpenApi): string {
  const known = new Set([...openApi.definitions.keys()].map(packageOf));
  const kept = [...messages].filter(([message]) => known.has(packageOf(schemaNameOfMessage(message))));
  const packages = new Map(kept.map(([message]) => [packageOf(shortName(message)), packageOf(message)]));
  const packageLines = [...packages]
    .filter(([short, full]) => short !== full)
    .map(([short, full]) => `${JSON.stringify(short)}:${JSON.stringify(full)}`);
  const lines = kept.map(
    ([message]) => `${JSON.stringify(shortName(message))}:${JSON.stringify(messageRow(message, messages, openApi))}`,
  );
  const table = `{"packages":{\n${packageLines.sort().join(",\n")}\n},"messages":{\n${lines.sort().join(",\n")}\n}}`;
  return `${header}export const protobufTable: string = ${templateLiteral(table)};\n`;
}

function messageRow(message: string, messages: ProtobufMessages, openApi: OpenApi) {
  const properties = openApi.definitions.get(schemaNameOfMessage(message))?.properties;
  const jsonNames = new Map(Object.keys(properties ?? {}).map((name) => [bare(name), name]));
  const rows: [string, ProtobufField][] = [];
  for (const [name, [number, ...words]] of messages.get(message) ?? []) {
    const isInline = words.length === 1 && liesFlat(words[0] ?? "", jsonNames, messages);
    const jsonName =
      properties === undefined ? name : (jsonNames.get(bare(name)) ?? (isInline ? `*${name}` : undefined));
    if (jsonName === undefined) continue;
    rows.push([jsonName, [number, ...words.map((word) => (word.includes(".") ? shortName(word) : word))]]);
  }
  return Object.fromEntries(rows.sort(([, [a]], [, [b]]) => a - b));
}

/** Whether all that a message holds are fields of the JSON object around it. */
function liesFlat(message: string, jsonNames: ReadonlyMap<string, string>, messages: ProtobufMessages): boolean {
  const fields = [...(messages.get(message) ?? [])];
  return (
    fields.length > 0 &&
    fields.every(([name, [, ...words]]) => {
      return jsonNames.has(bare(name)) || (words.length === 1 && liesFlat(words[0] ?? "", jsonNames, messages));
    })
  );
}

function shortName(message: string): string {
  return tableName(schemaNameOfMessage(message)).replace(/^io\.k8s\./, "k8s.io.");
}

// `xKubernetesListType` and `x-kubernetes-list-type`, `aPIGroup` and `apiGroup`.
function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function packageOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}

function toField(value: unknown, at: string): ProtobufField {
  if (!Array.isArray(value)) throw new GenerateError(`${at} must be a list`);
  const [number, ...words]: unknown[] = value;
  if (typeof number !== "number" || words.length === 0) throw new GenerateError(`${at} must be a number and a type`);
  return [number, ...words.map(String)];
}
