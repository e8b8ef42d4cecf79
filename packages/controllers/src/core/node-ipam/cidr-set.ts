// The networks of one size into which a cluster's network is divided, and which of them are taken.
//
// Promises
// - The next free one is sought from where the last one was found: one that was just given back is the last to be given out again, since
//   whoever had it may still be reached under it.
// - To take what is taken, or to give back what is free, changes nothing and counts nothing.
import { type Cidr, lastOf, overlaps, printCidr, widthOf } from "./cidr.ts";

/** Upstream's bitmap has at most 2^16 networks of IPv6. */
const mostIpv6Bits = 16;

export interface Free {
  readonly index: number;
  /** How many were looked at in vain. */
  readonly tries: number;
}

/** What has happened since it was last asked for. */
export interface Tally {
  readonly allocations: number;
  readonly releases: number;
  /** Of each network that was sought. */
  readonly tries: readonly number[];
}

export class CidrSet {
  readonly cluster: Cidr;
  readonly max: number;
  readonly #nodeBits: number;
  readonly #taken: Uint8Array;
  #count = 0;
  #next = 0;
  #tally: { allocations: number; releases: number; tries: number[] } = newTally();

  constructor(cluster: Cidr, nodeBits: number) {
    const bits = nodeBits - cluster.bits;
    if (cluster.family === "IPv6" && bits > mostIpv6Bits)
      throw new RangeError("New CIDR set failed; the node CIDR size is too big");
    if (bits < 0 || nodeBits > widthOf(cluster))
      throw new RangeError(`a network of ${nodeBits} bits does not fit into ${printCidr(cluster)}`);
    this.cluster = cluster;
    this.#nodeBits = nodeBits;
    this.max = 2 ** bits;
    this.#taken = new Uint8Array(Math.ceil(this.max / 8));
  }

  get count(): number {
    return this.#count;
  }

  at(index: number): Cidr {
    const { family, first } = this.cluster;
    return { family, first: first + (BigInt(index) << this.#shift), bits: this.#nodeBits };
  }

  /** Of the networks that overlap with it; none if it is outside of the cluster's network. */
  *indexesOf(cidr: Cidr): Generator<number, void, undefined> {
    const { begin, end } = this.#rangeOf(cidr) ?? { begin: 0, end: -1 };
    for (let index = begin; index <= end; index++) yield index;
  }

  /** Undefined if all are taken. */
  findFree(): Free | undefined {
    if (this.#count === this.max) return undefined;
    for (let tries = 0; ; tries++) {
      const index = (this.#next + tries) % this.max;
      if (!this.#has(index)) return { index, tries };
    }
  }

  take({ index, tries }: Free): void {
    this.#next = (index + 1) % this.max;
    this.#tally.tries.push(tries);
    this.#set(index);
  }

  /** All that overlap with it. Returns whether any can: one outside of the cluster's network is somebody else's. */
  occupy(cidr: Cidr): boolean {
    const range = this.#rangeOf(cidr);
    if (range === undefined) return false;
    for (let index = range.begin; index <= range.end; index++) this.#set(index);
    return true;
  }

  release(cidr: Cidr): void {
    for (const index of this.indexesOf(cidr)) {
      if (!this.#has(index)) continue;
      this.#taken[index >> 3] = (this.#taken[index >> 3] ?? 0) & ~(1 << (index & 7));
      this.#count--;
      this.#tally.releases++;
    }
  }

  takeTally(): Tally {
    const tally = this.#tally;
    this.#tally = newTally();
    return tally;
  }

  get #shift(): bigint {
    return BigInt(widthOf(this.cluster) - this.#nodeBits);
  }

  #rangeOf(cidr: Cidr): { readonly begin: number; readonly end: number } | undefined {
    if (!overlaps(cidr, this.cluster)) return undefined;
    if (cidr.bits <= this.cluster.bits) return { begin: 0, end: this.max - 1 };
    const indexOf = (address: bigint) => Number((address - this.cluster.first) >> this.#shift);
    return { begin: indexOf(cidr.first), end: indexOf(lastOf(cidr)) };
  }

  #has(index: number): boolean {
    return ((this.#taken[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  #set(index: number): void {
    if (this.#has(index)) return;
    this.#taken[index >> 3] = (this.#taken[index >> 3] ?? 0) | (1 << (index & 7));
    this.#count++;
    this.#tally.allocations++;
  }
}

const newTally = () => ({ allocations: 0, releases: 0, tries: [] as number[] });
