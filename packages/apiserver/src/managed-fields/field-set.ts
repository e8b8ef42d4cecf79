// A set of places in an object, as managed fields know them: fields by name, items of lists by their keys or value. Written as FieldsV1 it is a
// tree of `f:name`, `k:{…}` and `v:…`, in which `.` marks a place that is in the set itself, beside what is below it.
//
// Sets are changed in place by their owner only; functions that combine two return a new one.

export type FieldsV1 = { readonly [element: string]: FieldsV1 };

/** No object is that deep; what is deeper was made to break somebody. */
const deepest = 500;

/** Whether this is such a tree: it comes from clients, who may send anything. */
export function isFields(value: unknown, depth = 0): value is FieldsV1 {
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth > deepest) return false;
  return Object.entries(value).every(([element, below]) => isElement(element) && isFields(below, depth + 1));
}

const isElement = (element: string) => element === "." || /^[fkvi]:/.test(element);

export class FieldSet {
  isMember = false;
  readonly children = new Map<string, FieldSet>();

  static from(fields: FieldsV1 | undefined): FieldSet {
    const set = new FieldSet();
    for (const [element, below] of Object.entries(fields ?? {})) {
      if (element === ".") {
        set.isMember = true;
        continue;
      }
      const child = FieldSet.from(below);
      if (child.children.size === 0) child.isMember = true;
      set.children.set(element, child);
    }
    return set;
  }

  get isEmpty(): boolean {
    if (this.isMember) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /** Undefined when empty. */
  toFields(): FieldsV1 | undefined {
    const fields: Record<string, FieldsV1> = {};
    let isBare = true;
    for (const [element, child] of [...this.children].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const below = child.toFields();
      if (below === undefined) continue;
      isBare = false;
      fields[element] = below;
    }
    if (isBare) return this.isMember ? {} : undefined;
    return this.isMember ? { ".": {}, ...fields } : fields;
  }

  insert(path: readonly string[]): void {
    let at: FieldSet = this;
    for (const element of path) {
      let child = at.children.get(element);
      if (child === undefined) {
        child = new FieldSet();
        at.children.set(element, child);
      }
      at = child;
    }
    at.isMember = true;
  }

  union(other: FieldSet): FieldSet {
    return combine(this, other, (a, b) => a || b);
  }

  /** Without exactly these places: what is below one of them stays. */
  difference(other: FieldSet): FieldSet {
    return combine(this, other, (a, b) => a && !b);
  }

  intersection(other: FieldSet): FieldSet {
    return combine(this, other, (a, b) => a && b);
  }

  /** Without this place and all below it. */
  without(path: readonly string[]): FieldSet {
    const [first, ...rest] = path;
    const result = new FieldSet();
    result.isMember = this.isMember;
    for (const [element, child] of this.children) {
      if (element !== first) result.children.set(element, child);
      else if (rest.length > 0) result.children.set(element, child.without(rest));
    }
    return result;
  }
}

const nothing = new FieldSet();

function combine(a: FieldSet, b: FieldSet, isKept: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const result = new FieldSet();
  result.isMember = isKept(a.isMember, b.isMember);
  for (const element of new Set([...a.children.keys(), ...b.children.keys()])) {
    const child = combine(a.children.get(element) ?? nothing, b.children.get(element) ?? nothing, isKept);
    if (child.isMember || child.children.size > 0) result.children.set(element, child);
  }
  return result;
}
