// Decodes objects: a value parsed from JSON is `unknown` until `decodeObject` has checked it
// once. It checks the fields that all code here relies on (apiVersion, kind, and the parts of metadata that caches and queues use)
// and trusts the server for the rest. Nothing is changed; only an object without apiVersion or kind is copied, one level deep.
import { KubeloopError } from "../base/errors.ts";
import { isJsonList, isJsonObject, type JsonObject } from "./json-value.ts";
import type { KubernetesObject } from "./resource.ts";

/** A deeply readonly type, for objects from a cache. */
export type DeepReadonly<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** Names the field that is wrong. */
export class DecodeError extends KubeloopError {
  readonly path: string;

  constructor(path: string, fault: string) {
    super(path === "" ? fault : `${path}: ${fault}`, { reason: "Decode", retry: "never" });
    this.path = path;
  }
}

export interface DecodeDefaults {
  /** List items come without these two; they follow from the list. */
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** Throws a DecodeError with the field's path. Fills in apiVersion and kind from `defaults` if they are absent. */
export function decodeObject(json: unknown, defaults: DecodeDefaults = {}): KubernetesObject {
  const object = requireRecord(json, "");
  const apiVersion = requireText(object["apiVersion"] ?? defaults.apiVersion, "apiVersion");
  const kind = requireText(object["kind"] ?? defaults.kind, "kind");
  const metadata = requireRecord(object["metadata"], "metadata");
  checkMetadata(metadata);
  const isWhole = object["apiVersion"] === apiVersion && object["kind"] === kind;
  return (isWhole ? object : withIdentity(object, kind, apiVersion)) as unknown as KubernetesObject;
}

// Written out for speed, because every incoming object passes through here.
function checkMetadata(metadata: JsonObject): void {
  checkText(metadata["name"], "name");
  checkText(metadata["namespace"], "namespace");
  checkText(metadata["uid"], "uid");
  checkText(metadata["resourceVersion"], "resourceVersion");
  checkText(metadata["generateName"], "generateName");
  checkText(metadata["creationTimestamp"], "creationTimestamp");
  checkText(metadata["deletionTimestamp"], "deletionTimestamp");
  checkTexts(metadata["labels"], "metadata.labels");
  checkTexts(metadata["annotations"], "metadata.annotations");
  checkList(metadata["ownerReferences"], "metadata.ownerReferences", isJsonObject, requireRecord);
  checkList(metadata["finalizers"], "metadata.finalizers", isText, requireText);
}

/** With the fields in the order in which servers write them. */
function withIdentity(object: JsonObject, kind: string, apiVersion: string): JsonObject {
  const whole = { kind, apiVersion, ...object };
  // The object's value may be null.
  whole.kind = kind;
  whole.apiVersion = apiVersion;
  return whole;
}

function requireRecord(json: unknown, path: string): JsonObject {
  if (isJsonObject(json)) return json;
  throw new DecodeError(path, `must be an object, got ${typeName(json)}`);
}

function isText(json: unknown): json is string {
  return typeof json === "string" && json !== "";
}

function requireText(json: unknown, path: string): string {
  if (isText(json)) return json;
  throw new DecodeError(path, json === "" ? "must not be empty" : `must be text, got ${typeName(json)}`);
}

function checkText(json: unknown, field: string): void {
  // Go clients send `creationTimestamp: null` for an object that is not stored yet.
  if (json === undefined || json === null || typeof json === "string") return;
  throw new DecodeError(`metadata.${field}`, `must be text, got ${typeName(json)}`);
}

function checkTexts(json: unknown, path: string): void {
  if (json === undefined || json === null) return;
  const texts = requireRecord(json, path);
  for (const key in texts) {
    if (typeof texts[key] !== "string") {
      throw new DecodeError(`${path}[${key}]`, `must be text, got ${typeName(texts[key])}`);
    }
  }
}

function checkList(
  json: unknown,
  path: string,
  isValid: (item: unknown) => boolean,
  throwFault: (item: unknown, path: string) => unknown,
): void {
  if (json === undefined || json === null) return;
  if (!isJsonList(json)) throw new DecodeError(path, `must be a list, got ${typeName(json)}`);
  for (let index = 0; index < json.length; index++) {
    if (!isValid(json[index])) throwFault(json[index], `${path}[${index}]`);
  }
}

function typeName(json: unknown): string {
  if (json === undefined) return "nothing";
  if (json === null) return "null";
  if (Array.isArray(json)) return "a list";
  if (typeof json === "string") return "text";
  return typeof json === "object" ? "an object" : `a ${typeof json}`;
}
