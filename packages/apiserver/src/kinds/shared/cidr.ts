// Networks as specs hold them: an address and how many bits of it count ("10.0.0.0/24").
import { printPath } from "@kubeloop/core/api";
import { type IpAddress, parseIp, printIp } from "./ip-address.ts";
import type { ValidationPath } from "./validation-path.ts";

export interface Cidr {
  readonly address: IpAddress;
  readonly bits: number;
  /** The first address of the network. */
  readonly network: IpAddress;
  /** Whether the address or the number of bits has zeros in front that it does not need. */
  readonly hasLeadingZeros: boolean;
}

/** Undefined for what is no network. */
export function parseCidr(text: string): Cidr | undefined {
  const [, ip = "", digits = ""] = /^([^/]*)\/([0-9]+)$/.exec(text) ?? [];
  const address = parseIp(ip);
  if (address === undefined || digits === "") return undefined;
  const bits = Number(digits);
  if (bits > addressBits(address)) return undefined;
  const hasLeadingZeros = address.hasLeadingZeros || (digits.length > 1 && digits.startsWith("0"));
  return { address, bits, network: masked(address, bits), hasLeadingZeros };
}

export const printCidr = ({ network, bits }: Cidr): string => `${printIp(network)}/${bits}`;

export const addressBits = ({ family }: IpAddress): number => (family === "IPv4" ? 32 : 128);

function masked(address: IpAddress, bits: number): IpAddress {
  const size = addressBits(address) / address.parts.length;
  const parts = address.parts.map((part, i) => {
    const kept = Math.min(Math.max(bits - i * size, 0), size);
    return part & ~((1 << (size - kept)) - 1);
  });
  return { ...address, parts, hasLeadingZeros: false };
}

const isMapped = ({ family, parts }: IpAddress) =>
  family === "IPv6" && parts[5] === 0xffff && parts.slice(0, 5).every((part) => part === 0);

const isNetwork = ({ address, network }: Cidr) => address.parts.every((part, i) => part === network.parts[i]);

/** The rule of fields that are older than strict validation. */
export function checkLegacyCidr(text: string, fldPath: ValidationPath, oldValues: readonly string[] = []): void {
  if (oldValues.includes(text)) return;
  const cidr = parseCidr(text);
  if (cidr === undefined) {
    fldPath.invalid(text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  } else if (cidr.hasLeadingZeros) {
    fldPath.invalid(text, "must not have leading 0s in IP or prefix length");
  } else if (isMapped(cidr.address)) {
    fldPath.invalid(text, "must not have an IPv4-mapped IPv6 address");
  } else if (!isNetwork(cidr)) {
    fldPath.invalid(text, "must not have bits set beyond the prefix length");
  }
}

/** For networks that are right, but spelled as they should not be. */
export function cidrWarnings(text: string, fldPath: ValidationPath): string[] {
  const cidr = parseCidr(text);
  if (cidr === undefined) return [];
  const at = printPath(fldPath);
  const best = printCidr(cidr);
  const warnings: string[] = [];
  if (!isNetwork(cidr)) {
    const single = `${printIp(cidr.address)}/${addressBits(cidr.address)}`;
    warnings.push(`${at}: CIDR value "${text}" is ambiguous in this context (should be "${best}" or "${single}"?)`);
  }
  if (cidr.hasLeadingZeros || isMapped(cidr.address)) {
    warnings.push(`${at}: non-standard CIDR value "${text}" is invalid: use "${best}"`);
  }
  if (warnings.length > 0 || cidr.address.family === "IPv4" || best === text) return warnings;
  return [`${at}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${best}")`];
}
