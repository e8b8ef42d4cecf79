// Gives addresses of a node's pod CIDRs to pods. Each pod gets one address of each family. The network address, the first one (the gateway) and, in
// IPv4, the last one (broadcast) are never given. An address that was released is given again only after all others, because clients may still hold it.
import { parseIp, printIp } from "@kubeloop/core/rules";

interface Range {
  readonly family: "IPv4" | "IPv6";
  readonly base: bigint;
  readonly first: bigint;
  readonly last: bigint;
  next: bigint;
}

/** More addresses than this are not looked at in one range: no node has so many pods. */
const widest = 1n << 20n;

export class PodAddresses {
  readonly #ranges: readonly Range[];
  readonly #taken = new Set<string>();
  readonly #byPod = new Map<string, readonly string[]>();

  constructor(cidrs: readonly string[]) {
    this.#ranges = cidrs.flatMap((cidr) => toRange(cidr) ?? []);
  }

  /** Returns the pod's addresses, the same ones each time; undefined if some range is full or there is none. */
  allocate(podUid: string): readonly string[] | undefined {
    const known = this.#byPod.get(podUid);
    if (known !== undefined) return known;
    if (this.#ranges.length === 0) return undefined;
    const addresses: string[] = [];
    for (const range of this.#ranges) {
      const address = this.#takeFrom(range);
      if (address === undefined) {
        for (const taken of addresses) this.#taken.delete(taken);
        return undefined;
      }
      addresses.push(address);
    }
    this.#byPod.set(podUid, addresses);
    return addresses;
  }

  /** Takes addresses that a pod already has, for example after a restart of the node. */
  adopt(podUid: string, addresses: readonly string[]): void {
    for (const address of addresses) this.#taken.add(address);
    this.#byPod.set(podUid, addresses);
  }

  release(podUid: string): void {
    for (const address of this.#byPod.get(podUid) ?? []) this.#taken.delete(address);
    this.#byPod.delete(podUid);
  }

  #takeFrom(range: Range): string | undefined {
    const count = range.last - range.first + 1n;
    for (let tried = 0n; tried < count; tried++) {
      const number = range.next;
      range.next = number === range.last ? range.first : number + 1n;
      const address = toText(number, range.family);
      if (this.#taken.has(address)) continue;
      this.#taken.add(address);
      return address;
    }
    return undefined;
  }
}

/** Undefined for what is no CIDR, or has no room for a pod. */
function toRange(cidr: string): Range | undefined {
  const [text = "", length = ""] = cidr.split("/");
  const ip = parseIp(text);
  const bits = ip?.family === "IPv6" ? 128 : 32;
  const prefix = Number(length);
  if (ip === undefined || length === "" || !Number.isInteger(prefix) || prefix < 0 || prefix > bits) return undefined;
  const width = ip.family === "IPv6" ? 16n : 8n;
  const size = 1n << BigInt(bits - prefix);
  const base = (ip.parts.reduce((sum, part) => (sum << width) | BigInt(part), 0n) / size) * size;
  const first = base + 2n;
  const isWide = size > widest;
  const end = base + (isWide ? widest : size);
  const last = ip.family === "IPv4" && !isWide ? end - 2n : end - 1n;
  return last < first ? undefined : { family: ip.family, base, first, last, next: first };
}

function toText(number: bigint, family: "IPv4" | "IPv6"): string {
  const [count, width] = family === "IPv6" ? [8, 16n] : [4, 8n];
  const parts = Array.from({ length: count }, (_, i) =>
    Number((number >> (width * BigInt(count - 1 - i))) & ((1n << width) - 1n)),
  );
  return printIp({ parts, family, hasLeadingZeros: false });
}
