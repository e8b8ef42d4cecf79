// Which places differ between two versions of an object, by the rules of its schema: lists that are maps are compared item by item,
// atomic ones as a whole.
import type { ListSchema, Slot, TypeSchema } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { FieldSet } from "./field-set.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compareObjects(before: unknown, after: unknown, schema: TypeSchema | undefined): Comparison {
  const comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  new Walk(comparison).compare(before, after, schema);
  return comparison;
}

const untyped: TypeSchema = { type: "json" };
type Fields = Readonly<Record<string, unknown>>;

class Walk {
  readonly #found: Comparison;
  readonly #path: string[] = [];

  constructor(found: Comparison) {
    this.#found = found;
  }

  /** Undefined is absent; null is there. */
  compare(before: unknown, after: unknown, schema: TypeSchema | undefined): void {
    if (before === after && before !== null) return;
    const isLeaf = this.#descend(before, after, schema ?? untyped);
    this.#note(before, after, isLeaf);
  }

  /** Whether it was a leaf: then nothing below it counts. */
  #descend(before: unknown, after: unknown, schema: TypeSchema): boolean {
    const shape = schema.type === "json" ? guess(after ?? before) : schema.type;
    switch (shape) {
      case "list": {
        const list = schema.type === "list" ? schema : undefined;
        const old = Array.isArray(before) ? before : [];
        const next = Array.isArray(after) ? after : [];
        if (list === undefined || list.listType === "atomic" || (old.length === 0 && next.length === 0)) return true;
        this.#items(old, next, list);
        return false;
      }
      case "map":
      case "object": {
        const isAtomic = schema.type !== "json" && "mapType" in schema && schema.mapType === "atomic";
        const old = asFields(before);
        const next = asFields(after);
        if (isAtomic || (Object.keys(old).length === 0 && Object.keys(next).length === 0)) return true;
        for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
          this.#at(`f:${name}`, old[name], next[name], childSlotOf(schema, name)?.schema);
        }
        return false;
      }
      default:
        return true;
    }
  }

  #note(before: unknown, after: unknown, isLeaf: boolean): void {
    if (before === undefined) this.#found.added.insert(this.#path);
    else if (after === undefined) this.#found.removed.insert(this.#path);
    else if (isLeaf && !deepEqual(before, after)) this.#found.modified.insert(this.#path);
  }

  #at(element: string, before: unknown, after: unknown, schema: TypeSchema | undefined): void {
    this.#path.push(element);
    this.compare(before, after, schema);
    this.#path.pop();
  }

  #items(before: readonly unknown[], after: readonly unknown[], list: ListSchema): void {
    const old = grouped(before, list);
    const next = grouped(after, list);
    for (const element of new Set([...old.keys(), ...next.keys()])) {
      const [olds = [], nexts = []] = [old.get(element), next.get(element)];
      const { schema } = list.items;
      // Keys that occur twice are one place, whose items are not told apart.
      if (olds.length <= 1 && nexts.length <= 1) this.#at(element, olds[0], nexts[0], schema);
      else if (olds.length >= 2 && nexts.length >= 2) {
        if (!deepEqual(olds, nexts)) this.#found.modified.insert([...this.#path, element]);
      } else if (olds.length >= 2) {
        if (nexts.length > 0) this.#at(element, undefined, nexts[0], schema);
        this.#found.removed.insert([...this.#path, element]);
      } else {
        if (olds.length > 0) this.#at(element, olds[0], undefined, schema);
        this.#found.added.insert([...this.#path, element]);
      }
    }
  }
}

const asFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

function guess(value: unknown): "list" | "map" | "scalar" {
  if (Array.isArray(value)) return "list";
  return typeof value === "object" && value !== null ? "map" : "scalar";
}

function childSlotOf(schema: TypeSchema, name: string): Slot | undefined {
  if (schema.type === "object") return schema.fields.get(name);
  return schema.type === "map" ? schema.values : undefined;
}

/** By what tells items apart. An item without its keys is in no place. */
function grouped(items: readonly unknown[], list: ListSchema): ReadonlyMap<string, readonly unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    const element = elementOf(item, list);
    if (element === undefined) continue;
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

function elementOf(item: unknown, { listType, listMapKeys, items }: ListSchema): string | undefined {
  if (listType === "set") return `v:${JSON.stringify(item)}`;
  const fields = asFields(item);
  const keys: [string, unknown][] = [];
  for (const name of listMapKeys.toSorted()) {
    const slot = items.schema.type === "object" ? items.schema.fields.get(name) : undefined;
    const value = fields[name] ?? slot?.default;
    if (value !== undefined) keys.push([name, value]);
  }
  return keys.length === 0 ? undefined : `k:${JSON.stringify(Object.fromEntries(keys))}`;
}
