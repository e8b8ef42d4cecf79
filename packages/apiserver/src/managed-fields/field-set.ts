// A set of paths in an object, as managed fields know them: fields by name, items of lists by their keys or value. Written as FieldsV1 it is a
// tree of `f:name`, `k:{…}` and `v:…`, in which `.` marks a path that is in the set itself, beside what is below it.
//
// Sets never change, so that those made of others share what they have in common: every write makes some.

export type FieldsV1 = { readonly [element: string]: FieldsV1 };

/** No object is that deep; what is deeper was made to break somebody. */
const deepest = 500;

/** Whether this is such a tree: it comes from clients, who may send anything. */
export function isFields(value: unknown, depth = 0): value is FieldsV1 {
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth > deepest) return false;
  for (const element in value) {
    if (!isElement(element) || !isFields((value as FieldsV1)[element], depth + 1)) return false;
  }
  return true;
}

const isElement = (element: string) =>
  element === "." || (element.charCodeAt(1) === colon && "fkvi".includes(element.charAt(0)));
const colon = 0x3a;

type Children = ReadonlyMap<string, FieldSet>;

const none: Children = new Map();

export class FieldSet {
  readonly isMember: boolean;
  /** None of them is empty. */
  readonly children: Children;
  /** Written once: sets are shared by all objects that are alike. */
  #fields: FieldsV1 | undefined;

  private constructor(isMember: boolean, children: Children) {
    this.isMember = isMember;
    this.children = children;
  }

  static readonly nothing = new FieldSet(false, none);
  /** One path, and nothing below it. */
  static readonly leaf = new FieldSet(true, none);

  static of(isMember: boolean, children: Children): FieldSet {
    if (children.size > 0) return new FieldSet(isMember, children);
    return isMember ? FieldSet.leaf : FieldSet.nothing;
  }

  static from(fields: FieldsV1 | undefined): FieldSet {
    if (fields === undefined) return FieldSet.nothing;
    // Of a stored object: the next write will ask for the same again.
    const isKept = Object.isFrozen(fields);
    const known = isKept ? readBefore.get(fields) : undefined;
    if (known !== undefined) return known;
    let isMember = false;
    const children = new Map<string, FieldSet>();
    for (const element in fields) {
      const below = fields[element];
      if (element === ".") isMember = true;
      else if (below !== undefined) {
        const child = FieldSet.from(below);
        children.set(element, child === FieldSet.nothing ? FieldSet.leaf : child);
      }
    }
    const set = FieldSet.of(isMember, children);
    if (isKept) readBefore.set(fields, set);
    return set;
  }

  static ofPath(path: readonly string[], at = 0): FieldSet {
    const element = path[at];
    return element === undefined
      ? FieldSet.leaf
      : FieldSet.of(false, new Map([[element, FieldSet.ofPath(path, at + 1)]]));
  }

  get isEmpty(): boolean {
    return this === FieldSet.nothing;
  }

  /** In the order of their names, frozen. Undefined when empty. */
  toFields(): FieldsV1 | undefined {
    if (this.children.size === 0) return this.isMember ? noFields : undefined;
    this.#fields ??= this.#write();
    return this.#fields;
  }

  #write(): FieldsV1 {
    const fields: Record<string, FieldsV1> = this.isMember ? { ".": noFields } : {};
    for (const element of inOrder(this.children.keys())) {
      fields[element] = this.children.get(element)?.toFields() ?? noFields;
    }
    return Object.freeze(fields);
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty || this === other) return other;
    if (other.isEmpty) return this;
    const children = new Map(this.children);
    for (const [element, child] of other.children) {
      const own = children.get(element);
      children.set(element, own === undefined ? child : own.union(child));
    }
    return FieldSet.of(this.isMember || other.isMember, children);
  }

  /** Without exactly these paths: what is below one of them stays. The same set if it held none of them. */
  difference(other: FieldSet): FieldSet {
    const isMember = this.isMember && !other.isMember;
    let left: Map<string, FieldSet> | undefined;
    const fewer = this.children.size < other.children.size ? this.children : other.children;
    for (const element of fewer.keys()) {
      const child = this.children.get(element);
      const taken = other.children.get(element);
      if (child === undefined || taken === undefined) continue;
      const rest = child.difference(taken);
      if (rest === child) continue;
      left ??= new Map(this.children);
      if (rest.isEmpty) left.delete(element);
      else left.set(element, rest);
    }
    if (left === undefined && isMember === this.isMember) return this;
    return FieldSet.of(isMember, left ?? this.children);
  }

  /** Without this path and all below it. */
  without(path: readonly string[], at = 0): FieldSet {
    const element = path[at];
    const child = element === undefined ? undefined : this.children.get(element);
    if (element === undefined || child === undefined) return this;
    const rest = at === path.length - 1 ? FieldSet.nothing : child.without(path, at + 1);
    if (rest === child) return this;
    const children = new Map(this.children);
    if (rest.isEmpty) children.delete(element);
    else children.set(element, rest);
    return FieldSet.of(this.isMember, children);
  }
}

const noFields: FieldsV1 = Object.freeze({});
const readBefore = new WeakMap<FieldsV1, FieldSet>();

/** Most are in order already: objects come from programs that sort. */
function inOrder(names: Iterable<string>): readonly string[] {
  const list = [...names];
  for (let i = 1; i < list.length; i++) {
    if ((list[i - 1] as string) > (list[i] as string)) return list.sort();
  }
  return list;
}
