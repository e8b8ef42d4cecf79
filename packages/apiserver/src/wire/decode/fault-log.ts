// What a walk over a value has found wrong, with the path where it stands. Of wrong types the first is kept, told when the walk
// is over; what strict decoding refuses is collected.
import { quote } from "@kubeloop/core/api";
import { ExactNumber } from "./exact-values.ts";
import type { FieldPlan } from "./plan.ts";
import { maxDepth, tooDeep, UnmarshalError } from "./unmarshal-error.ts";

/** As upstream: more are not reported. */
export const maxStrictFaults = 100;
/** Names may be long, and each fault is reported with all that lead to it. */
export const maxStrictLength = 256 * 1024;

export class FaultLog {
  /** From the root to where the walk is: fields, list indexes, map keys. */
  readonly #path: (FieldPlan | number | string)[] = [];
  readonly #strict = new Set<string>();
  #strictLength = 0;
  /** Set while inside what Go decodes apart, without strictness; its messages name the struct outside. */
  #looseStruct: string | undefined;
  #saved: string | undefined;

  get strictFaults(): readonly string[] {
    return [...this.#strict];
  }

  enter(part: FieldPlan | number | string): void {
    if (this.#path.length >= maxDepth) throw tooDeep();
    this.#path.push(part);
  }

  leave(): void {
    this.#path.pop();
  }

  get depth(): number {
    return this.#path.length;
  }

  /** Walks what Go decodes apart: a fault in there ends the walk. */
  loosely<T>(struct: string, walk: () => T): T {
    const outside = { saved: this.#saved, looseStruct: this.#looseStruct };
    this.#saved = undefined;
    this.#looseStruct ??= struct;
    const result = walk();
    this.throwSaved();
    this.#saved = outside.saved;
    this.#looseStruct = outside.looseStruct;
    return result;
  }

  throwSaved(): void {
    if (this.#saved !== undefined) throw new UnmarshalError(this.#saved);
  }

  /** Whether there is no need to say more. */
  get isSaved(): boolean {
    return this.#saved !== undefined;
  }

  save(message: string): undefined {
    this.#saved ??= message;
  }

  /** Go's message. `field` is undefined in lists and maps: there the innermost field around is named. */
  typeMessage(word: string, goType: string, field: FieldPlan | undefined): string {
    const fields = this.#path.filter((part): part is FieldPlan => typeof part === "object");
    if (field !== undefined) fields.push(field);
    const struct = this.#looseStruct ?? fields.at(-1)?.struct ?? "";
    const path = fields.map(({ goPath }) => goPath).join(".");
    return `json: cannot unmarshal ${word} into Go struct field ${struct}.${path} of type ${goType}`;
  }

  reportStrict(fault: "unknown" | "duplicate", key: string): void {
    if (this.#looseStruct !== undefined || this.#strict.size >= maxStrictFaults) return;
    if (this.#strictLength > maxStrictLength) return;
    const text = `${fault} field ${quote(this.#printPath(key))}`;
    this.#strict.add(text);
    this.#strictLength += text.length;
  }

  #printPath(key: string): string {
    let path = "";
    for (const part of this.#path) {
      if (typeof part === "number") path += `[${part}]`;
      else path += `${path === "" ? "" : "."}${typeof part === "string" ? part : part.name}`;
    }
    return path === "" ? key : `${path}.${key}`;
  }
}

/** What Go calls a value that is of the wrong type. */
export function wordFor(value: unknown): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return "array";
  return isNumber(value) ? "number" : "object";
}

/** Where a number was expected, Go tells which one it was. */
export function wordForNumber(value: unknown): string {
  if (!isNumber(value)) return wordFor(value);
  return `number ${typeof value === "object" ? value.text : String(value)}`;
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}
