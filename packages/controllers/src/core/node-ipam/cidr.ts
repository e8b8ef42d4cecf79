// Networks as numbers: "10.244.0.0/16", "fd00:10:244::/48".
export interface Cidr {
  readonly family: "IPv4" | "IPv6";
  /** The first address. */
  readonly first: bigint;
  /** How many bits of an address are the network's. */
  readonly bits: number;
}

const widths = { IPv4: 32, IPv6: 128 } as const;

export const widthOf = ({ family }: Pick<Cidr, "family">): number => widths[family];

/** The last address. */
export const lastOf = (cidr: Cidr): bigint => cidr.first + (1n << BigInt(widthOf(cidr) - cidr.bits)) - 1n;

export const overlaps = (one: Cidr, other: Cidr): boolean =>
  one.family === other.family && one.first <= lastOf(other) && other.first <= lastOf(one);

/** Undefined for what is no network. Bits beyond the network's are dropped. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = "", digits = ""] = /^([^/]+)\/(\d+)$/.exec(text.trim()) ?? [];
  const family = address.includes(":") ? "IPv6" : "IPv4";
  const number = family === "IPv6" ? parseIpv6(address) : parseIpv4(address);
  const bits = Number(digits);
  if (number === undefined || digits === "" || bits > widths[family]) return undefined;
  const rest = BigInt(widths[family] - bits);
  return { family, first: (number >> rest) << rest, bits };
}

export function printCidr({ family, first, bits }: Cidr): string {
  return `${family === "IPv4" ? printIpv4(first) : printIpv6(first)}/${bits}`;
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d+$/.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((number, part) => (number << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  // The last 32 bits may be written as an IPv4 address.
  const [, head = "", tail] = /^(.*:)([^:]*\.[^:]*)$/.exec(text) ?? [undefined, text, undefined];
  const ipv4 = tail === undefined ? undefined : parseIpv4(tail);
  if (tail !== undefined && ipv4 === undefined) return undefined;
  const whole = ipv4 === undefined ? head : `${head}${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`;
  const halves = whole.split("::");
  if (halves.length > 2) return undefined;
  const [left = [], right = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...left, ...Array<string>(missing).fill("0"), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((number, group) => (number << 16n) | BigInt(`0x${group}`), 0n);
}

const printIpv4 = (number: bigint) => [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join(".");

/** RFC 5952: lower case, and the longest run of zeros, the first of equal ones, is left out. */
function printIpv6(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  let run = { start: 0, length: 0 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === "0") length++;
    if (length > run.length) run = { start, length };
  }
  if (run.length < 2) return groups.join(":");
  return `${groups.slice(0, run.start).join(":")}::${groups.slice(run.start + run.length).join(":")}`;
}
