// Which paths differ between two versions of an object, by the rules of its schema: lists that are maps are compared item by item,
// atomic ones as a whole.
import type { ListSchema, TypeSchema } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { isGivenEmpty } from "../wire/decode/index.ts";
import { FieldSet } from "./field-set.ts";
import { asFields, asItems, childSchemaOf, elementOf, type Fields, pathsIn, shapeOf, untyped } from "./object-paths.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

type Elements = Map<string, FieldSet>;

const same: Comparison = { added: FieldSet.nothing, modified: FieldSet.nothing, removed: FieldSet.nothing };
const modified: Comparison = { ...same, modified: FieldSet.leaf };

/** Undefined is absent; null is there. */
export function compareObjects(before: unknown, after: unknown, schema: TypeSchema = untyped): Comparison {
  if (before === after) return same;
  // One who is new brings everything below it, and nothing has to be looked up.
  if (before === undefined) return { ...same, added: pathsIn(after, schema) };
  if (after === undefined) return { ...same, removed: pathsIn(before, schema) };
  switch (shapeOf(schema, after ?? before)) {
    case "list":
      return compareItems(asItems(before), asItems(after), schema as ListSchema) ?? compareLeaves(before, after);
    case "fields":
      return compareFields(asFields(before), asFields(after), schema) ?? compareLeaves(before, after);
    case "leaf":
      return compareLeaves(before, after);
  }
}

const compareLeaves = (before: unknown, after: unknown) => (deepEqual(before, after) ? same : modified);

/** Undefined where neither holds anything: then they are leaves. */
function compareFields(before: Fields, after: Fields, schema: TypeSchema): Comparison | undefined {
  const gathered = new Gathered();
  let isBare = true;
  for (const name in after) {
    isBare = false;
    const found = compareObjects(held(before, name), given(after, name), childSchemaOf(schema, name));
    if (found !== same) gathered.add(`f:${name}`, found);
  }
  for (const name in before) {
    isBare = false;
    if (held(after, name) !== undefined) continue;
    gathered.add(`f:${name}`, compareObjects(before[name], undefined, childSchemaOf(schema, name)));
  }
  return isBare ? undefined : gathered.comparison();
}

/** In place of the null that is stored: to who gave it, it is another thing than none. */
const emptied: readonly unknown[] = [];

/** As the writer gave it. */
export const given = (fields: Fields, name: string) =>
  fields[name] === null && isGivenEmpty(fields, name) ? emptied : fields[name];

/** Not what every object has: a key may well be called `constructor`. */
export const held = (fields: Fields, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);

function compareItems(before: readonly unknown[], after: readonly unknown[], list: ListSchema): Comparison | undefined {
  if (before.length === 0 && after.length === 0) return undefined;
  const old = grouped(before, list);
  const next = grouped(after, list);
  const { schema } = list.items;
  const gathered = new Gathered();
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    const [olds = [], nexts = []] = [old.get(element), next.get(element)];
    // Keys that occur twice are one path, whose items are not told apart.
    const areMany = { before: olds.length >= 2, after: nexts.length >= 2 };
    if (areMany.before && areMany.after) gathered.add(element, compareLeaves(olds, nexts));
    else {
      gathered.add(element, {
        ...compareObjects(
          areMany.before || areMany.after ? undefined : olds[0],
          areMany.after ? undefined : nexts[0],
          schema,
        ),
        ...(areMany.before ? { removed: FieldSet.leaf } : {}),
        ...(areMany.after ? { added: FieldSet.leaf, removed: removedItem(olds[0], schema) } : {}),
      });
    }
  }
  return gathered.comparison();
}

const removedItem = (item: unknown, schema: TypeSchema) =>
  item === undefined ? FieldSet.nothing : pathsIn(item, schema);

/** What was found below one path, put together. */
class Gathered {
  readonly #added: Elements = new Map();
  readonly #modified: Elements = new Map();
  readonly #removed: Elements = new Map();

  add(element: string, { added, modified: changed, removed }: Comparison): void {
    if (!added.isEmpty) this.#added.set(element, added);
    if (!changed.isEmpty) this.#modified.set(element, changed);
    if (!removed.isEmpty) this.#removed.set(element, removed);
  }

  comparison(): Comparison {
    return {
      added: FieldSet.of(false, this.#added),
      modified: FieldSet.of(false, this.#modified),
      removed: FieldSet.of(false, this.#removed),
    };
  }
}

/** By what tells items apart. */
function grouped(items: readonly unknown[], list: ListSchema): ReadonlyMap<string, readonly unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    const element = elementOf(item, list);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}
