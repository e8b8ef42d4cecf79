// From a parsed value to the normal form of a kind: what a Go server would print for it. Unknown fields are gone, zero values
// are gone where Go omits them and there where Go prints them (`status: {}`, `rules: null`), quantities, times and bytes have
// their one spelling, fields stand in Go's order and maps in that of their keys. Applied to its own result it changes nothing,
// but that a null which stands for a zero held by pointer (a time of the year 1) is then no more than a null.
//
// The value is walked once, with its schema, in its own order, because Go tells the first value of a wrong type; but a text
// that is no quantity or time ends the walk, and is reported instead. The result may be changed: unless the value was given away
// (`isOwned`), it shares nothing with it but scalars.
//
// Not seen, because JSON.parse does not tell: a quantity spelled with escapes, which Go refuses.
import type { ObjectSchema } from "@kubeloop/core/api";
import { ExactNumber, exactInteger, OrderedEntries, setOwn, toPlainJson } from "./exact-values.ts";
import { FaultLog, wordFor, wordForNumber } from "./fault-log.ts";
import { noteGivenEmpty } from "./given-empty.ts";
import { type FieldPlan, type ObjectPlan, planOf, type TypePlan } from "./plan.ts";
import {
  normalBase64,
  normalDuration,
  normalMicroTime,
  normalQuantity,
  normalTime,
  zeroMicroTime,
  zeroTime,
} from "./scalars.ts";
import { maxDepth, tooDeep, UnmarshalError } from "./unmarshal-error.ts";
import { inOrder, isUnset, type JsonDraft, keepsOnNull, unsetForm, unsetObject, zeroForm } from "./unset-forms.ts";

export interface NormalForm {
  readonly object: JsonDraft;
  /** What strict decoding refuses: `unknown field "spec.foo"`, `duplicate field "data.a"`. In order, each once. */
  readonly strictFaults: readonly string[];
  /** Keys of all objects that were walked through; unknown fields are not. */
  readonly keyCount: number;
  /** A list holds numbers. */
  readonly hasListedNumbers: boolean;
}

/** Throws an UnmarshalError with Go's message. */
export function toNormalForm(
  value: unknown,
  schema: ObjectSchema,
  { isOwned = false }: { readonly isOwned?: boolean } = {},
): NormalForm {
  return new Walk(isOwned).run(value, planOf(schema));
}

const minInt32 = -(2 ** 31);
const maxInt32 = 2 ** 31 - 1;
const minInt64 = -(2 ** 63);
/** The greatest double below 2^63. */
const maxInt64 = 2 ** 63 - 1024;

class Walk {
  readonly #isOwned: boolean;
  readonly #faults = new FaultLog();
  #keyCount = 0;
  #hasListedNumbers = false;
  /** Maps that came in parts. */
  readonly #grown = new Set<JsonDraft>();

  constructor(isOwned: boolean) {
    this.#isOwned = isOwned;
  }

  run(value: unknown, plan: ObjectPlan): NormalForm {
    const object = value === null ? unsetObject(plan) : this.#root(value, plan);
    this.#faults.throwSaved();
    for (const map of this.#grown) sortInPlace(map);
    const { strictFaults } = this.#faults;
    return { object, strictFaults, keyCount: this.#keyCount, hasListedNumbers: this.#hasListedNumbers };
  }

  #root(value: unknown, plan: ObjectPlan): JsonDraft {
    if (isObjectLike(value)) return this.#object(value, plan, undefined);
    throw new UnmarshalError(`json: cannot unmarshal ${wordFor(value)} into Go value of type ${plan.goType}`);
  }

  /** `before` is what an earlier field of the same name left. */
  #object(value: object, plan: ObjectPlan, before: unknown): JsonDraft {
    if (value instanceof OrderedEntries || isObjectLike(before)) return this.#mergedObject(value, plan, before);
    const object: JsonDraft = {};
    const { alwaysPrinted } = plan;
    let printed = 0;
    let last = -1;
    let isOrdered = true;
    let empty: ReadonlySet<string> = noNames;
    for (const key in value) {
      this.#keyCount++;
      const field = plan.byName.get(key);
      if (field === undefined) {
        this.#faults.reportStrict("unknown", key);
        continue;
      }
      if (field.index <= last) isOrdered = false;
      last = field.index;
      // What is printed even unset has its place before this field.
      for (; isOrdered && printed < alwaysPrinted.length; printed++) {
        const unset = alwaysPrinted[printed] as FieldPlan;
        if (unset.index > last) break;
        if (unset !== field) object[unset.name] = unsetForm(unset);
      }
      const child = (value as JsonDraft)[key];
      // Most fields are texts.
      const isText = typeof child === "string" && child !== "" && field.type.kind === "string";
      const held = isText ? child : this.#field(child, field, undefined);
      if (held !== undefined) object[field.name] = held;
      if (held === null && isEmptyOf(child, field)) empty = new Set(empty).add(field.name);
    }
    if (!isOrdered) return noted(inOrder(object, plan), empty);
    for (; printed < alwaysPrinted.length; printed++) {
      const unset = alwaysPrinted[printed] as FieldPlan;
      object[unset.name] = unsetForm(unset);
    }
    return noted(object, empty);
  }

  /** As Go decodes into what holds something already: later fields win, objects and maps grow together. */
  #mergedObject(value: object, plan: ObjectPlan, before: unknown): JsonDraft {
    const object: JsonDraft = isObjectLike(before) ? { ...before } : {};
    const seen = new Set<string>();
    const empty = new Set<string>();
    for (const [key, child] of entriesOf(value)) {
      this.#keyCount++;
      const field = plan.byName.get(key);
      if (field === undefined) {
        this.#faults.reportStrict("unknown", key);
        continue;
      }
      if (seen.has(key)) this.#faults.reportStrict("duplicate", key);
      seen.add(key);
      const held = this.#field(child, field, object[field.name]);
      if (held === undefined) delete object[field.name];
      else object[field.name] = held;
      if (held === null && isEmptyOf(child, field)) empty.add(field.name);
    }
    return noted(inOrder(object, plan), empty);
  }

  /** Undefined where Go prints nothing. */
  #field(value: unknown, field: FieldPlan, before: unknown): unknown {
    // Undefined is how values made in this process say that there is nothing.
    if (value === null || value === undefined) {
      return before !== undefined && keepsOnNull(field) ? before : unsetForm(field);
    }
    const held = this.#value(value, field.type, field, before);
    if (held === undefined) return unsetForm(field);
    if (held === null && timedByZero.has(field.struct) && isTime(field.type)) return zeroTimeOf(field.type);
    // To see that what grows is not empty takes as long as it is.
    if (held === before) return held;
    return isUnset(held, field) && !this.#isEmptyMeant(field) ? unsetForm(field) : held;
  }

  /**
   * Lists that a rule tells from absent ones when they are empty; none is stored so. The object's own managers are among them: that there are
   * none is said to have them forgotten.
   */
  #isEmptyMeant({ name, struct }: FieldPlan): boolean {
    if (name === "managedFields") return this.#faults.depth === 1;
    return meantEmpty[struct]?.includes(name) === true;
  }

  /** Undefined after a fault that was saved. `field` is undefined for what stands in a list or map. */
  #value(value: unknown, type: TypePlan, field: FieldPlan | undefined, before: unknown): unknown {
    switch (type.kind) {
      case "string":
        return typeof value === "string" ? value : this.#save(value, type.goType, field);
      case "object":
        if (!isObjectLike(value)) return this.#save(value, type.goType, field);
        if (field === undefined) return this.#object(value, type.object, before);
        this.#faults.enter(field);
        return this.#left(this.#object(value, type.object, before));
      case "list":
        if (!Array.isArray(value)) return this.#save(value, type.goType, field);
        if (field === undefined) return this.#list(value, type, before);
        this.#faults.enter(field);
        return this.#left(this.#list(value, type, before));
      case "map":
        if (!isObjectLike(value)) return this.#save(value, type.goType, field);
        if (field === undefined) return this.#map(value, type, before);
        this.#faults.enter(field);
        return this.#left(this.#map(value, type, before));
      case "boolean":
        return typeof value === "boolean" ? value : this.#save(value, type.goType, field);
      case "int32":
        return toInteger(value, minInt32, maxInt32) ?? this.#saveNumber(value, type.goType, field);
      case "int64":
        return toInteger(value, minInt64, maxInt64) ?? this.#saveNumber(value, type.goType, field);
      case "number":
        return toFloat(value) ?? this.#saveNumber(value, type.goType, field);
      case "json":
        this.#count(value, this.#faults.depth);
        return this.#isOwned ? value : toPlainJson(value);
      case "bytes":
        return this.#bytes(value, field);
      case "quantity":
        return normalQuantity(quantityText(value));
      case "int-or-string":
        return this.#intOrString(value, field);
      case "time":
        return normalTime(this.#text(value, field));
      case "micro-time":
        return normalMicroTime(this.#text(value, field));
      case "duration":
        return normalDuration(this.#text(value, field));
      default:
        return this.#choice(value, type, field);
    }
  }

  #left<T>(result: T): T {
    this.#faults.leave();
    return result;
  }

  #list(value: readonly unknown[], { element }: TypePlan, before: unknown): unknown[] {
    const earlier: readonly unknown[] = Array.isArray(before) ? before : [];
    const list: unknown[] = [];
    for (let index = 0; index < value.length; index++) {
      const item = value[index];
      if (typeof item === "number") this.#hasListedNumbers = true;
      if (typeof item === "string" && element.kind === "string") {
        list.push(item);
      } else if (item === null || item === undefined) {
        list.push(earlier[index] ?? zeroForm(element));
      } else {
        this.#faults.enter(index);
        list.push(this.#left(this.#value(item, element, undefined, earlier[index])));
      }
    }
    return list;
  }

  /** In order; what comes in parts grows in place, and is sorted once it is whole. */
  #map(value: object, { element }: TypePlan, before: unknown): JsonDraft {
    const map: JsonDraft = isObjectLike(before) ? (before as JsonDraft) : {};
    let last = "";
    let isSorted = true;
    const add = (key: string, child: unknown) => {
      this.#keyCount++;
      if (key < last) isSorted = false;
      last = key;
      setOwn(map, key, this.#mapValue(key, child, element));
    };
    if (value instanceof OrderedEntries) {
      const seen = new Set<string>();
      for (const [key, child] of value.entries) {
        if (seen.has(key)) this.#faults.reportStrict("duplicate", key);
        seen.add(key);
        add(key, child);
      }
    } else {
      for (const key in value) add(key, (value as JsonDraft)[key]);
    }
    if (!isObjectLike(before)) return isSorted ? map : sortKeys(map);
    this.#grown.add(map);
    return map;
  }

  #mapValue(key: string, value: unknown, element: TypePlan): unknown {
    if (typeof value === "string" && element.kind === "string") return value;
    // Storage does not tell absent bytes from none.
    if (value === null || value === undefined) return element.kind === "bytes" ? "" : zeroForm(element);
    this.#faults.enter(key);
    return this.#left(this.#value(value, element, undefined, undefined));
  }

  /** Base64, or a list of numbers up to 255. */
  #bytes(value: unknown, field: FieldPlan | undefined): string | undefined {
    if (Array.isArray(value)) {
      this.#hasListedNumbers = true;
      const bytes = value.map((item) => toInteger(item ?? 0, 0, 255) ?? this.#saveNumber(item, "uint8", field) ?? 0);
      return Buffer.from(bytes).toString("base64");
    }
    if (typeof value !== "string") return this.#save(value, "[]uint8", field);
    const normal = normalBase64(value);
    return "text" in normal ? normal.text : this.#faults.save(`illegal base64 data at input byte ${normal.faultAt}`);
  }

  #intOrString(value: unknown, field: FieldPlan | undefined): number | string {
    const held = typeof value === "string" ? value : toInteger(value, minInt32, maxInt32);
    if (held !== undefined) return held;
    throw new UnmarshalError(this.#faults.typeMessage(wordForNumber(value), "int32", field));
  }

  #text(value: unknown, field: FieldPlan | undefined): string {
    if (typeof value === "string") return value;
    throw new UnmarshalError(this.#faults.typeMessage(wordFor(value), "string", field));
  }

  /** Keys of any JSON, and whether it may be kept. */
  #count(value: unknown, depth: number): void {
    if (typeof value !== "object" || value === null || value instanceof ExactNumber) return;
    if (depth > maxDepth) throw tooDeep();
    if (Array.isArray(value)) {
      for (const item of value) {
        if (typeof item === "number") this.#hasListedNumbers = true;
        this.#count(item, depth + 1);
      }
      return;
    }
    if (value instanceof OrderedEntries) {
      this.#keyCount += value.entries.length;
      for (const [, child] of value.entries) this.#count(child, depth + 1);
      return;
    }
    for (const key in value) {
      this.#keyCount++;
      this.#count((value as JsonDraft)[key], depth + 1);
    }
  }

  /** A JSON schema, or what else may stand in its place. */
  #choice(value: unknown, type: TypePlan, field: FieldPlan | undefined): unknown {
    if (field !== undefined) this.#faults.enter(field);
    const struct = field?.struct ?? type.object.goType.replace(/^.*\./, "");
    const held = this.#faults.loosely(struct, () => this.#chosen(value, type));
    if (field !== undefined) this.#faults.leave();
    return held;
  }

  #chosen(value: unknown, { kind, object }: TypePlan): unknown {
    if (isObjectLike(value)) return this.#object(value, object, undefined);
    if (kind === "schema-or-bool") {
      if (typeof value === "boolean") return value;
      throw new UnmarshalError("boolean or JSON schema expected");
    }
    if (!Array.isArray(value) || value.length === 0) return null;
    return value.map((item) => {
      if (kind === "schema-or-strings") return typeof item === "string" ? item : this.#save(item, "string", undefined);
      if (item === null) return unsetObject(object);
      return isObjectLike(item) ? this.#object(item, object, undefined) : this.#save(item, object.goType, undefined);
    });
  }

  #save(value: unknown, goType: string, field: FieldPlan | undefined): undefined {
    if (!this.#faults.isSaved) this.#faults.save(this.#faults.typeMessage(wordFor(value), goType, field));
  }

  #saveNumber(value: unknown, goType: string, field: FieldPlan | undefined): undefined {
    if (!this.#faults.isSaved) this.#faults.save(this.#faults.typeMessage(wordForNumber(value), goType, field));
  }
}

const noNames: ReadonlySet<string> = new Set();

function noted(object: JsonDraft, empty: ReadonlySet<string>): JsonDraft {
  if (empty.size > 0) noteGivenEmpty(object, empty);
  return object;
}

/** Whether a list or map was given of which null is what is printed. */
function isEmptyOf(given: unknown, { type, isPointer }: FieldPlan): boolean {
  return !isPointer && (type.kind === "list" || type.kind === "map") && given !== null && given !== undefined;
}

function isObjectLike(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return value instanceof OrderedEntries ? value.entries : Object.entries(value);
}

function toInteger(value: unknown, from: number, to: number): number | undefined {
  const integer = value instanceof ExactNumber ? exactInteger(value.text) : value;
  if (typeof integer !== "number" || !Number.isInteger(integer) || integer < from || integer > to) return undefined;
  return integer + 0;
}

function toFloat(value: unknown): number | undefined {
  const float = value instanceof ExactNumber ? Number(value.text) : value;
  return typeof float === "number" && Number.isFinite(float) ? float : undefined;
}

function quantityText(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  // Anything else is no quantity, whatever it prints as.
  return typeof value === "object" ? "{}" : String(value);
}

/** The same map, so that who holds it need not be told. */
function sortInPlace(map: JsonDraft): void {
  for (const key of Object.keys(map).sort()) {
    const held = map[key];
    delete map[key];
    setOwn(map, key, held);
  }
}

function sortKeys(map: JsonDraft): JsonDraft {
  const sorted: JsonDraft = {};
  for (const key of Object.keys(map).sort()) setOwn(sorted, key, map[key]);
  return sorted;
}

/** By struct. An autoscaler must have policies where it says any; of a NetworkPolicy upstream takes an empty list for a change. */
const meantEmpty: { readonly [struct: string]: readonly string[] } = {
  HPAScalingRules: ["policies"],
  NetworkPolicySpec: ["ingress", "egress"],
};

/** Structs of which a rule tells a zero time that was given from one that was not; none is stored so. */
const timedByZero: ReadonlySet<string> = new Set(["Event", "EventSeries"]);

const isTime = ({ kind }: TypePlan) => kind === "time" || kind === "micro-time";
const zeroTimeOf = ({ kind }: TypePlan) => (kind === "time" ? zeroTime : zeroMicroTime);
