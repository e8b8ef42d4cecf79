// Addresses traffic may be sent to: not those that mean no host, this one, or only the hosts on the same wire.

import { type IpAddress, parseIp } from "./ip-address.ts";
import type { ValidationPath } from "./validation-path.ts";

export function checkEndpointIp(text: string, fldPath: ValidationPath): void {
  const address = parseIp(text);
  if (address === undefined) {
    fldPath.invalid(text, "must be a valid IP address");
    return;
  }
  for (const [holds, why] of ranges) if (holds(address)) fldPath.invalid(text, why(text));
}

const ranges: readonly (readonly [(address: IpAddress) => boolean, (text: string) => string])[] = [
  [({ parts }) => parts.every((part) => part === 0), (text) => `may not be unspecified (${text})`],
  [
    (address) => begins(address, [127]) || (address.family === "IPv6" && isOne(address.parts)),
    () => "may not be in the loopback range (127.0.0.0/8, ::1/128)",
  ],
  [
    (address) => begins(address, [169, 254]) || isIpv6In(address, 0xfe80, 0xffc0),
    () => "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
  ],
  [
    (address) => begins(address, [224, 0, 0]) || isIpv6In(address, 0xff02, 0xff0f),
    () => "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  ],
];

const begins = ({ family, parts }: IpAddress, octets: readonly number[]) =>
  family === "IPv4" && octets.every((octet, i) => parts[i] === octet);

const isOne = (parts: readonly number[]) => parts.every((part, i) => part === (i === 7 ? 1 : 0));

const isIpv6In = ({ family, parts }: IpAddress, first: number, mask: number) =>
  family === "IPv6" && ((parts[0] ?? 0) & mask) === first;
