// IP addresses as Kubernetes reads them: as Go once did, leading zeros and IPv4 inside IPv6 included. Who must refuse such spellings checks
// for them.
export interface IpAddress {
  /** 4 of them, or 8 groups of 16 bits. */
  readonly parts: readonly number[];
  readonly family: "IPv4" | "IPv6";
  /** Whether an octet begins with a zero it does not need. */
  readonly hasLeadingZeros: boolean;
}

/** Undefined for what is no address, zones included. */
export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

/** The shortest spelling, as RFC 5952 has it. IPv4 inside IPv6 is printed as IPv4. */
export function printIp({ parts, family }: IpAddress): string {
  if (family === "IPv4") return parts.join(".");
  if (isIpv4Mapped(parts)) return [parts[6], parts[7]].flatMap((part = 0) => [part >> 8, part & 255]).join(".");
  return printIpv6(parts);
}

/**
 * Returns the shortest spelling of an address and its family; undefined for what is no address. IPv4 inside IPv6 is IPv4.
 */
export function canonicalIp(text: string): { readonly ip: string; readonly family: "IPv4" | "IPv6" } | undefined {
  const address = parseIp(text);
  if (address === undefined) return undefined;
  return { ip: printIp(address), family: isIpv4Mapped(address.parts) ? "IPv4" : address.family };
}

function parseIpv4(text: string): IpAddress | undefined {
  const octets = text.split(".");
  if (octets.length !== 4 || !octets.every((octet) => /^[0-9]+$/.test(octet))) return undefined;
  const parts = octets.map(Number);
  if (parts.some((part) => part > 255)) return undefined;
  return { parts, family: "IPv4", hasLeadingZeros: octets.some((octet) => octet.length > 1 && octet.startsWith("0")) };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => parseGroups(half));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const given = [...head.parts, ...(tail?.parts ?? [])];
  const isShort = halves.length === 2;
  if (isShort ? given.length > 7 : given.length !== 8) return undefined;
  // Dotted octets stand only at the very end.
  if (head.isDotted && (tail?.parts.length ?? 0) > 0) return undefined;
  if (head.isDotted && isShort) return undefined;
  const zeros = Array.from({ length: 8 - given.length }, () => 0);
  const hasLeadingZeros = head.hasLeadingZeros || tail?.hasLeadingZeros === true;
  return { parts: [...head.parts, ...zeros, ...(tail?.parts ?? [])], family: "IPv6", hasLeadingZeros };
}

interface Groups {
  readonly parts: readonly number[];
  readonly isDotted: boolean;
  readonly hasLeadingZeros: boolean;
}

function parseGroups(text: string): Groups | undefined {
  if (text === "") return { parts: [], isDotted: false, hasLeadingZeros: false };
  const groups = text.split(":");
  const last = groups.at(-1) ?? "";
  const dotted = last.includes(".") ? parseIpv4(last) : undefined;
  if (last.includes(".") && dotted === undefined) return undefined;
  const plain = dotted === undefined ? groups : groups.slice(0, -1);
  if (!plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const parts = plain.map((group) => Number.parseInt(group, 16));
  if (dotted === undefined) return { parts, isDotted: false, hasLeadingZeros: false };
  const [a = 0, b = 0, c = 0, d = 0] = dotted.parts;
  return {
    parts: [...parts, a * 256 + b, c * 256 + d],
    isDotted: true,
    hasLeadingZeros: dotted.hasLeadingZeros,
  };
}

/** Whether the 8 groups hold an IPv4 address: ::ffff:10.0.0.1. */
export function isIpv4Mapped(parts: readonly number[]): boolean {
  return parts.length === 8 && parts[5] === 0xffff && parts.slice(0, 5).every((part) => part === 0);
}

function printIpv6(parts: readonly number[]): string {
  const { start, length } = longestZeros(parts);
  const print = (some: readonly number[]) => some.map((part) => part.toString(16)).join(":");
  if (length < 2) return print(parts);
  return `${print(parts.slice(0, start))}::${print(parts.slice(start + length))}`;
}

function longestZeros(parts: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [i, part] of parts.entries()) {
    length = part === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: i - length + 1, length };
  }
  return best;
}
