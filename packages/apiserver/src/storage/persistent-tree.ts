// An ordered map from text to values whose clones cost nothing: a B+tree whose nodes belong to the one tree that made them.
// A tree changes its own nodes in place and copies those it shares, so a clone pays only for the paths that change after it.
//
// Keys are in the order of their UTF-16 units (for what Kubernetes allows in names: of their bytes). Every node knows how many
// keys it holds, so `rank`, `keyAt` and where a `slice` begins are O(log n), as are `get`, `set` and `delete`. Values are not undefined.

/** The most entries of a node. Small enough that copying one is cheap, large enough that 50,000 keys are four levels. */
const most = 32;
/** With fewer than these it joins a neighbour, if both fit into one. Well below half, so that it does not split again soon. */
const fewest = 8;

/** Who may change a node in place. */
type Owner = object;

interface Leaf<V> {
  readonly kind: "leaf";
  readonly owner: Owner;
  readonly keys: string[];
  readonly values: V[];
}

interface Branch<V> {
  readonly kind: "branch";
  readonly owner: Owner;
  /** For each child a bound: no key of it is smaller, every key of those before it is. That of the first is not looked at. */
  readonly keys: string[];
  readonly children: Node<V>[];
  size: number;
}

type Node<V> = Leaf<V> | Branch<V>;

/** Of one key: undefined where a tree has no value. */
export interface Difference<V> {
  readonly key: string;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

export class PersistentTree<V> {
  #owner: Owner = {};
  #root: Node<V>;

  constructor() {
    this.#root = emptyLeaf(this.#owner);
  }

  get size(): number {
    return sizeOf(this.#root);
  }

  get(key: string): V | undefined {
    let node = this.#root;
    while (node.kind === "branch") node = node.children[childFor(node, key)] as Node<V>;
    const index = lowerBound(node.keys, key);
    return node.keys[index] === key ? node.values[index] : undefined;
  }

  set(key: string, value: V): void {
    const root = set(this.#root, key, value, this.#owner);
    this.#root = root;
    if (!isOverfull(root)) return;
    this.#root = { kind: "branch", owner: this.#owner, keys: [""], children: [root], size: sizeOf(root) };
    splitChild(this.#root, 0, key);
  }

  /** Whether it was there. */
  delete(key: string): boolean {
    // Looked up first: to delete what is not there must not copy what is shared.
    if (this.get(key) === undefined) return false;
    this.#root = remove(this.#root, key, this.#owner);
    while (this.#root.kind === "branch" && this.#root.children.length < 2) {
      this.#root = this.#root.children[0] ?? emptyLeaf(this.#owner);
    }
    return true;
  }

  /** How many keys are smaller than this one. */
  rank(key: string): number {
    let before = 0;
    let node = this.#root;
    while (node.kind === "branch") {
      const index = childFor(node, key);
      for (let i = 0; i < index; i++) before += sizeOf(node.children[i] as Node<V>);
      node = node.children[index] as Node<V>;
    }
    return before + lowerBound(node.keys, key);
  }

  /** The key that so many keys are smaller than. */
  keyAt(rank: number): string | undefined {
    return keyAt(this.#root, rank);
  }

  /** The values whose keys have ranks from `start` up to but not including `end`, in order. */
  slice(start: number, end: number): V[] {
    const values: V[] = [];
    collect(this.#root, Math.max(0, start), Math.min(end, this.size), values);
    return values;
  }

  /**
   * The keys whose values differ between this tree and another one, in order, with both values. Leaves that the two share are passed over, so after a clone
   * the cost depends on what has changed since.
   */
  differencesFrom(other: PersistentTree<V>): readonly Difference<V>[] {
    if (this.#root === other.#root) return [];
    const shared = sharedLeaves(this.#root, other.#root);
    const before = entriesBesides(shared, other.#root);
    const after = entriesBesides(shared, this.#root);
    const keys = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1));
    return keys
      .map((key) => ({ key, before: before.get(key), after: after.get(key) }))
      .filter((each) => each.before !== each.after);
  }

  /** Another tree with the same entries. Both may change; neither sees it of the other. */
  clone(): PersistentTree<V> {
    const clone = new PersistentTree<V>();
    clone.#root = this.#root;
    // The nodes are nobody's from here on: whoever changes one makes a copy first.
    this.#owner = {};
    return clone;
  }
}

function emptyLeaf<V>(owner: Owner): Leaf<V> {
  return { kind: "leaf", owner, keys: [], values: [] };
}

function sizeOf(node: Node<unknown>): number {
  return node.kind === "leaf" ? node.keys.length : node.size;
}

function isOverfull(node: Node<unknown>): boolean {
  return node.keys.length > most;
}

/** The index of the first key that is not smaller. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the child that has the key, if any has. */
function childFor(branch: Branch<unknown>, key: string): number {
  let low = 1;
  let high = branch.keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((branch.keys[middle] as string) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The node itself if it is this owner's, a copy that is otherwise. */
function owned<N extends Node<unknown>>(node: N, owner: Owner): N {
  if (node.owner === owner) return node;
  return (
    node.kind === "leaf"
      ? { kind: "leaf", owner, keys: node.keys.slice(), values: node.values.slice() }
      : { kind: "branch", owner, keys: node.keys.slice(), children: node.children.slice(), size: node.size }
  ) as N;
}

/** May leave the node it returns overfull: whoever holds it splits it. */
function set<V>(shared: Node<V>, key: string, value: V, owner: Owner): Node<V> {
  const node = owned(shared, owner);
  if (node.kind === "leaf") {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] === key) {
      node.values[index] = value;
    } else {
      node.keys.splice(index, 0, key);
      node.values.splice(index, 0, value);
    }
    return node;
  }
  const index = childFor(node, key);
  const child = node.children[index] as Node<V>;
  const sizeBefore = sizeOf(child);
  const changed = set(child, key, value, owner);
  node.children[index] = changed;
  node.size += sizeOf(changed) - sizeBefore;
  if (isOverfull(changed)) splitChild(node, index, key);
  return node;
}

/** The child belongs to its parent's owner, and has just got the key `added`. */
function splitChild<V>(parent: Branch<V>, index: number, added: string): void {
  const child = parent.children[index] as Node<V>;
  // Names that rise come at the end of the same node again and again: what is split off there leaves a full node behind.
  const isAppending = (child.keys[child.keys.length - 1] as string) <= added;
  const at = isAppending ? child.keys.length - 2 : child.keys.length >> 1;
  const keys = child.keys.splice(at);
  parent.keys.splice(index + 1, 0, keys[0] as string);
  if (child.kind === "leaf") {
    const values = child.values.splice(at);
    parent.children.splice(index + 1, 0, { kind: "leaf", owner: child.owner, keys, values });
    return;
  }
  const children = child.children.splice(at);
  const size = children.reduce((sum, each) => sum + sizeOf(each), 0);
  child.size -= size;
  parent.children.splice(index + 1, 0, { kind: "branch", owner: child.owner, keys, children, size });
}

/** The key is there. May leave the node it returns with few entries, or none: whoever holds it sees to that. */
function remove<V>(shared: Node<V>, key: string, owner: Owner): Node<V> {
  const node = owned(shared, owner);
  if (node.kind === "leaf") {
    const index = lowerBound(node.keys, key);
    node.keys.splice(index, 1);
    node.values.splice(index, 1);
    return node;
  }
  const index = childFor(node, key);
  const changed = remove(node.children[index] as Node<V>, key, owner);
  node.children[index] = changed;
  node.size--;
  if (changed.keys.length === 0) dropChild(node, index);
  else if (changed.keys.length < fewest && !joinNext(node, index, owner) && index > 0) joinNext(node, index - 1, owner);
  return node;
}

function dropChild(parent: Branch<unknown>, index: number): void {
  parent.keys.splice(index, 1);
  parent.children.splice(index, 1);
}

/** Puts the entries of the next child into this one, if there is a next and they fit. */
function joinNext<V>(parent: Branch<V>, index: number, owner: Owner): boolean {
  const left = parent.children[index] as Node<V>;
  const right = parent.children[index + 1];
  if (right === undefined || left.keys.length + right.keys.length > most) return false;
  const joined = owned(left, owner);
  const leftCount = joined.keys.length;
  joined.keys.push(...right.keys);
  if (joined.kind === "leaf") {
    joined.values.push(...(right as Leaf<V>).values);
  } else {
    // The right one's first child is not the first any more: what bounds it is what bounded the right one.
    joined.keys[leftCount] = parent.keys[index + 1] as string;
    joined.children.push(...(right as Branch<V>).children);
    joined.size += (right as Branch<V>).size;
  }
  parent.children[index] = joined;
  dropChild(parent, index + 1);
  return true;
}

function keyAt(node: Node<unknown>, rank: number): string | undefined {
  if (node.kind === "leaf") return node.keys[rank];
  let before = 0;
  for (const child of node.children) {
    const size = sizeOf(child);
    if (rank < before + size) return keyAt(child, rank - before);
    before += size;
  }
  return undefined;
}

/** `start` and `end` count from the node's first key. */
function collect<V>(node: Node<V>, start: number, end: number, into: V[]): void {
  if (node.kind === "leaf") {
    const last = Math.min(end, node.values.length);
    for (let i = start; i < last; i++) into.push(node.values[i] as V);
    return;
  }
  let before = 0;
  for (const child of node.children) {
    if (before >= end) return;
    const size = sizeOf(child);
    if (before + size > start) collect(child, Math.max(0, start - before), end - before, into);
    before += size;
  }
}

function* leavesOf<V>(node: Node<V>): Generator<Leaf<V>> {
  if (node.kind === "leaf") yield node;
  else for (const child of node.children) yield* leavesOf(child);
}

/** A leaf in both trees is the same in both: neither may change it. */
function sharedLeaves<V>(a: Node<V>, b: Node<V>): ReadonlySet<Leaf<V>> {
  const ofA = new Set(leavesOf(a));
  return new Set([...leavesOf(b)].filter((leaf) => ofA.has(leaf)));
}

function entriesBesides<V>(passedOver: ReadonlySet<Leaf<V>>, root: Node<V>): ReadonlyMap<string, V> {
  const entries = new Map<string, V>();
  for (const leaf of leavesOf(root)) {
    if (!passedOver.has(leaf)) for (const [i, key] of leaf.keys.entries()) entries.set(key, leaf.values[i] as V);
  }
  return entries;
}
