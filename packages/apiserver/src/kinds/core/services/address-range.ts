// A range that services' addresses are taken from. Its lower part is for those who name their address; whoever names none is given one of
// the upper part, and only when that is full one of the lower. The search begins anywhere, so that two who search at once seldom meet.
import { type Random, randomBelow } from "@kubeloop/core/base";
import { addressBits, parseCidr, printCidr } from "../../shared/cidr.ts";
import { type IpAddress, parseIp, printIp } from "../../shared/ip-address.ts";
import type { IpFamily } from "./ip-families.ts";

export interface AddressRange {
  readonly family: IpFamily;
  /** As a range is written: "10.0.0.0/16". */
  readonly text: string;
  /** Its first address, which nobody gets. */
  readonly base: string;
  /** Addresses as numbers, of the first and the last that can be had and of the first of the upper part. */
  readonly first: bigint;
  readonly upper: bigint;
  readonly last: bigint;
}

/** The lower part: a sixteenth, but at least 16 and at most 256. */
const smallestLower = 16n;
const largestLower = 256n;
/** No larger ranges. */
const mostBits = 64;

/** Undefined for what is no range, or has no address to give. */
export function addressRangeOf(text: string): AddressRange | undefined {
  const cidr = parseCidr(text);
  if (cidr === undefined) return undefined;
  const { family } = cidr.address;
  const bits = addressBits(cidr.address) - cidr.bits;
  if (bits > mostBits) return undefined;
  const size = 1n << BigInt(bits);
  const base = ipNumber(cidr.network);
  const first = base + 1n;
  // The last address of an IPv4 network is everybody's.
  const last = base + size - (family === "IPv4" ? 2n : 1n);
  if (last < first) return undefined;
  const lower = size <= smallestLower ? 0n : clamp(size / 16n, smallestLower, largestLower);
  return { family, text: printCidr(cidr), base: printIp(cidr.network), first, upper: first + lower, last };
}

const clamp = (value: bigint, low: bigint, high: bigint) => (value < low ? low : value > high ? high : value);

export function isInRange({ family, first, last }: AddressRange, text: string): boolean {
  const address = parseIp(text);
  if (address === undefined || address.family !== family) return false;
  const number = ipNumber(address);
  return number >= first && number <= last;
}

/** Every address once: the upper part from somewhere on, then the lower. */
export function* addressesToTry(range: AddressRange, random: Random): Generator<string> {
  const { family, first, upper, last } = range;
  for (const number of fromAnywhere(upper, last, random)) yield printIp(ipOf(number, family));
  for (const number of fromAnywhere(first, upper - 1n, random)) yield printIp(ipOf(number, family));
}

function* fromAnywhere(first: bigint, last: bigint, random: Random): Generator<bigint> {
  const size = last - first + 1n;
  if (size <= 0n) return;
  const start = (BigInt(randomBelow(random, 2 ** 53)) * size) >> 53n;
  for (let i = 0n; i < size; i++) yield first + ((start + i) % size);
}

/** The one spelling of an address that all of them share. */
export function canonicalIp(text: string): string {
  const address = parseIp(text);
  return address === undefined ? text : printIp(address);
}

function ipNumber({ parts, family }: IpAddress): bigint {
  const size = family === "IPv4" ? 8n : 16n;
  return parts.reduce((number, part) => (number << size) | BigInt(part), 0n);
}

function ipOf(number: bigint, family: IpFamily): IpAddress {
  const [count, size] = family === "IPv4" ? [4, 8] : [8, 16];
  const mask = (1n << BigInt(size)) - 1n;
  const parts = Array.from({ length: count }, (_, i) => Number((number >> BigInt((count - 1 - i) * size)) & mask));
  return { parts, family, hasLeadingZeros: false };
}
