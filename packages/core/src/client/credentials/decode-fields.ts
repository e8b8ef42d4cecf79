// Decodes an unchecked object field by field: a value of the right type, or undefined with a fault recorded. As in Kubernetes:
// null and the empty string count as absent, unknown fields are ignored, names are case-sensitive.
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "../../api/json-value.ts";

export interface FieldFault {
  /** "users[1].user.exec.command"; empty for the whole object. */
  readonly path: string;
  readonly message: string;
}

export class Fields {
  readonly path: string;
  readonly #object: JsonObject;
  readonly #faults: FieldFault[];

  constructor(value: unknown, path: string, faults: FieldFault[]) {
    this.path = path;
    this.#faults = faults;
    this.#object = isJsonObject(value) ? value : {};
    if (!isJsonObject(value) && !isAbsent(value))
      faults.push({ path, message: `must be an object, not ${nameOf(value)}` });
  }

  string(key: string): string | undefined {
    const value = ownValue(this.#object, key);
    if (typeof value === "string") return value === "" ? undefined : value;
    return this.#wrong(key, value, "a string");
  }

  boolean(key: string): boolean | undefined {
    const value = ownValue(this.#object, key);
    return typeof value === "boolean" ? value : this.#wrong(key, value, "true or false");
  }

  /** Base64 text, checked and returned without white space. */
  base64(key: string): string | undefined {
    const text = this.string(key)?.replace(/\s+/g, "");
    if (text === undefined) return undefined;
    if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return text;
    this.fault(key, "must be base64");
    return undefined;
  }

  strings(key: string): readonly string[] | undefined {
    const items = this.#list(key);
    return items?.map((item, index) => this.#listed(item, `${key}[${index}]`));
  }

  stringLists(key: string): Readonly<Record<string, readonly string[]>> | undefined {
    const value = ownValue(this.#object, key);
    if (!isJsonObject(value)) return this.#wrong(key, value, "an object");
    const fields = this.object(key);
    return Object.fromEntries(Object.keys(value).map((name) => [name, fields.strings(name) ?? []]));
  }

  /** Returns the object under `key`; an empty one if absent. */
  object(key: string): Fields {
    return new Fields(ownValue(this.#object, key), this.at(key), this.#faults);
  }

  objects(key: string): readonly Fields[] {
    return (this.#list(key) ?? []).map((item, index) => new Fields(item, `${this.at(key)}[${index}]`, this.#faults));
  }

  has(key: string): boolean {
    return !isAbsent(ownValue(this.#object, key));
  }

  /** Returns the value unchecked. */
  raw(key: string): unknown {
    return ownValue(this.#object, key);
  }

  fault(key: string, message: string): void {
    this.#faults.push({ path: this.at(key), message });
  }

  at(key: string): string {
    return this.path === "" ? key : `${this.path}.${key}`;
  }

  #list(key: string): readonly unknown[] | undefined {
    const value = ownValue(this.#object, key);
    return isJsonList(value) ? value : this.#wrong(key, value, "a list");
  }

  #listed(item: unknown, key: string): string {
    if (typeof item === "string") return item;
    this.#wrong(key, item, "a string");
    return "";
  }

  #wrong(key: string, value: unknown, wanted: string): undefined {
    if (!isAbsent(value)) this.fault(key, `must be ${wanted}, not ${nameOf(value)}`);
    return undefined;
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function nameOf(value: unknown): string {
  if (isJsonList(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
