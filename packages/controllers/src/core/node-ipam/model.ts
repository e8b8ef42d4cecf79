// Which networks are taken: those that nodes have, the Services', and those that were given to a node whose answer is not here yet.
//
// Promises
// - A network that was given to a node stays the node's until the cache shows what the node has, or the server has certainly refused it: if
//   the answer was lost, the node is given the same again.
// - After a restart the nodes of the first list take theirs before any is given out.
// - A network is free when the last who holds it lets it go. Services and nodes may share one: nodes that were there before node networks became
//   larger, or that somebody else has assigned networks to.
import type { corev1, KubernetesObject } from "@kubeloop/core/api";
import type { Change, Wake } from "@kubeloop/core/contract";
import { type Cidr, parseCidr } from "./cidr.ts";
import { CidrSet, type Free } from "./cidr-set.ts";

export interface ClusterRange {
  readonly cidr: Cidr;
  /** How many bits of an address are a node's network. */
  readonly nodeBits: number;
}

/** Holds the networks of Services. No node has this name. */
const servicesHolder = "";

interface Given {
  readonly uid: string | undefined;
  readonly networks: readonly Free[];
  /** The node has them, or may have because an answer was lost: a later refusal does not change that. */
  isKept: boolean;
}

export class NodeNetworks {
  /** One for each address family. */
  readonly sets: readonly CidrSet[];
  /** Names of nodes that nothing was left for. */
  readonly waiting = new Set<string>();
  readonly #given = new Map<string, Given>();
  /** For each set, by the index of a network, the names of those who hold it. */
  readonly #holders: readonly Map<number, Set<string>>[];
  readonly #failures = new Map<string, number>();

  constructor(ranges: readonly ClusterRange[], ofServices: readonly Cidr[]) {
    this.sets = ranges.map(({ cidr, nodeBits }) => new CidrSet(cidr, nodeBits));
    this.#holders = this.sets.map(() => new Map());
    for (const i of this.sets.keys()) for (const cidr of ofServices) this.#hold(i, cidr, servicesHolder);
  }

  /** What the node was given before, or what would be given to it now: one of each set. Undefined if one of them has none left. */
  findFor({ metadata: { name = "", uid } }: corev1.Node): readonly Free[] | undefined {
    const given = this.#given.get(name);
    if (given !== undefined && given.uid === uid) return given.networks;
    const found = this.sets.map((set) => set.findFree()).filter((free) => free !== undefined);
    return found.length === this.sets.length ? found : undefined;
  }

  give({ metadata: { name = "", uid } }: corev1.Node, networks: readonly Free[]): void {
    if (this.#given.get(name)?.networks === networks) return;
    this.takeBack(name);
    for (const [i, set] of this.sets.entries()) {
      const free = networks[i];
      if (free === undefined) continue;
      set.take(free);
      this.#hold(i, set.at(free.index), name);
    }
    this.#given.set(name, { uid, networks, isKept: false });
  }

  /** The server has stored what the node was given, or nobody knows. */
  keep(name: string): void {
    const given = this.#given.get(name);
    if (given !== undefined) given.isKept = true;
  }

  /** The server has refused what the node was given. */
  refuse(name: string): void {
    if (this.#given.get(name)?.isKept === false) this.takeBack(name);
  }

  takeBack(name: string): void {
    const given = this.#given.get(name);
    this.#given.delete(name);
    for (const [i, set] of this.sets.entries()) {
      const free = given?.networks[i];
      if (free !== undefined) this.#letGo(i, set.at(free.index), name);
    }
  }

  failuresOf(name: string): number {
    return this.#failures.get(name) ?? 0;
  }

  noteFailure(name: string): void {
    this.#failures.set(name, this.failuresOf(name) + 1);
  }

  forgetFailures(name: string): void {
    this.#failures.delete(name);
  }

  /** What a node has is taken; what it was given besides is not. */
  see(node: corev1.Node): void {
    const its = networksOf(node);
    if (its.length === 0) return;
    const { name = "" } = node.metadata;
    this.takeBack(name);
    for (const [i, cidr] of its.entries()) if (cidr !== undefined) this.#hold(i, cidr, name);
  }

  lose(node: corev1.Node): void {
    const { name = "" } = node.metadata;
    this.takeBack(name);
    this.waiting.delete(name);
    this.forgetFailures(name);
    for (const [i, cidr] of networksOf(node).entries()) if (cidr !== undefined) this.#letGo(i, cidr, name);
  }

  #hold(i: number, cidr: Cidr, holder: string): void {
    const [set, holders] = [this.sets[i], this.#holders[i]];
    for (const index of set?.indexesOf(cidr) ?? []) {
      const names = holders?.get(index);
      if (names === undefined) holders?.set(index, new Set([holder]));
      else names.add(holder);
    }
    set?.occupy(cidr);
  }

  #letGo(i: number, cidr: Cidr, holder: string): void {
    const [set, holders] = [this.sets[i], this.#holders[i]];
    for (const index of set?.indexesOf(cidr) ?? []) {
      const names = holders?.get(index);
      if (names?.delete(holder) !== true || names.size > 0) continue;
      holders?.delete(index);
      set?.release(set.at(index));
    }
  }
}

/** Undefined for what is no network. */
export const networksOf = ({ spec }: corev1.Node): readonly (Cidr | undefined)[] =>
  (spec?.podCIDRs ?? []).map(parseCidr);

/** Nodes that wait are looked at again when something was given back. */
export function absorb(model: NodeNetworks, change: Change<KubernetesObject>): readonly Wake[] {
  const node = change.object as corev1.Node;
  const free = () => model.sets.reduce((sum, { max, count }) => sum + max - count, 0);
  const before = free();
  if (change.type === "delete") model.lose(node);
  else {
    if (change.type === "update" && change.before.metadata.uid !== node.metadata.uid)
      model.lose(change.before as corev1.Node);
    model.see(node);
  }
  return free() > before ? [...model.waiting] : [];
}
